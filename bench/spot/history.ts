/**
 * `node bench/spot/history.ts [--seed N] [--days N] [--runs]`: prints a history of Spot prices as
 * `aws ec2 describe-spot-price-history` does, or with `--runs` the Spot requests of that time.
 * Prices wander around a mean of their own; now and then a family runs short in a zone, which
 * raises its price and has instances taken away, and now and then they are taken without a sign.
 */
import { parseArgs } from 'node:util';
import type { JsonObject } from '../../src/evidence/json.ts';
import { createSeeded, type Seeded } from '../seeded.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** When a history begins; nothing depends on it. */
export const BEGIN_MS = Date.parse('2026-08-01T00:00:00Z');

const ZONES = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'];
/** GiB of memory for each vCPU, by the first letter of a family. */
const RATIOS: Readonly<Record<string, number>> = { c: 2, m: 4, r: 8 };
const FAMILIES = 'c5 c5a c6i c6a c6g c7g m5 m5a m6i m6a m6g m7g r5 r6i r6g'.split(' ');
const SIZES: Readonly<Record<string, number>> = {
  large: 2,
  xlarge: 4,
  '2xlarge': 8,
  '4xlarge': 16,
};
/** About what Spot costs for a vCPU and a GiB, dollars an hour. */
const DOLLARS_PER_VCPU = 0.012;
const DOLLARS_PER_GIB = 0.0018;

export interface PoolHistory {
  readonly type: string;
  readonly zone: string;
  readonly changes: readonly { readonly atMs: number; readonly dollars: number }[];
  /** Moments at which all instances of the pool are taken away. */
  readonly takenMs: readonly number[];
}

function unit(seeded: Seeded): number {
  return (seeded.below(1_000_000) + 0.5) / 1_000_000;
}

function waitMs(seeded: Seeded, meanMs: number): number {
  return Math.round(-Math.log(unit(seeded)) * meanMs);
}

/** Between -1 and 1, near 0 more often than not. */
function around(seeded: Seeded): number {
  return (unit(seeded) + unit(seeded) + unit(seeded)) / 1.5 - 1;
}

interface Shortage {
  readonly fromMs: number;
  readonly toMs: number;
  /** By how much the price rises in the end. */
  readonly rise: number;
}

const SHORTAGE_EVERY_MS = 25 * DAY_MS;

function shortagesOf(seeded: Seeded, endMs: number): readonly Shortage[] {
  const found: Shortage[] = [];
  for (let at = BEGIN_MS + waitMs(seeded, SHORTAGE_EVERY_MS); at < endMs; ) {
    const toMs = at + DAY_MS + waitMs(seeded, 3 * DAY_MS);
    found.push({ fromMs: at, toMs, rise: 0.15 + 0.6 * unit(seeded) });
    at = toMs + waitMs(seeded, SHORTAGE_EVERY_MS);
  }
  return found;
}

function riseAt(shortages: readonly Shortage[], atMs: number): number {
  const here = shortages.find(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  if (here === undefined) return 1;
  const ramp = Math.min(1, (atMs - here.fromMs) / DAY_MS);
  return 1 + here.rise * ramp;
}

function changesOf(
  seeded: Seeded,
  base: number,
  shortages: readonly Shortage[],
  endMs: number,
): PoolHistory['changes'] {
  const changes: { atMs: number; dollars: number }[] = [];
  let logarithm = 0.1 * around(seeded);
  const drift = (0.12 * around(seeded)) / 90;
  for (let atMs = BEGIN_MS; atMs < endMs; atMs += HOUR_MS + waitMs(seeded, 9 * HOUR_MS)) {
    logarithm += -0.04 * logarithm + 0.02 * around(seeded);
    const days = (atMs - BEGIN_MS) / DAY_MS;
    const dollars = base * Math.exp(logarithm + drift * days) * riseAt(shortages, atMs);
    changes.push({ atMs, dollars: Number(dollars.toFixed(6)) });
  }
  return changes;
}

/** In a shortage a pool is taken about every day and a half, else once in two months. */
function takenOf(seeded: Seeded, shortages: readonly Shortage[], endMs: number): number[] {
  const taken: number[] = [];
  for (
    let at = BEGIN_MS + waitMs(seeded, 60 * DAY_MS);
    at < endMs;
    at += waitMs(seeded, 60 * DAY_MS)
  )
    taken.push(at);
  for (const { fromMs, toMs } of shortages) {
    const untilMs = Math.min(toMs, endMs);
    for (
      let at = fromMs + waitMs(seeded, 1.5 * DAY_MS);
      at < untilMs;
      at += waitMs(seeded, 1.5 * DAY_MS)
    )
      taken.push(at);
  }
  return taken.toSorted((a, b) => a - b);
}

/** Prices and losses of 180 pools; the same seed gives the same history. */
export function historyOf(seed: number, days: number): readonly PoolHistory[] {
  const seeded = createSeeded(seed * 7919 + 17);
  const endMs = BEGIN_MS + days * DAY_MS;
  return FAMILIES.flatMap((family) => {
    const ratio = RATIOS[family.charAt(0)] ?? 4;
    const level = (0.85 + 0.3 * unit(seeded)) * (family.endsWith('g') ? 0.88 : 1);
    return ZONES.flatMap((zone) => {
      const shortages = shortagesOf(seeded, endMs);
      const zoneLevel = 0.94 + 0.12 * unit(seeded);
      return Object.entries(SIZES).map(([size, vcpus]) => {
        const dollars = vcpus * (DOLLARS_PER_VCPU + ratio * DOLLARS_PER_GIB);
        const base = dollars * level * zoneLevel * (0.97 + 0.06 * unit(seeded));
        return {
          type: `${family}.${size}`,
          zone,
          changes: changesOf(seeded, base, shortages, endMs),
          takenMs: takenOf(seeded, shortages, endMs),
        };
      });
    });
  });
}

/** As `aws ec2 describe-spot-price-history` prints what is known until a moment. */
export function priceAnswer(pools: readonly PoolHistory[], untilMs: number): JsonObject {
  const items = pools.flatMap(({ type, zone, changes }) =>
    changes
      .filter(({ atMs }) => atMs <= untilMs)
      .map(({ atMs, dollars }) => ({
        AvailabilityZone: zone,
        AvailabilityZoneId: `euw1-az${'abc'.indexOf(zone.at(-1) ?? '') + 1}`,
        InstanceType: type,
        ProductDescription: 'Linux/UNIX',
        SpotPrice: dollars.toFixed(6),
        Timestamp: new Date(atMs).toISOString(),
      })),
  );
  return { SpotPriceHistory: items.toSorted((a, b) => (a.Timestamp < b.Timestamp ? 1 : -1)) };
}

/** As `aws ec2 describe-spot-instance-requests`: one instance in every pool, started again when taken. */
export function runAnswer(pools: readonly PoolHistory[], untilMs: number): JsonObject {
  const items = pools.flatMap(({ type, zone, takenMs }) => {
    const ends = takenMs.filter((atMs) => atMs <= untilMs);
    const starts = [BEGIN_MS, ...ends];
    return starts.map((startMs, index) => {
      const endMs = ends[index];
      return {
        CreateTime: new Date(startMs).toISOString(),
        LaunchSpecification: { InstanceType: type },
        LaunchedAvailabilityZone: zone,
        State: endMs === undefined ? 'active' : 'closed',
        Status: {
          Code: endMs === undefined ? 'fulfilled' : 'instance-terminated-no-capacity',
          UpdateTime: new Date(endMs ?? startMs).toISOString(),
        },
      };
    });
  });
  return { SpotInstanceRequests: items };
}

function main(): void {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      days: { type: 'string', default: '14' },
      runs: { type: 'boolean', default: false },
    },
  });
  const days = Number(values.days);
  const pools = historyOf(Number(values.seed), days);
  const untilMs = BEGIN_MS + days * DAY_MS;
  const answer = values.runs ? runAnswer(pools, untilMs) : priceAnswer(pools, untilMs);
  console.log(JSON.stringify(answer, null, 1));
}

if (import.meta.main) main();
