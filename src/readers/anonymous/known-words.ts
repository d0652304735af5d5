import type { SignRow } from '../../evidence/sign-row.ts';

const WORD = /[a-z0-9][\w.-]*/g;

/** Words, in small letters, that programs print and causes look for: no user is known by them. */
export function knownWords(rows: readonly SignRow[]): ReadonlySet<string> {
  const known = new Set<string>();
  for (const { anchors, pattern } of rows) {
    const words = `${anchors.join(' ')} ${pattern.source}`.toLowerCase().match(WORD) ?? [];
    for (const word of words) for (const one of [word, ...word.split(/[._-]/)]) known.add(one);
  }
  return known;
}
