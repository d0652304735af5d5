import type { CauseEntry } from '../causes/catalogue.ts';
import { CAUSES } from '../causes/index.generated.ts';
import { rankAlike } from '../diagnosis/likeness/rank-alike.ts';
import { foldedWords } from '../evidence/folded-words.ts';
import { likenessIndex } from './resemblance.ts';

/** A cause that words may mean. */
export interface FoundCause {
  readonly entry: CauseEntry;
  /** 0 for nothing in common; the words of its id, title or evidence come near 1. */
  readonly likeness: number;
}

const LINES_MAX = 50;
const LINE_CHARS_MAX = 2000;
const FOUND_MIN = 0.1;
const FOUND_MAX = 8;

/** The share of the words that the id, the title and the former ids of a cause have. */
function namedBy({ id, title, formerly }: CauseEntry, words: ReadonlySet<string>): number {
  const own = new Set([id, title, ...formerly].flatMap(foldedWords));
  const known = [...words].filter((word) => own.has(word));
  return words.size === 0 ? 0 : known.length / words.size;
}

/** The causes that words or lines of a log are most likely about, the likeliest first. */
export async function searchCauses(text: string): Promise<readonly FoundCause[]> {
  const lines = text.split('\n', LINES_MAX).map((line) => line.slice(0, LINE_CHARS_MAX));
  const alike = new Map(
    rankAlike(await likenessIndex(), lines).map(({ cause, likeness }) => [cause, likeness]),
  );
  const words = new Set(lines.flatMap(foldedWords));
  return CAUSES.map((entry) => ({
    entry,
    likeness: Math.max(alike.get(entry.id) ?? 0, namedBy(entry, words)),
  }))
    .filter(({ likeness }) => likeness >= FOUND_MIN)
    .toSorted((a, b) => b.likeness - a.likeness || (a.entry.id < b.entry.id ? -1 : 1))
    .slice(0, FOUND_MAX);
}
