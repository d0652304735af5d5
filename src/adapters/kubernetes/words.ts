import { editsBetween } from '../../evidence/nearest.ts';
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
    .map((name) => ({ name, steps: editsBetween(wanted.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.steps - b.steps);
  const within = known.filter((name) => wanted !== '' && name.includes(wanted));
  const best = ranked[0];
  if (best !== undefined && best.steps <= limit) return best.name;
  return within.length === 1 ? (within[0] ?? null) : null;
}
