import { foldedWords } from '../../evidence/folded-words.ts';

/** Bits of a feature's number: 24 are four characters in the index, and seldom meet by chance. */
const MASK = 0xff_ff_ff;

/** A number for a text, the same everywhere (FNV-1a). */
function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return (hash ^ (hash >>> 24)) & MASK;
}

/** What a line is compared by: its words and its pairs of neighboring words, each once. */
export function featuresOf(text: string): readonly number[] {
  const words = foldedWords(text);
  const pairs = words.slice(1).map((word, index) => `${words[index] ?? ''} ${word}`);
  return [...new Set([...words, ...pairs].map(numberOf))];
}
