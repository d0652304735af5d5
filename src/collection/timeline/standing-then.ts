import { textAt } from '../../evidence/json.ts';
import type { RecordedEvent } from '../../ports/recorder.ts';

/** How a machine stood at a moment, as it was recorded. */
export interface StandingThen {
  readonly subject: string;
  readonly node: string | null;
  /** `not-usable at networked (cni-not-ready)`. */
  readonly standing: string;
  /** Since when, ms. */
  readonly sinceMs: number;
}

/** The last verdict of each machine among rows in order; of those that had gone there is none. */
export function standingsThen(rows: readonly RecordedEvent[]): readonly StandingThen[] {
  const last = new Map<string, RecordedEvent>();
  for (const row of rows) if (row.kind === 'verdict') last.set(row.subject, row);
  return [...last.values()].flatMap(({ subject, body, atMs }) => {
    const standing = textAt(body, 'standing');
    if (standing === null) return [];
    return [{ subject, node: textAt(body, 'node'), standing, sinceMs: atMs }];
  });
}
