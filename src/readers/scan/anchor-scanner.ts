import { escapedForms } from './escaped-forms.ts';
import { buildGramIndex } from './gram-index.ts';
import type { MatchedLine, MatchTable, Text } from './line-matcher.ts';
import { LineMatcher } from './line-matcher.ts';

/**
 * The part of a line that is kept and searched, in bytes: 64 KiB. An anchor that ends further on in
 * its line is not found. Log lines are at most 16 KiB (containerd) or 48 KiB (journald) long.
 */
export const LINE_BYTES_MAX = 64 * 1024;

/** Bytes of an anchor's UTF-8 form below which it is refused: too many lines would hit. */
export const ANCHOR_BYTES_MIN = 4;

const WINDOW_BYTES = 4 * LINE_BYTES_MAX;
const SPARE_MATCHERS_MAX = 4;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const UTF8 = new TextDecoder();

/** Anchors made ready for scanning. One set may serve any number of scanners. */
export interface AnchorSet extends MatchTable {
  readonly anchors: readonly string[];
  /** Matchers of scanners that have ended: a bundle has thousands of small logs. */
  readonly spareMatchers: LineMatcher[];
}

/** A line that contains at least one anchor. */
export interface HitLine {
  /** From 1. */
  readonly lineNumber: number;
  /** From the start of the input to the start of the line, in bytes. */
  readonly byteOffset: number;
  /**
   * The line without its line end, of at most `LINE_BYTES_MAX` bytes. Bytes that are not UTF-8 are
   * U+FFFD; a byte order mark at the start is dropped.
   */
  readonly text: string;
  /** True when the line is longer than `LINE_BYTES_MAX` and `text` is its beginning. */
  readonly cut: boolean;
  /** Indexes of all distinct anchors in the line, ascending. */
  readonly anchors: readonly number[];
}

/** The lines with an anchor in one piece of a log; all of it is lost when the call with it returns. */
export interface FoundLines {
  /** What the places of a line mean. */
  readonly bytes: Uint8Array;
  /** Bytes of the log before those. */
  readonly byteOffset: number;
  /** In the order of the log; `owners` are indexes of anchors. */
  readonly lines: readonly MatchedLine[];
  /** As in `HitLine`. */
  text(line: MatchedLine): string;
  /** From 1; cheapest in ascending order. */
  lineNumber(line: MatchedLine): number;
}

/** Reads a log of any length in bounded memory. Lines end in LF or CRLF. */
export interface LineScanner {
  /**
   * Takes the next bytes, any number of them; they are copied. Hits are reported in the order of
   * their lines, at the latest by `end`: up to 256 KiB wait for more.
   */
  push(chunk: Uint8Array): void;
  /** Reports the rest, an unterminated last line included. Nothing may be pushed afterwards. */
  end(): void;
  /** Lines so far; after `end` all of them, an unterminated last line included. */
  readonly lines: number;
  /** Bytes pushed so far. */
  readonly bytes: number;
}

/** Encodes all literals in one call: this runs at every start. */
function encodeAll(literals: readonly string[]): readonly Uint8Array[] {
  const bytes = new TextEncoder().encode(literals.join('\n'));
  let start = 0;
  return literals.map((literal) => {
    const newline = bytes.indexOf(NEWLINE, start);
    const encoded = bytes.subarray(start, newline < 0 ? bytes.length : newline);
    start += encoded.length + 1;
    if (encoded.length < ANCHOR_BYTES_MIN) throw unusable(literal);
    return encoded;
  });
}

function unusable(anchor: string): RangeError {
  const why = `it needs at least ${ANCHOR_BYTES_MIN} bytes and no line end`;
  return new RangeError(`Anchor ${JSON.stringify(anchor)} cannot be scanned for: ${why}.`);
}

/**
 * Makes `anchors` ready: literal strings, case-sensitive, of at least `ANCHOR_BYTES_MIN` bytes. An
 * anchor is also found in its escaped forms (see `escapedForms`), under the same index.
 * Best are anchors of 11 bytes or more; one of 4 slows the whole set down by a third.
 * @throws RangeError for an anchor that is too short or contains a line end
 */
export function compileAnchors(anchors: readonly string[]): AnchorSet {
  const literals: string[] = [];
  const owners: number[] = [];
  for (const [owner, anchor] of anchors.entries()) {
    if (/[\r\n]/.test(anchor)) throw unusable(anchor);
    for (const form of escapedForms(anchor)) {
      literals.push(form);
      owners.push(owner);
    }
  }
  const index = buildGramIndex(encodeAll(literals));
  return { anchors, index, owners: Int32Array.from(owners), spareMatchers: [] };
}

function takeMatcher(set: AnchorSet): LineMatcher {
  const limits = { textBytes: WINDOW_BYTES, lineBytes: LINE_BYTES_MAX };
  return set.spareMatchers.pop() ?? new LineMatcher(set, limits);
}

function giveBackMatcher(set: AnchorSet, matcher: LineMatcher): void {
  matcher.text.filled = 0;
  if (set.spareMatchers.length < SPARE_MATCHERS_MAX) set.spareMatchers.push(matcher);
}

/**
 * The window holds the text that was not yet searched, from the start of a line on. When it is full
 * its whole lines are searched and the rest moves to its start. If that rest is longer than a line
 * may be, its beginning is searched and the line's other bytes are passed over as they come.
 */
class WindowScanner implements LineScanner {
  readonly #set: AnchorSet;
  readonly #onLines: (found: FoundLines) => void;
  readonly #matcher: LineMatcher;
  /** The window. It serves another scanner after the end. */
  readonly #text: Text;
  /** Bytes of input before the window. */
  #windowOffset = 0;
  /** Newlines of input before the window. */
  #newlines = 0;
  #unterminatedLines = 0;
  #passingOver = false;
  #ended = false;

  constructor(set: AnchorSet, onLines: (found: FoundLines) => void) {
    this.#set = set;
    this.#onLines = onLines;
    this.#matcher = takeMatcher(set);
    this.#text = this.#matcher.text;
  }

  get lines(): number {
    return this.#newlines + this.#unterminatedLines;
  }

  get bytes(): number {
    return this.#ended ? this.#windowOffset : this.#windowOffset + this.#text.filled;
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) throw new Error('The line scanner was given more text after its end.');
    let taken = 0;
    while (taken < chunk.length) {
      taken += this.#passingOver ? this.#passOver(chunk, taken) : this.#fill(chunk, taken);
    }
  }

  end(): void {
    if (this.#ended) return;
    this.#searchLines();
    const { filled } = this.#text;
    if (this.#passingOver || filled > 0) this.#unterminatedLines = 1;
    if (filled > 0) this.#report(filled);
    this.#windowOffset += filled;
    this.#ended = true;
    giveBackMatcher(this.#set, this.#matcher);
  }

  #fill(chunk: Uint8Array, from: number): number {
    const { bytes, filled } = this.#text;
    const count = Math.min(chunk.length - from, WINDOW_BYTES - filled);
    bytes.set(chunk.subarray(from, from + count), filled);
    this.#text.filled += count;
    if (this.#text.filled === WINDOW_BYTES) this.#searchLines();
    return count;
  }

  #searchLines(): void {
    const { bytes, filled } = this.#text;
    if (filled === 0) return;
    const wholeLines = bytes.lastIndexOf(NEWLINE, filled - 1) + 1;
    if (wholeLines > 0) {
      this.#report(wholeLines);
      this.#drop(wholeLines);
    }
    if (this.#text.filled > LINE_BYTES_MAX) this.#startPassingOver();
  }

  #startPassingOver(): void {
    this.#report(LINE_BYTES_MAX);
    this.#drop(this.#text.filled);
    this.#passingOver = true;
  }

  #passOver(chunk: Uint8Array, from: number): number {
    const newline = chunk.indexOf(NEWLINE, from);
    const count = (newline < 0 ? chunk.length : newline + 1) - from;
    this.#windowOffset += count;
    if (newline < 0) return count;
    this.#newlines++;
    this.#passingOver = false;
    return count;
  }

  #drop(count: number): void {
    this.#text.bytes.copyWithin(0, count, this.#text.filled);
    this.#text.filled -= count;
    this.#windowOffset += count;
  }

  #report(limit: number): void {
    const { lines, newlines } = this.#matcher.search(limit);
    if (lines.length > 0) this.#onLines(this.#found(lines));
    this.#newlines += newlines;
  }

  #found(lines: readonly MatchedLine[]): FoundLines {
    return {
      bytes: this.#text.bytes,
      byteOffset: this.#windowOffset,
      lines,
      text: (line) =>
        isCut(line) ? this.#decodeCut(line.start) : this.#decode(line.start, line.end),
      lineNumber: (line) => this.#newlines + this.#matcher.newlinesBefore(line.start) + 1,
    };
  }

  #decode(start: number, end: number): string {
    const { bytes } = this.#text;
    const textEnd = bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
    return UTF8.decode(bytes.subarray(start, textEnd));
  }

  /** A character that the cut goes through is left out: its decoder waits for the rest of it. */
  #decodeCut(start: number): string {
    const kept = this.#text.bytes.subarray(start, start + LINE_BYTES_MAX);
    return new TextDecoder().decode(kept, { stream: true });
  }
}

function isCut({ start, end }: MatchedLine): boolean {
  return end - start > LINE_BYTES_MAX;
}

function hitLine(found: FoundLines, line: MatchedLine): HitLine {
  return {
    lineNumber: found.lineNumber(line),
    byteOffset: found.byteOffset + line.start,
    text: found.text(line),
    cut: isCut(line),
    anchors: line.owners.toSorted((one, other) => one - other),
  };
}

/** Makes a scanner that calls `onLines` with the lines with an anchor of `set`, piece by piece. */
export function createFoundLinesScanner(
  set: AnchorSet,
  onLines: (found: FoundLines) => void,
): LineScanner {
  return new WindowScanner(set, onLines);
}

/** Makes a scanner that calls `onHit` for each line with an anchor of `set`, in order. */
export function createLineScanner(set: AnchorSet, onHit: (line: HitLine) => void): LineScanner {
  return new WindowScanner(set, (found) => {
    for (const line of found.lines) onHit(hitLine(found, line));
  });
}
