import type { Injection } from '../faults/contract.ts';
import { CHAOS_SHARE } from '../swarm/swarm.ts';

/** One run as it can be asked for again: the seed draws the rest. */
export interface RunCase {
  readonly seed: number;
  readonly nodes: number;
  readonly hours: number;
  readonly injections: readonly Injection[];
}

/** @returns true when the case still fails in the same way */
export type StillFails = (candidate: RunCase) => Promise<boolean>;

export interface Shrunk {
  readonly smallest: RunCase;
  /** How many cases were run for it. */
  readonly tried: number;
}

const HOUR_MS = 3_600_000;
/** Of a failing moment, so that what happens right then still happens. */
const MARGIN_HOURS = 0.02;
const HOURS_LEAST = 0.05;

/**
 * Makes a failing case small: fewer faults first, then fewer machines, then less time, and faults
 * again, as long as it fails in the same way.
 *
 * @param triesMax cases that may be run at most
 */
export async function shrink(
  failing: RunCase,
  stillFails: StillFails,
  triesMax = 60,
): Promise<Shrunk> {
  let tried = 0;
  const check: StillFails = async (candidate) => {
    if (tried >= triesMax) return false;
    tried++;
    return stillFails(candidate);
  };
  const rounds = [fewerFaults, fewerNodes, shorter, fewerFaults];
  let smallest = failing;
  for (const round of rounds) smallest = await round(smallest, check);
  return { smallest, tried };
}

/** Leaves out parts of the list, halves first and single ones last. */
async function fewerFaults(from: RunCase, check: StillFails): Promise<RunCase> {
  let best = from;
  for (let size = Math.ceil(best.injections.length / 2); size >= 1; size = Math.floor(size / 2))
    best = await withoutParts(best, size, check);
  return best;
}

async function withoutParts(from: RunCase, size: number, check: StillFails): Promise<RunCase> {
  let best = from;
  let start = 0;
  while (start < best.injections.length) {
    const injections = best.injections.toSpliced(start, size);
    const candidate = { ...best, injections };
    if (await check(candidate)) best = candidate;
    else start += size;
  }
  return best;
}

async function fewerNodes(from: RunCase, check: StillFails): Promise<RunCase> {
  for (const nodes of smallerCounts(from.nodes)) {
    const candidate = { ...from, nodes };
    if (await check(candidate)) return candidate;
  }
  return from;
}

/** 1, 2, 3, 5, 8 …: the smallest that fails is the first that is found. */
function smallerCounts(nodes: number): readonly number[] {
  const counts: number[] = [];
  for (let [one, next] = [1, 2]; one < nodes; [one, next] = [next, one + next]) counts.push(one);
  return counts;
}

/** The shortest time in which every fault that is left still happens, rounded up. */
function leastHours({ injections }: RunCase): number {
  const lastMs = Math.max(0, ...injections.map(({ atMs }) => atMs));
  const hours = lastMs / HOUR_MS / CHAOS_SHARE + MARGIN_HOURS;
  return Math.max(HOURS_LEAST, Math.ceil(hours * 1000) / 1000);
}

/** As short as the faults that are left allow, or else half as long again and again. */
async function shorter(from: RunCase, check: StillFails): Promise<RunCase> {
  const least = leastHours(from);
  const shortest = { ...from, hours: least };
  if (least < from.hours && (await check(shortest))) return shortest;
  let best = from;
  for (;;) {
    const hours = Math.round((best.hours / 2) * 1000) / 1000;
    if (hours <= least) return best;
    const candidate = { ...best, hours };
    if (!(await check(candidate))) return best;
    best = candidate;
  }
}
