import type { InterruptionNotice } from '../../domain/instances/notice.ts';
import { type Json, listAt, textAt } from '../../evidence/json.ts';
import type { Host, HostReply } from '../../ports/host.ts';
import { askMetadata } from './metadata-client.ts';

const SPOT = 'meta-data/spot/instance-action';
const REBALANCE = 'meta-data/events/recommendations/rebalance';
const SCHEDULED = 'meta-data/events/maintenance/scheduled';
const NOTICES_MAX = 10;
const WORD = /^[\w-]{1,40}$/;
const TIME = /^[\w :.+-]{1,40}$/;

/** What EC2 announces, the most urgent first; null when a question got no answer. */
export async function readNotices(
  host: Host,
  token: string | null,
): Promise<readonly InterruptionNotice[] | null> {
  const notices: InterruptionNotice[] = [];
  for (const [path, read] of READERS) {
    const reply = await askMetadata(host, path, token);
    if (reply === null || (reply.status !== 200 && reply.status !== 404)) return null;
    if (reply.status === 200) notices.push(...read(bodyOf(reply)));
  }
  return notices.slice(0, NOTICES_MAX);
}

const READERS: readonly (readonly [string, (body: Json) => readonly InterruptionNotice[]])[] = [
  [SPOT, spotIn],
  [SCHEDULED, scheduledIn],
  [REBALANCE, rebalanceIn],
];

function bodyOf({ body }: HostReply): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return null;
  }
}

function spotIn(body: Json): readonly InterruptionNotice[] {
  const action = textAt(body, 'action') ?? '';
  return WORD.test(action) ? [{ kind: 'spot', action, at: timeIn(body, 'time') }] : [];
}

function rebalanceIn(body: Json): readonly InterruptionNotice[] {
  const at = timeIn(body, 'noticeTime');
  return at === null ? [] : [{ kind: 'rebalance', action: 'replace', at }];
}

function scheduledIn(body: Json): readonly InterruptionNotice[] {
  return listAt({ events: body }, 'events').flatMap((event) => {
    const code = textAt(event, 'Code') ?? '';
    const isOpen = textAt(event, 'State') === 'active';
    if (!isOpen || !WORD.test(code)) return [];
    return [{ kind: 'scheduled', action: code, at: timeIn(event, 'NotBefore') }] as const;
  });
}

function timeIn(value: Json, key: string): string | null {
  const text = textAt(value, key) ?? '';
  return TIME.test(text) ? text : null;
}
