import { isoMs } from '../../evidence/time.ts';
import type { DiagnosisDocument, SubjectReport } from '../document.ts';
import type { RollCallRow } from './document.ts';

/** When a machine came to stand as it does, and what happened to it last. */
export interface RowTimes {
  /** ms since the epoch; null when nobody knows. */
  readonly sinceMs: number | null;
  readonly last: LastEvent | null;
}

export interface LastEvent {
  readonly atMs: number;
  /** One line. */
  readonly what: string;
}

export const NO_TIMES: RowTimes = { sinceMs: null, last: null };

/** What tells one machine from another, from look to look. */
export function rowKey({ name, instanceId }: Pick<RollCallRow, 'name' | 'instanceId'>): string {
  return instanceId ?? name;
}

/** What one look knows of the times of its rows, by their keys. */
export function timesOf({ subjects }: DiagnosisDocument): ReadonlyMap<string, RowTimes> {
  const machines = subjects.filter(({ kind }) => kind === 'Machine');
  return new Map(machines.map((subject) => [rowKey(subject), timesOfSubject(subject)]));
}

function timesOfSubject({ ladder, stage, verdict, timeline }: SubjectReport): RowTimes {
  const here = verdict === 'usable' ? 'usable' : stage;
  const timed = timeline.flatMap(({ time, what }) => {
    const atMs = isoMs(time);
    return atMs === null ? [] : [{ atMs, what }];
  });
  return {
    sinceMs: isoMs(ladder.find((rung) => rung.stage === here)?.since),
    last: timed.reduce<LastEvent | null>(later, null),
  };
}

function later(one: LastEvent | null, other: LastEvent | null): LastEvent | null {
  if (one === null || other === null) return one ?? other;
  return other.atMs >= one.atMs ? other : one;
}

/** Both together: what was recorded tells since when, as no look goes back so far. */
export function joinedTimes(seen: RowTimes, recorded: RowTimes): RowTimes {
  return {
    sinceMs: recorded.sinceMs ?? seen.sinceMs,
    last: later(seen.last, recorded.last),
  };
}
