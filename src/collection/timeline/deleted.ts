import { textAt } from '../../evidence/json.ts';
import { isoMs } from '../../evidence/time.ts';
import type { RecordedEvent, Recorder } from '../../ports/recorder.ts';
import { whatOf } from './fold.ts';
import { inOrder, type StoryRange } from './gather.ts';

/** A Node or an instance that is there no more. */
export interface Tombstone {
  readonly atMs: number;
  readonly kind: 'Node' | 'Machine';
  readonly name: string;
  readonly uid: string | null;
  readonly instance: string | null;
  /** How long it existed, ms; null when its beginning is unknown. */
  readonly livedMs: number | null;
  /** The verdict before it went, null when there was no other. */
  readonly lastStanding: string | null;
  /** What was recorded of it right before and after, each in one line, oldest first. */
  readonly lastWords: readonly string[];
}

const DELETED_MAX = 500;
const EVENTS_MAX = 50_000;
const BEFORE_MS = 900_000;
const AFTER_MS = 120_000;
const WORDS_MAX = 5;
/** Rows that say why something goes. */
const TELLING = [
  'event',
  'condition',
  'node-deleting',
  'claim-deleting',
  'machine-state',
  'machine-gone',
  'node-deleted',
];
const ENDED = new Set(['terminated', 'shutting-down']);

function isEnd({ kind, body }: RecordedEvent): boolean {
  return kind !== 'machine-state' || ENDED.has(textAt(body, 'state') ?? '');
}

/** Nodes and instances that went in a range of time, the latest last. */
export async function gatherDeleted(
  recorder: Recorder,
  range: StoryRange,
): Promise<readonly Tombstone[]> {
  const kinds = ['node-deleted', 'machine-state', 'machine-gone'];
  const found = await recorder.read({ ...range, kinds, limit: 10 * DELETED_MAX });
  const told = await removalsIn(recorder, range);
  const ends = inOrder(onePerLife([...found.filter(isEnd), ...told])).slice(-DELETED_MAX);
  const stones: Tombstone[] = [];
  for (const end of ends) stones.push(await tombstoneOf(recorder, range.cluster, end));
  return stones;
}

/** Who was deleted before the recording began, or while nobody looked, as its Event says. */
async function removalsIn(
  recorder: Recorder,
  range: StoryRange,
): Promise<readonly RecordedEvent[]> {
  const events = await recorder.read({ ...range, kinds: ['event'], limit: EVENTS_MAX });
  return events.filter(
    ({ subject, subjectKind, uid, body }) =>
      subjectKind === 'Node' &&
      uid !== null &&
      uid !== subject &&
      textAt(body, 'reason') === 'RemovingNode',
  );
}

/** An instance ends in several steps: the first is when it went. */
function onePerLife(ends: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const seen = new Set<string>();
  return ends.filter(({ subject, uid }) => {
    const life = uid ?? subject;
    const isFirst = !seen.has(life);
    seen.add(life);
    return isFirst;
  });
}

async function tombstoneOf(
  recorder: Recorder,
  cluster: string,
  end: RecordedEvent,
): Promise<Tombstone> {
  const { subject, subjectKind, uid, atMs, body } = end;
  const instance = subjectKind === 'Machine' ? subject : textAt(body, 'instance');
  const names = [...new Set([subject, ...(instance === null ? [] : [instance])])];
  const about = { cluster, fromMs: atMs - BEFORE_MS, toMs: atMs + AFTER_MS, limit: 50 };
  const near: RecordedEvent[] = [];
  for (const name of names)
    near.push(...(await recorder.read({ ...about, subject: name, kinds: TELLING })));
  const words = inOrder(near).filter((row) => !isSame(row, end));
  return {
    atMs,
    kind: subjectKind === 'Machine' ? 'Machine' : 'Node',
    name: subject,
    uid,
    instance,
    livedMs: await livedMs(recorder, cluster, end),
    lastStanding: await standingBefore(recorder, cluster, names, atMs),
    lastWords: words.slice(-WORDS_MAX).map((row) => `${row.source}: ${whatOf(row)}`),
  };
}

function isSame(row: RecordedEvent, end: RecordedEvent): boolean {
  return row.kind === end.kind && row.subject === end.subject && row.atMs === end.atMs;
}

async function livedMs(
  recorder: Recorder,
  cluster: string,
  { subject, body, atMs }: RecordedEvent,
): Promise<number | null> {
  const created = isoMs(textAt(body, 'created'));
  if (created !== null) return atMs - created;
  const kinds = ['machine-launched'];
  const [launched] = await recorder.read({ cluster, subject, kinds, toMs: atMs, limit: 1 });
  return launched === undefined ? null : atMs - launched.atMs;
}

async function standingBefore(
  recorder: Recorder,
  cluster: string,
  names: readonly string[],
  atMs: number,
): Promise<string | null> {
  const rows: RecordedEvent[] = [];
  for (const subject of names)
    rows.push(
      ...(await recorder.read({ cluster, subject, kinds: ['verdict'], toMs: atMs, limit: 5 })),
    );
  const standing = rows.filter(({ body }) => textAt(body, 'standing') !== null);
  const last = inOrder(standing).at(-1);
  return last === undefined ? null : textAt(last.body, 'standing');
}
