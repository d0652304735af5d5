const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const SHOWN_CHARS_MAX = 1024;

/**
 * Text from outside, safe to print: control characters (terminal escapes), format characters
 * (bidirectional marks, zero widths), line separators and broken surrogates become U+FFFD, and what
 * is longer than 1024 characters loses its middle.
 */
export function shown(text: string): string {
  const half = SHOWN_CHARS_MAX / 2;
  const cut =
    text.length > SHOWN_CHARS_MAX ? `${text.slice(0, half - 1)}…${text.slice(-half)}` : text;
  return cut.replace(UNSAFE, '\uFFFD');
}

/** A path as one word of a POSIX shell command. */
export function quoted(path: string): string {
  const safe = shown(path);
  return /^[\w@%+:,./][\w@%+:,./-]*$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}

/** `1 symbolic link`, `3 symbolic links`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `812 bytes`, `1.5 MiB`. */
export function sized(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte', 'bytes');
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  const value = bytes / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power - 1]}`;
}

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its path is too long',
  EMFILE: 'this program has too many files open',
  EIO: 'the disk reports an input/output error',
  ENXIO: 'nothing is connected to it',
};

/** Why the operating system refused, in words; the code itself when it is a rare one. */
export function systemReason(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === 'string') return SYSTEM_REASONS[code] ?? code;
  return shown(String(message ?? error));
}
