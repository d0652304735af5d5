import { counted, grouped, percentText } from '../../domain/words.ts';
import type { Candidate, Candidates, FixedQuestion } from './candidates.ts';
import { MEASURE_WORDS, MEASURES, mainMeasure, type Measure } from './demand.ts';
import type { FixedRules } from './rules.ts';

function amount(value: number): string {
  return Number.isInteger(value) ? grouped(value) : value.toFixed(1);
}

function whyNoPool(candidates: Candidates, zones: readonly string[]): string {
  const where = zones.length === 0 ? '' : ` in ${zones.join(', ')}`;
  const reasons = Map.groupBy(candidates.leftOut.values(), (why) => why);
  const [most] = [...reasons].toSorted(([, a], [, b]) => b.length - a.length);
  if (most === undefined) return `No price of any type${where} was found.`;
  const [why, { length }] = most;
  return `No type is left${where}: ${counted(candidates.leftOut.size, 'type')} left out, ${length} of them because: ${why}.`;
}

/** A measure of which all pools together, each up to its share, do not give enough. */
function whyTooLittle(
  pools: readonly Candidate[],
  { demand, rules }: FixedQuestion,
  measure: Measure,
): string | null {
  const wanted = demand[measure];
  if (wanted === null) return null;
  const main = mainMeasure(demand);
  const share = rules.maxSharePerPool * (demand[main] ?? 0);
  const given = pools.reduce(
    (sum, { offer }) => sum + Math.floor(share / offer[main] + 1e-9) * offer[measure],
    0,
  );
  if (given >= wanted) return null;
  const least = pools.reduce((smallest, { offer }) => Math.min(smallest, offer[main]), Infinity);
  const words = MEASURE_WORDS[main];
  if (least > share)
    return `maxSharePerPool ${percentText(rules.maxSharePerPool)} allows ${amount(share)} ${words} of one pool, and the smallest node that is left has ${amount(least)}.`;
  return `The ${counted(pools.length, 'pool')} that are left give at most ${amount(given)} of the ${amount(wanted)} ${MEASURE_WORDS[measure]} with maxSharePerPool ${percentText(rules.maxSharePerPool)}.`;
}

const GROUPS: readonly {
  readonly key: 'maxSharePerZone' | 'maxSharePerFamily';
  readonly noun: string;
  readonly groupOf: (pool: Candidate) => string;
}[] = [
  { key: 'maxSharePerZone', noun: 'zone', groupOf: ({ zone }) => zone },
  { key: 'maxSharePerFamily', noun: 'family', groupOf: ({ offer }) => offer.family },
];

function whyTooFewGroups(pools: readonly Candidate[], rules: FixedRules): string | null {
  for (const { key, noun, groupOf } of GROUPS) {
    const count = new Set(pools.map(groupOf)).size;
    const allowed = rules[key] * count;
    if (allowed >= 1) continue;
    const groups =
      count === 1 ? `the only ${noun} that is left` : `${count} ${noun.replace(/y$/, 'ie')}s`;
    return `${key} ${percentText(rules[key])} with ${groups} allows ${percentText(allowed)} of what is wanted.`;
  }
  return null;
}

/**
 * Why no mix exists, in one sentence.
 *
 * @param leastCost what it costs at least without the budget, dollars an hour; null is not known
 */
export function whyImpossible(
  question: FixedQuestion,
  candidates: Candidates,
  leastCost: number | null,
): string {
  const { demand, rules } = question;
  const { pools } = candidates;
  if (pools.length === 0) return whyNoPool(candidates, demand.zones);
  if (leastCost !== null && rules.budget !== null)
    return `The budget of $${rules.budget} an hour is less than the $${leastCost.toFixed(4)} that the cheapest mix costs.`;
  const short = MEASURES.map((measure) => whyTooLittle(pools, question, measure));
  return (
    short.find((why) => why !== null) ??
    whyTooFewGroups(pools, rules) ??
    'No whole number of machines fulfills all rules together; allow larger shares or smaller nodes.'
  );
}
