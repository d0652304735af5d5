import type { LineSource } from '../../evidence/source.ts';
import { cleanLine } from '../line/clean.ts';
import { matchOf } from '../line/denial.ts';
import { unwrapLine } from '../line/envelope.ts';
import { type Likely, type Origin, originOf, type Prefix, readPrefix } from '../line/origin.ts';
import { isCommandEcho } from '../line/prompt.ts';
import { MATCH_CHARACTERS_MAX } from '../quotes.ts';
import { acceptsSource } from '../sign-table.ts';
import type { TriedRow } from './tried-row.ts';

/** A row whose expression matches a line of a program that it is about. */
export interface MatchingRow {
  readonly tried: TriedRow;
  readonly match: RegExpExecArray;
}

/** What rows make of one line. */
export interface Examined {
  /** As expressions read it. */
  readonly text: string;
  readonly prefix: Prefix;
  /** Null where no row matches: who printed such a line need not be known. */
  readonly origin: Origin | null;
  readonly matching: readonly MatchingRow[];
  /** True where a collector's wrapping spells the program's words in another way. */
  readonly isWrapped: boolean;
  readonly isCut: boolean;
}

/** Tries rows against the lines of one document. */
export class LineExaminer {
  readonly #ofDocument: Likely;
  /** Programs whose lines were seen. */
  readonly sources: Set<LineSource>;

  /** @param ofDocument what lines are that do not say so themselves */
  constructor(ofDocument: Likely) {
    this.#ofDocument = ofDocument;
    this.sources = new Set([ofDocument.source]);
  }

  /** Null for what is no line of a program: a command that somebody gave. */
  examine(raw: string, rows: readonly TriedRow[]): Examined | null {
    if (isCommandEcho(raw)) return null;
    const unwrapped = unwrapLine(raw);
    const whole = cleanLine(unwrapped);
    const isCut = whole.length > MATCH_CHARACTERS_MAX;
    const text = isCut ? whole.slice(0, MATCH_CHARACTERS_MAX) : whole;
    const prefix = readPrefix(text);
    const found = this.#matching(text, prefix, rows);
    const isWrapped = unwrapped !== raw && raw.trimStart().startsWith('{');
    const examined = { text, prefix, isWrapped, isCut };
    if (found.length === 0) return { ...examined, origin: null, matching: [] };
    const origin = originOf(text, this.#ofDocument, prefix);
    this.sources.add(origin.source);
    const matching = found.filter(({ tried }) => acceptsSource(tried.row, origin));
    return { ...examined, origin, matching };
  }

  #matching(text: string, { program }: Prefix, rows: readonly TriedRow[]): readonly MatchingRow[] {
    // Of a program seen before nothing is learnt by expressions about others: they are not tried.
    const isSeen = program !== null && this.sources.has(program);
    const matching: MatchingRow[] = [];
    for (const tried of rows) {
      if (isSeen && !acceptsSource(tried.row, { source: program, isKnown: true })) continue;
      const match = matchOf(tried.row, text);
      if (match !== null) matching.push({ tried, match });
    }
    return matching;
  }
}
