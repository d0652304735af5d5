const COMPARED_CHARS_MAX = 100;

function nextRow(above: readonly number[], first: number, letter: string, to: string): number[] {
  const row = [first];
  for (let column = 1; column < above.length; column++) {
    const replaced = (above[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1);
    row.push(Math.min(replaced, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
  }
  return row;
}

/** Insertions, removals and replacements from one word to the other, by their first 100 letters. */
export function editsBetween(from: string, to: string): number {
  const target = to.slice(0, COMPARED_CHARS_MAX);
  let row = Array.from({ length: target.length + 1 }, (_, index) => index);
  for (let index = 0; index < Math.min(from.length, COMPARED_CHARS_MAX); index++)
    row = nextRow(row, index + 1, from.charAt(index), target);
  return row.at(-1) ?? 0;
}

/** The known word closest to a mistyped one, null when none is within `limit` edits. */
export function nearest(
  word: string,
  known: readonly string[],
  limit = Math.max(2, Math.floor(word.length / 4)),
): string | null {
  const ranked = known
    .map((candidate) => ({
      candidate,
      edits: candidate.includes(word) ? 1 : editsBetween(word, candidate),
    }))
    .filter(({ edits }) => edits <= limit)
    .toSorted((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate ?? null;
}
