import { SIGNS } from '../causes/index.generated.ts';
import type { Observations } from '../evidence/observations.ts';
import { type Anonymizer, createAnonymizer } from '../readers/anonymous/anonymizer.ts';
import { knownWords } from '../readers/anonymous/known-words.ts';

/** Hides the names, ids and addresses in what was seen. */
export function anonymizerFor(seen: readonly Observations[]): Anonymizer {
  return createAnonymizer(seen, knownWords(SIGNS));
}
