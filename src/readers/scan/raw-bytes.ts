/** Places in the bytes of a log, from the first up to and without the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the word begins, -1 when it is not there; it has at least two bytes. */
export function indexOfWord(bytes: Uint8Array, { start, end }: Span, word: Uint8Array): number {
  const first = word[0];
  const second = word[1];
  const last = end - word.length;
  for (let at = start; at <= last; at++) {
    if (bytes[at] !== first || bytes[at + 1] !== second) continue;
    let same = 2;
    while (same < word.length && bytes[at + same] === word[same]) same++;
    if (same === word.length) return at;
  }
  return -1;
}

/** True when the bytes from `at` on are these. */
export function standsAt(bytes: Uint8Array, at: number, these: Uint8Array): boolean {
  for (let rank = 0; rank < these.length; rank++) {
    if (bytes[at + rank] !== these[rank]) return false;
  }
  return true;
}

/** As `standsAt`, but any hexadecimal digit stands for any other: stamps and ids differ. */
export function standsAlikeAt(bytes: Uint8Array, at: number, these: Uint8Array): boolean {
  for (let rank = 0; rank < these.length; rank++) {
    const one = bytes[at + rank]!;
    const other = these[rank]!;
    if (one !== other && !(isHexDigit(one) && isHexDigit(other))) return false;
  }
  return true;
}

function isHexDigit(byte: number): boolean {
  return (byte - 48) >>> 0 < 10 || (byte - 97) >>> 0 < 6;
}
