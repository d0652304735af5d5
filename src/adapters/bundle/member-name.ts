/** The name of an archive entry, judged: usable, or why it is not. */
export type MemberName =
  | { readonly verdict: 'usable'; readonly name: string }
  | { readonly verdict: 'absolute' }
  | { readonly verdict: 'climbing' };

const UNNAMED = 'unnamed';

/**
 * Judges the raw name of a tar entry, whose only separator is `/`: systemd escapes such as
 * `dev\x2dsda` make backslashes ordinary there. `./` prefixes and doubled slashes are dropped.
 */
export function tarMemberName(raw: string): MemberName {
  if (raw.startsWith('/')) return { verdict: 'absolute' };
  return judged(raw.split('/'));
}

/** Judges the raw name of a zip entry, where some writers use backslashes and drive letters. */
export function zipMemberName(raw: string): MemberName {
  if (/^[\\/]|^[A-Za-z]:[\\/]/.test(raw)) return { verdict: 'absolute' };
  if (raw.split(/[\\/]/).includes('..')) return { verdict: 'climbing' };
  return judged(raw.split('/'));
}

function judged(parts: readonly string[]): MemberName {
  if (parts.includes('..')) return { verdict: 'climbing' };
  const name = parts.filter((part) => part !== '' && part !== '.').join('/');
  return { verdict: 'usable', name: name === '' ? UNNAMED : name };
}
