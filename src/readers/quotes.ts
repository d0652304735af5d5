import type { MachineName } from '../evidence/names.ts';
import {
  excerptAround,
  excerptOfClean,
  excerptWithin,
  printable,
  redact,
} from '../evidence/redact.ts';
import type { Captures, Quote } from '../evidence/sighting.ts';
import type { LineSource } from '../evidence/source.ts';
import type { When } from '../evidence/time.ts';

/** Expressions see this much of a line, which bounds what any of them can cost. */
export const MATCH_CHARACTERS_MAX = 16_384;
const CAPTURE_CHARACTERS_MAX = 300;
/** What is kept of a line until it is shown: more than is shown, for secrets across the cut. */
const KEPT_CHARACTERS_MAX = 1200;
/** Of the words that matched: more than an excerpt shows. */
const KEPT_WORDS_MAX = 400;

/** A line, event, condition or answer in the form in which expressions read it. */
export interface ReadLine {
  /** Cleaned text. */
  readonly text: string;
  readonly source: LineSource;
  /** False where its words alone tell the source. */
  readonly isKnown?: boolean;
  readonly line: number;
  /** Last line of the passage when several lines were joined. */
  readonly lineEnd: number;
  readonly when: When | null;
  readonly host: string | null;
  /** The machine that the surrounding object names. */
  readonly about: MachineName | null;
  readonly isState: boolean;
  /** Since when the state holds that the line tells, ms since the epoch; null when not told. */
  readonly sinceMs?: number | null;
}

/** A line that hit, kept as it was read: it is made fit to be shown only if it is shown. */
export interface RawQuote {
  readonly line: ReadLine;
  readonly captures: Captures;
  /** The words for which the line is quoted. */
  readonly words: string;
  /** What may be shown of a line whose words lie beyond what is kept of it; captures are too. */
  readonly excerpt: string | null;
}

function isKept(match: RegExpExecArray): boolean {
  return match.index + match[0].length <= KEPT_CHARACTERS_MAX;
}

/** What an expression took from a line, under the names of its groups. */
export function capturesOf(match: RegExpExecArray, text: string): Captures {
  const captures: Record<string, string> = {};
  const groups: Readonly<Record<string, string | undefined>> = match.groups ?? {};
  // What is not kept of the line cannot be asked later whether a capture is part of a secret.
  const shown = isKept(match) ? null : redact(printable(text));
  for (const [name, value] of Object.entries(groups)) {
    if (value === undefined) continue;
    const capture = value.slice(0, CAPTURE_CHARACTERS_MAX);
    // One expression may name alternatives `node`, `node2`: they are one capture.
    captures[name.replace(/(?<!\d)\d+$/, '')] =
      shown === null ? capture : excerptWithin(capture, shown);
  }
  return captures;
}

/** Keeps of a line that hit what will be shown of it. */
export function rawQuote(line: ReadLine, match: RegExpExecArray, captures: Captures): RawQuote {
  const isWhole = line.text.length <= KEPT_CHARACTERS_MAX;
  const words = isWhole ? match[0] : copyOf(match[0].slice(-KEPT_WORDS_MAX));
  const excerpt = isWhole || isKept(match) ? null : excerptAround(line.text, words);
  return { line: kept(line), captures, words, excerpt };
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** The same text by itself: a slice would keep the whole line in memory. */
function copyOf(slice: string): string {
  // Half of a character is lost in UTF-8.
  return slice.isWellFormed() ? DECODER.decode(ENCODER.encode(slice)) : Array.from(slice).join('');
}

/** The line without its tail. */
function kept(line: ReadLine): ReadLine {
  if (line.text.length <= KEPT_CHARACTERS_MAX) return line;
  return { ...line, text: copyOf(line.text.slice(0, KEPT_CHARACTERS_MAX)) };
}

/** A line as it may be shown. */
export function quoteOf(raw: RawQuote, document: number, locator: string): Quote {
  const { line, captures } = raw;
  const { sinceMs = null } = line;
  const whole = redact(printable(line.text));
  const shown = Object.entries(captures).map(
    ([name, value]) => [name, excerptWithin(value, whole)] as const,
  );
  return {
    source: line.source,
    locator,
    excerpt: raw.excerpt ?? excerptOfClean(whole, raw.words),
    moment: {
      when: line.when,
      at: { document, line: line.line },
      isState: line.isState,
      ...(sinceMs === null ? {} : { sinceMs }),
    },
    captures: raw.excerpt === null ? Object.fromEntries(shown) : captures,
  };
}
