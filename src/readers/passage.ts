import type { LineSource } from '../evidence/source.ts';
import type { Collector } from './collector.ts';
import type { ReadLine } from './quotes.ts';
import { cleanLine } from './line/clean.ts';
import { unwrapLine } from './line/envelope.ts';
import { type Likely, originOf } from './line/origin.ts';
import { reporterOf } from './line/reporter.ts';
import { parseWhen } from './line/timestamps.ts';
import { createLineScanner } from './scan/anchor-scanner.ts';
import { rowsOf, type SignTable } from './sign-table.ts';

export interface TextReading {
  readonly collector: Collector;
  readonly table: SignTable;
  readonly document: number;
  /** What lines are that do not say so themselves, where their collector knows. */
  readonly likely?: LineSource;
  /** True inside the log of a machine, in which nothing speaks for another one. */
  readonly isOfMachine?: boolean;
}

/** What the readers of structured passages need to write facts and lines. */
export interface PassageReading {
  readonly collector: Collector;
  readonly document: number;
  /** Adds a line made from an object, such as `Node x condition Ready=False …`. */
  say(line: Omit<ReadLine, 'lineEnd'>): void;
}

/** A passage reading whose lines wait until they are matched together. */
export interface OpenPassage {
  readonly passage: PassageReading;
  readonly said: ReadLine[];
  /** Gives the waiting lines to the expressions. */
  flush(): void;
}

export function openPassage(reading: TextReading): OpenPassage {
  const said: ReadLine[] = [];
  const passage: PassageReading = {
    collector: reading.collector,
    document: reading.document,
    say: (line) => said.push({ ...line, text: cleanLine(line.text), lineEnd: line.line }),
  };
  return { passage, said, flush: () => matchLines(reading, said.splice(0)) };
}

interface TextPart {
  readonly line: number;
  readonly lineEnd?: number;
  readonly text: string;
}

/** One log line with what its prefix says. */
export function logLine(passage: PassageReading, part: TextPart, likely: Likely): ReadLine {
  const text = cleanLine(unwrapLine(part.text));
  const origin = originOf(text, likely);
  passage.collector.sawSource(passage.document, origin.source);
  return {
    text,
    source: origin.source,
    isKnown: origin.isKnown,
    line: part.line,
    lineEnd: part.lineEnd ?? part.line,
    when: parseWhen(text),
    host: origin.host,
    about: origin.source === 'event' ? reporterOf(text) : null,
    isState: false,
  };
}

/** Gives every line to the expressions whose anchor it contains, through the same scanner as logs. */
function matchLines(reading: TextReading, said: readonly ReadLine[]): void {
  // Joined passages come last, so that what one of their lines says alone counts as that line's.
  const ordered = [
    ...said.filter((line) => line.lineEnd === line.line),
    ...said.filter((line) => line.lineEnd !== line.line),
  ];
  for (const line of ordered) reading.collector.sawLine(reading.document, line);
  const encoder = new TextEncoder();
  const scanner = createLineScanner(reading.table.anchorSet, (hit) => {
    const line = ordered[hit.lineNumber - 1];
    if (line !== undefined)
      reading.collector.tryRows(reading.document, line, rowsOf(reading.table, hit.anchors));
  });
  for (const line of ordered) scanner.push(encoder.encode(`${line.text.replaceAll('\n', ' ')}\n`));
  scanner.end();
}
