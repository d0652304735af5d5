import { type Judged, JUDGEMENTS } from './judge.ts';

/** As judgements, and `beside`: a true cause was named, but of another fault on the same machine. */
export const OUTCOMES = [...JUDGEMENTS, 'beside'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How often each true cause was named, left open, missed, or another one named instead. */
export interface ConfusionRow {
  /** The fault behind it, `F51`, or `setting` and `course` for what the world did by itself. */
  readonly truth: string;
  readonly counts: Readonly<Record<Outcome, number>>;
  /** Causes that were named, right and wrong ones, with how often. */
  readonly named: ReadonlyMap<string, number>;
  readonly wrong: ReadonlyMap<string, number>;
}

interface Counting {
  readonly counts: Record<Outcome, number>;
  readonly named: Map<string, number>;
  readonly wrong: Map<string, number>;
}

const NONE = 'no fault';

/** Counts judgements by the fault that was there. */
export class Confusion {
  readonly #rows = new Map<string, Counting>();

  add({ judgement, truths, named, wrong }: Judged): void {
    const faults = new Set(truths.map(({ of }) => of.split('.')[0] ?? of));
    for (const truth of faults.size === 0 ? [NONE] : faults) {
      const row = this.#row(truth);
      const own = new Set(
        truths.filter(({ of }) => of.split('.')[0] === truth).flatMap(({ causes }) => causes),
      );
      const isBeside = judgement === 'named' && !named.some((cause) => own.has(cause));
      row.counts[isBeside ? 'beside' : judgement]++;
      for (const cause of named) if (own.has(cause)) count(row.named, cause);
      for (const cause of wrong) count(row.wrong, cause);
    }
  }

  /** By the number of the fault. */
  rows(): readonly ConfusionRow[] {
    return [...this.#rows]
      .map(([truth, counting]) => ({ truth, ...counting }))
      .toSorted((one, other) => (one.truth < other.truth ? -1 : 1));
  }

  #row(truth: string): Counting {
    const known = this.#rows.get(truth);
    if (known !== undefined) return known;
    const counts = { named: 0, beside: 0, wrong: 0, open: 0, missed: 0, well: 0, alarm: 0 };
    const made: Counting = { counts, named: new Map(), wrong: new Map() };
    this.#rows.set(truth, made);
    return made;
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
