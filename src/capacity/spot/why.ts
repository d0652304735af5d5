import { counted } from '../../domain/words.ts';
import type { Candidate, SpotQuestion } from './candidates.ts';
import { MEASURE_WORD, MEASURE_WORDS, type Measure } from './demand.ts';
import type { MixAnswer, Take } from './mix.ts';

/** Whether a type is in the mix, and why. */
export interface TypeRow {
  readonly type: string;
  readonly isIn: boolean;
  /** Not in, and at most a tenth dearer than what is: a group may fall back on it. */
  readonly isReserve: boolean;
  readonly why: string;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(4)}`;
}

/** What one unit of the measure costs in a pool now. */
function unitPrice({ dollars: price, offer }: Candidate, measure: Measure): number {
  return price / offer[measure];
}

function whyIn(takes: readonly Take[], measure: Measure): string {
  const places = takes.map(({ pool, nodes }) => `${counted(nodes, 'node')} in ${pool.zone}`);
  const prices = takes.map(({ pool }) => unitPrice(pool, measure));
  const [least, most] = [Math.min(...prices), Math.max(...prices)].map(dollars);
  const range = least === most ? least : `${least} to ${most}`;
  return `${places.join(', ')}; ${range} per ${MEASURE_WORD[measure]} and hour`;
}

interface Near {
  readonly pool: Candidate;
  /** What one machine was worth to the mix, dollars an hour. */
  readonly worth: number;
}

/** The pool that would come in first. */
function nearest(pools: readonly Near[]): Near | null {
  return pools.reduce<Near | null>(
    (best, one) =>
      best === null || one.worth / one.pool.planned > best.worth / best.pool.planned ? one : best,
    null,
  );
}

/** Closer than this, the difference is smaller than what whole machines leave over. */
const CLOSE = 0.005;
/** What is at most so much too dear may serve where the mix cannot be had. */
const RESERVE = 0.1;

/** By how much of its price the nearest pool of a type is too dear. */
function excessOf(near: Near): number {
  return 1 - near.worth / near.pool.planned;
}

function whyOut(near: Near, mostAmount: number, measure: Measure): string {
  const { pool, worth } = near;
  const amount = pool.offer[measure];
  if (amount > mostAmount + 1e-9)
    return `one node has ${amount} ${MEASURE_WORDS[measure]}, more than maxSharePerPool allows of one pool`;
  const where = `${dollars(pool.dollars)} in ${pool.zone}`;
  if (excessOf(near) < CLOSE) return `${where} is as good as what is chosen, and not needed`;
  if (worth <= 0) return `${where}: what it has is not needed`;
  return `${where} is too dear: at about ${dollars((pool.dollars * worth) / pool.planned)} it would come in`;
}

function outRow(
  [type, pools]: readonly [string, readonly Near[]],
  mostAmount: number,
  { mix, measure }: MixAnswer,
): TypeRow {
  const near = nearest(pools);
  if (near === null || mix === null)
    return { type, isIn: false, isReserve: false, why: 'no mix is possible' };
  const isSmall = near.pool.offer[measure] <= mostAmount + 1e-9;
  return {
    type,
    isIn: false,
    isReserve: isSmall && excessOf(near) < RESERVE,
    why: whyOut(near, mostAmount, measure),
  };
}

/** One line for every type that was looked at: those of the mix first, then by how near they are. */
export function whyTypes(answer: MixAnswer, { demand, rules }: SpotQuestion): readonly TypeRow[] {
  const { candidates, mix, measure, worth } = answer;
  const mostAmount = rules.maxSharePerPool * (demand[measure] ?? 0);
  const taken = Map.groupBy(mix?.takes ?? [], ({ pool }) => pool.type);
  const near = Map.groupBy(
    candidates.pools.map((pool, index) => ({ pool, worth: worth[index] ?? 0 })),
    ({ pool }) => pool.type,
  );
  const ins = [...taken].map(([type, takes]) => ({
    type,
    isIn: true,
    isReserve: false,
    why: whyIn(takes, measure),
  }));
  const outs = [...near]
    .filter(([type]) => !taken.has(type))
    .toSorted(([, a], [, b]) => rank(b) - rank(a))
    .map((one) => outRow(one, mostAmount, answer));
  const left = [...candidates.leftOut]
    .map(([type, why]) => ({ type, isIn: false, isReserve: false, why }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return [...ins, ...outs, ...left];
}

function rank(pools: readonly Near[]): number {
  const near = nearest(pools);
  return near === null ? 0 : near.worth / near.pool.planned;
}
