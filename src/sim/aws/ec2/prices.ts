/** Spot prices, which move slowly and no longer foretell an interruption (EC2 user guide). */
import type { JsonObject } from '../../../evidence/json.ts';
import { type Account, isoMoment } from '../account.ts';
import { type Request, textIn, textsIn } from '../operation.ts';
import { typeLimits } from './types.ts';

interface Price {
  readonly fromMs: number;
  readonly dollars: number;
}

/** A general purpose machine costs about so much an hour for each of its processors. */
const DOLLARS_PER_VCPU = 0.048;
/** Spot is somewhat under half of that at first. */
const SPOT_SHARE = 0.4;
/** On the mean a price changes so often. */
const CHANGE_MS = 5 * 3_600_000;
/** How much is told of the time before the world began. */
const PAST_MS = 7 * 24 * 3_600_000;

/** The changes of one pool up to now; each pool has a stream of its own. */
function pricesOf(account: Account, instanceType: string, zone: string): readonly Price[] {
  const key = `${instanceType} ${zone}`;
  const random = account.kernel.random(`aws/price/${key}`);
  const known = account.prices.get(key) ?? [
    firstPrice(account, instanceType, random.between(0.7, 1.3)),
  ];
  account.prices.set(key, known);
  const nowMs = account.kernel.nowMs();
  for (;;) {
    const last = known.at(-1);
    if (last === undefined) return known;
    const next =
      account.nextPriceMs.get(key) ?? last.fromMs + Math.round(random.exponential(CHANGE_MS));
    account.nextPriceMs.set(key, next);
    if (next > nowMs) return known;
    account.nextPriceMs.delete(key);
    const moved = last.dollars * random.between(0.94, 1.07);
    known.push({ fromMs: next, dollars: Math.max(0.0001, moved) });
  }
}

function firstPrice(account: Account, instanceType: string, share: number): Price {
  const vcpus = typeLimits(account, instanceType).vcpus ?? 2;
  const dollars = vcpus * DOLLARS_PER_VCPU * SPOT_SHARE * share;
  return { fromMs: account.bornMs - PAST_MS, dollars };
}

/** Changes between two moments, the last one before the first moment included. */
function between(prices: readonly Price[], fromMs: number, toMs: number): readonly Price[] {
  const before = prices.findLastIndex((one) => one.fromMs <= fromMs);
  return prices.slice(Math.max(0, before)).filter((one) => one.fromMs <= toMs);
}

function momentOf(text: string | undefined, otherwise: number): number {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? otherwise : ms;
}

/** What is sold, where nobody says. */
const TYPES = ['m5.large'];

export function priceRows({ account, input }: Request): readonly JsonObject[] {
  const nowMs = account.kernel.nowMs();
  const fromMs = momentOf(textIn(input, 'StartTime'), nowMs - PAST_MS);
  const toMs = momentOf(textIn(input, 'EndTime'), nowMs);
  const named = textsIn(input, 'InstanceTypes');
  const asked = textIn(input, 'AvailabilityZone');
  const zones = account.zones.filter(({ name }) => asked === undefined || name === asked);
  const pools = (named.length > 0 ? named : TYPES).flatMap((type) =>
    zones.map((zone) => ({ type, zone })),
  );
  return pools
    .flatMap(({ type, zone }) =>
      between(pricesOf(account, type, zone.name), fromMs, toMs).map((price) => ({
        AvailabilityZone: zone.name,
        InstanceType: type,
        ProductDescription: 'Linux/UNIX',
        SpotPrice: price.dollars.toFixed(6),
        Timestamp: isoMoment(price.fromMs),
      })),
    )
    .toSorted((a, b) => (a.Timestamp < b.Timestamp ? 1 : a.Timestamp > b.Timestamp ? -1 : 0));
}

/** What an hour of a pool costs now, dollars. */
export function currentPrice(account: Account, instanceType: string, zone: string): number {
  return pricesOf(account, instanceType, zone).at(-1)?.dollars ?? 0;
}
