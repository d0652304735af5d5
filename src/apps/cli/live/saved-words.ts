import type { BundleContents } from './bundle.ts';

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .filter(([, count]) => count > 0)
    .toSorted(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
}

/** What a bundle holds and what was left out of it, for whoever is about to send it. */
export function savedSentences(
  path: string,
  { kinds, left }: BundleContents,
  isAnonymous = false,
): readonly string[] {
  const gone = listed(left);
  return [
    `Saved ${path}: ${listed(kinds)}.`,
    gone === '' ? 'Nothing was removed.' : `Taken out: ${gone}.`,
    isAnonymous
      ? 'Names, ids and addresses are replaced.'
      : 'It names machines, accounts and addresses; to hide them, add --anonymize.',
  ];
}
