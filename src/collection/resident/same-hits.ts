import type { Hit } from '../../evidence/observations.ts';
import { type Quote, QUOTES_MAX } from '../../evidence/sighting.ts';
import { COUNTED_MAX } from '../../readers/sightings.ts';

function keyOf({ owner, sign, about, object }: Hit): string {
  return [owner, sign, about?.value ?? '', object].join('\u0000');
}

/** Events stand in the order of their names; every other list is read as one state. */
function isEarlier(one: Quote, than: Quote): boolean {
  const [early, late] = [one.moment.when, than.moment.when];
  if (one.source !== 'event' || early === null || late === null) return false;
  return early.clock === late.clock && early.yearless === late.yearless && early.ms < late.ms;
}

function merged(known: Hit, later: Hit): Hit {
  return {
    ...known,
    count: Math.min(COUNTED_MAX, known.count + later.count),
    first: isEarlier(later.first, known.first) ? later.first : known.first,
    last: isEarlier(later.last, known.last) ? known.last : later.last,
    quotes: [...known.quotes, ...later.quotes].slice(0, QUOTES_MAX),
  };
}

/** Hits of one list, object by object, as the reader of the whole list counts them. */
export function sameHits(hits: readonly Hit[]): readonly Hit[] {
  const byKey = new Map<string, Hit>();
  for (const hit of hits) {
    const key = keyOf(hit);
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? hit : merged(known, hit));
  }
  return byKey.size === hits.length ? hits : [...byKey.values()];
}
