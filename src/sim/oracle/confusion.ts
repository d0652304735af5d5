import { type Judged, JUDGEMENTS } from './judge.ts';
import type { KnownTruth } from './truths.ts';

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

/** How often a cause was named, and what there was then. */
export interface CauseRow {
  readonly cause: string;
  readonly right: number;
  readonly wrong: number;
  /** Faults, as in `ConfusionRow`, of which it was a true cause when it was named, with how often. */
  readonly behind: ReadonlyMap<string, number>;
  /** Faults that there were when it was named and was none of their causes. */
  readonly instead: ReadonlyMap<string, number>;
}

interface CauseCounting {
  right: number;
  wrong: number;
  readonly behind: Map<string, number>;
  readonly instead: Map<string, number>;
}

interface Counting {
  readonly counts: Record<Outcome, number>;
  readonly named: Map<string, number>;
  readonly wrong: Map<string, number>;
}

const NONE = 'no fault';

/** Counts judgements by the fault that was there, and by the cause that was named. */
export class Confusion {
  readonly #rows = new Map<string, Counting>();
  readonly #causes = new Map<string, CauseCounting>();
  readonly #true = new Set<string>();

  add(judged: Judged): void {
    const { judgement, truths, named, wrong } = judged;
    this.#addCauses(judged);
    const faults = new Set(truths.map(classOf));
    for (const truth of faults.size === 0 ? [NONE] : faults) {
      const row = this.#row(truth);
      const own = new Set(
        truths.filter((one) => classOf(one) === truth).flatMap(({ causes }) => causes),
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

  /** By the name of the cause. */
  causes(): readonly CauseRow[] {
    return [...this.#causes]
      .map(([cause, counting]) => ({ cause, ...counting }))
      .toSorted((one, other) => (one.cause < other.cause ? -1 : 1));
  }

  /** Causes that were true at some look and never named. */
  neverNamed(): readonly string[] {
    return [...this.#true].filter((cause) => !this.#causes.has(cause)).toSorted();
  }

  #addCauses({ truths, named, wrong }: Judged): void {
    for (const cause of truths.flatMap(({ causes }) => causes)) this.#true.add(cause);
    for (const cause of named) {
      const row = this.#cause(cause);
      const isWrong = wrong.includes(cause);
      const there = isWrong ? truths : truths.filter(({ causes }) => causes.includes(cause));
      const faults = new Set(there.map(classOf));
      if (isWrong) row.wrong++;
      else row.right++;
      for (const fault of faults.size === 0 ? [NONE] : faults)
        count(isWrong ? row.instead : row.behind, fault);
    }
  }

  #cause(cause: string): CauseCounting {
    const known = this.#causes.get(cause);
    if (known !== undefined) return known;
    const made: CauseCounting = { right: 0, wrong: 0, behind: new Map(), instead: new Map() };
    this.#causes.set(cause, made);
    return made;
  }

  #row(truth: string): Counting {
    const known = this.#rows.get(truth);
    if (known !== undefined) return known;
    const counts = Object.fromEntries(OUTCOMES.map((one) => [one, 0])) as Record<Outcome, number>;
    const made: Counting = { counts, named: new Map(), wrong: new Map() };
    this.#rows.set(truth, made);
    return made;
  }
}

/** `F51` of `F51.2`. */
function classOf({ of }: KnownTruth): string {
  return of.split('.')[0] ?? of;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
