/** Edits that turn one word into the other: insertions, deletions, replacements. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The known word closest to a mistyped one, null when none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  const limit = Math.max(2, Math.floor(word.length / 4));
  const ranked = known
    .map((candidate) => ({
      candidate,
      edits: candidate.includes(word) ? 1 : distance(word, candidate),
    }))
    .filter(({ edits }) => edits <= limit)
    .toSorted((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate ?? null;
}
