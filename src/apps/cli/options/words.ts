import { existsSync } from 'node:fs';

/** A path contains a slash, exists, or is `-`; anything else names a machine. */
export function isPath(word: string): boolean {
  return word === '-' || word.includes('/') || existsSync(word);
}

/** The words of a command that takes machines and paths. */
export function pathsAndNames(words: readonly string[]): {
  readonly paths: readonly string[];
  readonly names: readonly string[];
} {
  return { paths: words.filter(isPath), names: words.filter((word) => !isPath(word)) };
}
