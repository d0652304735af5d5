/**
 * Kinds of which a recording has few rows and which are asked for of all subjects at once: verdicts
 * and ends. Both stores keep an index of them; another choice is another version of their tables.
 */
const FEW_KINDS: readonly string[] = ['verdict', 'node-deleted', 'machine-state', 'machine-gone'];

/** The term of the index, which a question repeats so that the store may use it. */
export const FEW_KINDS_TERM = `kind IN (${FEW_KINDS.map((kind) => `'${kind}'`).join(', ')})`;

/** True where the index has every row of these kinds. */
export function areFew(kinds: readonly string[]): boolean {
  return kinds.every((kind) => FEW_KINDS.includes(kind));
}
