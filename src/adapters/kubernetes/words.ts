import { excerptOf } from '../../evidence/redact.ts';

const SHOWN_CHARS_MAX = 200;

/** A name from outside as it may stand in a message: one line, printable, without secrets. */
export function shown(text: string): string {
  return excerptOf(text, SHOWN_CHARS_MAX);
}

/** Whatever was thrown, in the words of its message. */
export function reasonOf(error: unknown): string {
  return shown(error instanceof Error ? error.message : String(error));
}

/** One word of a POSIX shell command. */
export function quoted(word: string): string {
  const safe = shown(word);
  return /^[\w@%+:,./=-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}

const LISTED_MAX = 8;

/** `a, b and 3 more`; `none` when there are none. */
export function listed(names: readonly string[]): string {
  const first = names.slice(0, LISTED_MAX).map(shown).join(', ');
  if (names.length === 0) return 'none';
  const more = names.length - LISTED_MAX;
  return more > 0 ? `${first} and ${more} more` : first;
}

/** The known name that a mistyped one most likely means, null when none is near. */
export function nearest(wanted: string, known: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const ranked = known
    .map((name) => ({ name, steps: distance(wanted.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.steps - b.steps);
  const within = known.filter((name) => wanted !== '' && name.includes(wanted));
  const best = ranked[0];
  if (best !== undefined && best.steps <= limit) return best.name;
  return within.length === 1 ? (within[0] ?? null) : null;
}

const COMPARED_CHARS_MAX = 100;

/** Insertions, removals and replacements from one text to the other. */
function distance(from: string, to: string): number {
  const target = to.slice(0, COMPARED_CHARS_MAX);
  let row = Array.from({ length: target.length + 1 }, (_, index) => index);
  for (let index = 0; index < Math.min(from.length, COMPARED_CHARS_MAX); index++)
    row = nextRow(row, index + 1, from.charAt(index), target);
  return row.at(-1) ?? 0;
}

function nextRow(above: readonly number[], first: number, letter: string, to: string): number[] {
  const row = [first];
  for (let column = 1; column < above.length; column++) {
    const replaced = (above[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1);
    row.push(Math.min(replaced, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
  }
  return row;
}
