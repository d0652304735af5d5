import { at, textAt } from '../../evidence/json.ts';
import type { Refusal } from '../../evidence/observations.ts';
import { isoTime } from '../../evidence/time.ts';
import { ChangeList, type Changes, type Happening, type Moment, type Notes } from './change.ts';

const PREFIX = 'gap/';
const SENTENCE_LENGTH_MAX = 500;

/** A time of which something is missing in the record. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly why: string;
}

function timeText(ms: number): string {
  return isoTime({ ms: Math.floor(ms / 1000) * 1000, yearless: false, clock: 'utc' }) ?? '';
}

/** A gap as a row of its own kind. */
export function happeningOfGap(gap: Gap, { cluster }: Moment): Happening {
  const { fromMs, toMs } = gap;
  const why = gap.why.slice(0, SENTENCE_LENGTH_MAX);
  const until = toMs === null ? 'from here on' : `until ${timeText(toMs)}`;
  return {
    atMs: fromMs,
    subject: cluster,
    subjectKind: 'Cluster',
    kind: 'gap',
    source: 'rollcall',
    parts: [fromMs, toMs, why],
    what: `GAP ${until}: ${why}`,
    more: { fromMs, toMs, why },
  };
}

/**
 * The time since the last look that is noted, where it is longer than a pause explains.
 *
 * @param pauseMs longest time between two looks
 */
export function gapSinceLastLook(notes: Notes, moment: Moment, pauseMs: number): Gap | null {
  const lastMs = at(notes.get('look'), 'atMs');
  if (typeof lastMs !== 'number' || moment.nowMs - lastMs <= pauseMs) return null;
  return { fromMs: lastMs, toMs: moment.nowMs, why: 'nobody looked' };
}

/** What a source refuses from now on, and what it answers again. */
export function refusalChanges(
  refusals: readonly Refusal[],
  notes: Notes,
  moment: Moment,
): Changes {
  const list = new ChangeList();
  const refused = new Set<string>();
  for (const { call, message } of refusals) {
    const id = PREFIX + call;
    refused.add(id);
    const noted = notes.get(id);
    if (noted !== undefined && at(noted, 'sinceMs') !== undefined) continue;
    const why = `${call} is not answered: ${message}`;
    list.notes.set(id, { sinceMs: moment.nowMs, why });
    list.add(happeningOfGap({ fromMs: moment.nowMs, toMs: null, why }, moment));
  }
  for (const [id, note] of notes) {
    if (!id.startsWith(PREFIX) || refused.has(id)) continue;
    const fromMs = Number(at(note, 'sinceMs') ?? moment.nowMs);
    list.notes.set(id, null);
    const why = textAt(note, 'why') ?? `${id.slice(PREFIX.length)} was not answered`;
    list.add(happeningOfGap({ fromMs, toMs: moment.nowMs, why }, moment));
  }
  return list;
}
