import type { FactRecord, Hit } from '../evidence/observations.ts';
import { excerptOf } from '../evidence/redact.ts';

/**
 * A symptom that a fact shows, as if a line had said it.
 *
 * @param sinceMs since when it holds, ms since the epoch; null when the fact does not say
 */
export function seenHit(
  fact: FactRecord,
  owner: string,
  words: string,
  sinceMs: number | null = null,
): Hit {
  const quote = {
    source: 'object' as const,
    locator: fact.locator,
    excerpt: excerptOf(words),
    moment: { ...fact.moment, when: null, ...(sinceMs === null ? {} : { sinceMs }) },
    captures: {},
  };
  const place = { about: fact.about[0] ?? null, document: fact.moment.at.document };
  const once = { count: 1, first: quote, last: quote, quotes: [quote] };
  return { owner, sign: '0', object: '', onMachine: false, ...place, ...once };
}
