import { keyOf } from './pool.ts';
import type { ToldRun } from './told.ts';

const HOUR_MS = 3_600_000;
/** Recorded hours that weigh as much as what all pools show together. */
const PRIOR_HOURS = 168;
/** Of fewer hours no rate is told. */
const HOURS_LEAST = 24;
/** A pool counts at most so many times as dangerous or as safe as the mean. */
const WEIGHT_MOST = 4;

/** How Spot Instances of one pool fared, as far as that is recorded. */
export interface Interruptions {
  readonly interruptions: number;
  /** Hours that instances of this pool ran. */
  readonly hours: number;
  /** null where too little was recorded to tell. */
  readonly perThousandHours: number | null;
  /**
   * How likely it is taken compared with the mean of all pools: 1 where nothing tells them apart.
   * Few hours move it little.
   */
  readonly weight: number;
}

export const NOT_RECORDED: Interruptions = {
  interruptions: 0,
  hours: 0,
  perThousandHours: null,
  weight: 1,
};

function hoursOf({ fromMs, toMs }: ToldRun, nowMs: number): number {
  return Math.max(0, (toMs ?? nowMs) - fromMs) / HOUR_MS;
}

/** @param nowMs until when instances that still run have run */
export function interruptionsOf(
  runs: readonly ToldRun[],
  nowMs: number,
): ReadonlyMap<string, Interruptions> {
  const sum = (of: readonly ToldRun[]): { readonly taken: number; readonly hours: number } => ({
    taken: of.filter(({ wasInterrupted }) => wasInterrupted).length,
    hours: of.reduce((hours, run) => hours + hoursOf(run, nowMs), 0),
  });
  const all = sum(runs);
  const mean = all.hours > 0 ? all.taken / all.hours : 0;
  const pools = [...Map.groupBy(runs, keyOf)].map(([key, own]): [string, Interruptions] => {
    const { taken, hours } = sum(own);
    const rate = (taken + mean * PRIOR_HOURS) / (hours + PRIOR_HOURS);
    const weight = mean > 0 ? rate / mean : 1;
    return [
      key,
      {
        interruptions: taken,
        hours,
        perThousandHours: hours >= HOURS_LEAST ? (taken / hours) * 1000 : null,
        weight: Math.min(WEIGHT_MOST, Math.max(1 / WEIGHT_MOST, weight)),
      },
    ];
  });
  return new Map(pools);
}
