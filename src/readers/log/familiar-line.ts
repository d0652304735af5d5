import type { MatchedLine } from '../scan/line-matcher.ts';
import { indexOfWord, type Span, standsAlikeAt, standsAt } from '../scan/raw-bytes.ts';
import type { TriedRow } from './tried-row.ts';

/** Names are looked for in so much of a line. */
const NAMED_BYTES_MAX = 2000;
const PLACES_MAX = 16;
/** Lines with more fixed places than that are tried one by one. */
const FIXED_MAX = 64;
const TAILS_MAX = 4;
/** Tails are no longer kept where of the last so many none came again. */
const TAILS_UNUSED_MAX = 32;
/** What tells the program of a line without a tag: stamp, level and the file that logs. */
const HEAD_BYTES = 80;
const KLOG_HEAD_BYTES_MAX = 120;
const TAG_BYTES_MAX = 200;
const TAG_END = new TextEncoder().encode(': ');
const KLOG_END = new TextEncoder().encode('] ');

interface FixedBytes {
  /** From the start of the line. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** How far the part of a line reaches that says who printed it, from the start of the line. */
export function headLength(bytes: Uint8Array, line: Span, isTagged: boolean): number {
  const { start, end } = line;
  const [mark, most] = isTagged ? [TAG_END, TAG_BYTES_MAX] : [KLOG_END, KLOG_HEAD_BYTES_MAX];
  const at = indexOfWord(bytes, { start, end: Math.min(end, start + most) }, mark);
  return at < 0 ? Math.min(end - start, HEAD_BYTES) : at + mark.length - start;
}

/** All places of a name in a line, each with the byte before and behind it. */
function placesOf(name: Uint8Array, bytes: Uint8Array, line: Span): readonly FixedBytes[] {
  const end = Math.min(line.end, line.start + NAMED_BYTES_MAX);
  const places: FixedBytes[] = [];
  let start = line.start;
  while (places.length < PLACES_MAX) {
    const at = indexOfWord(bytes, { start, end }, name);
    if (at < 0) break;
    start = at + name.length;
    const from = Math.max(line.start, at - 1);
    const to = Math.min(line.end, start + 1);
    places.push({ at: from - line.start, bytes: bytes.slice(from, to) });
  }
  return places;
}

/**
 * Lines that one program prints again and again with the same anchors. Of rows that were seen in
 * them as often as anybody asks only the last sighting matters, so that most of these lines need
 * not be read: they differ in digits where stamps are, and name the same machines and objects.
 */
export class FamiliarLine {
  readonly #head: Uint8Array;
  readonly #fixed: FixedBytes[] = [];
  #repeated: readonly TriedRow[] = [];
  #open: readonly TriedRow[];
  /** Lines of the piece at hand that nobody has read. */
  readonly unread: MatchedLine[] = [];
  /** Of these lines, some that say the same to the last byte. */
  readonly #tails: FamiliarLine[] = [];
  #tailsUnused = 0;

  /** @param open rows that any such line may still match for the first time */
  constructor(head: Uint8Array, open: readonly TriedRow[]) {
    this.#head = head;
    this.#open = open;
  }

  /** Rows of which only the last sighting matters. */
  get repeated(): readonly TriedRow[] {
    return this.#repeated;
  }

  get open(): readonly TriedRow[] {
    return this.#open;
  }

  /** True when the line is one of these. */
  fits(bytes: Uint8Array, { start, end }: Span): boolean {
    if (end - start < this.#head.length || !standsAlikeAt(bytes, start, this.#head)) return false;
    return this.#fixed.every((fixed) => standsAt(bytes, start + fixed.at, fixed.bytes));
  }

  /** Has every line of this kind name what this one names; false where that cannot be seen. */
  fix(name: string, bytes: Uint8Array, line: Span): boolean {
    if (this.#fixed.length > FIXED_MAX) return false;
    const encoded = new TextEncoder().encode(name);
    const places = encoded.length < 2 ? [] : placesOf(encoded, bytes, line);
    const isNew = (place: FixedBytes): boolean =>
      this.#fixed.every(
        ({ at, bytes: known }) => at !== place.at || known.length < place.bytes.length,
      );
    this.#fixed.push(...places.filter(isNew));
    return places.length > 0;
  }

  /** Those of these lines that say the same as this one behind their head; null where none is known. */
  sameTail(bytes: Uint8Array, line: Span): FamiliarLine | null {
    const start = line.start + this.#head.length;
    const same = this.#tails.find((tail) => {
      const [rest] = tail.#fixed;
      const length = line.end - start;
      return rest?.bytes.length === length && standsAt(bytes, start, rest.bytes);
    });
    if (same !== undefined) this.#tailsUnused = 0;
    return same ?? null;
  }

  /** Keeps the tail of a line of which every row that matches it is repeated. */
  keepTail(bytes: Uint8Array, line: Span, repeated: readonly TriedRow[]): void {
    if (++this.#tailsUnused > TAILS_UNUSED_MAX) return;
    const at = this.#head.length;
    const tail = new FamiliarLine(this.#head, []);
    tail.#fixed.push({ at, bytes: bytes.slice(line.start + at, line.end) });
    tail.#repeated = repeated;
    if (this.#tails.length === TAILS_MAX) this.#tails.pop();
    this.#tails.unshift(tail);
  }

  repeats(tried: TriedRow): void {
    this.#open = this.#open.filter((one) => one !== tried);
    this.#repeated = [...this.#repeated, tried];
  }
}
