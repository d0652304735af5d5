import { candidatesOf, type SpotQuestion } from './candidates.ts';
import { MEASURES } from './demand.ts';

/**
 * The types whose history is worth asking for: for each of what is wanted those that give it for
 * the least, in turn, each type once.
 */
export function shortlist(question: SpotQuestion, most: number): readonly string[] {
  const { pools } = candidatesOf(question);
  const rankings = MEASURES.filter((measure) => question.demand[measure] !== null).map((measure) =>
    pools
      .filter(({ offer }) => offer[measure] > 0)
      .toSorted((a, b) => a.planned / a.offer[measure] - b.planned / b.offer[measure])
      .map(({ type }) => type),
  );
  const found = new Set<string>();
  for (let place = 0; place < pools.length && found.size < most; place++)
    for (const ranking of rankings) {
      const type = ranking[place];
      if (type !== undefined && found.size < most) found.add(type);
    }
  return [...found];
}
