import type { LineSource } from '../../evidence/source.ts';
import { readAnswer } from '../answers.ts';
import type { Collector, ReadLine } from '../collector.ts';
import { readDescribe } from '../kube/describe.ts';
import { readTable } from '../kube/table.ts';
import { cleanLine } from '../line/clean.ts';
import { documentSource, originOf } from '../line/origin.ts';
import { unwrapLine } from '../line/envelope.ts';
import { parseWhen } from '../line/timestamps.ts';
import { journalExportLines } from '../line/journal-export.ts';
import { createLineScanner } from '../scan/anchor-scanner.ts';
import { rowsOf, type SignTable } from '../sign-table.ts';
import { type Segment, segments } from './segments.ts';
import { parseJson, parseYamlDocuments } from './parse.ts';

export interface TextReading {
  readonly collector: Collector;
  readonly table: SignTable;
  readonly document: number;
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

/** Reads a text document passage by passage: logs, tables, describe output, JSON and YAML mixed. */
export function readStructuredText(reading: TextReading, text: string): void {
  const { collector, document } = reading;
  const lines = journalExportLines(text) ?? text.split(/\r?\n/);
  collector.countLines(document, lines.length);
  const source = documentSource(lines.slice(0, 400));
  collector.sawSource(document, source);
  const { passage, said, flush } = openPassage(reading);
  for (const segment of segments(lines)) readSegment(passage, said, segment, source);
  flush();
}

function readSegment(
  passage: PassageReading,
  said: ReadLine[],
  segment: Segment,
  source: LineSource,
): void {
  switch (segment.kind) {
    case 'line':
    case 'joined':
      said.push(logLine(passage, segment, source));
      return;
    case 'table':
      return readTable(passage, segment, source);
    case 'describe':
      return readDescribe(passage, segment, source);
    case 'json':
      return readJson(passage, said, segment, source);
    case 'yaml':
      return readYaml(passage, said, segment, source);
  }
}

interface TextPart {
  readonly line: number;
  readonly lineEnd?: number;
  readonly text: string;
}

/** One log line with what its prefix says. */
export function logLine(passage: PassageReading, part: TextPart, source: LineSource): ReadLine {
  const text = cleanLine(unwrapLine(part.text));
  const origin = originOf(text, source);
  passage.collector.sawSource(passage.document, origin.source);
  return {
    text,
    source: origin.source,
    line: part.line,
    lineEnd: part.lineEnd ?? part.line,
    when: parseWhen(text),
    host: origin.host,
    about: null,
    isState: false,
  };
}

function rawLines(
  passage: PassageReading,
  said: ReadLine[],
  from: number,
  lines: readonly string[],
  source: LineSource,
): void {
  for (const [offset, text] of lines.entries()) {
    if (text.trim() !== '') said.push(logLine(passage, { line: from + offset, text }, source));
  }
}

function readJson(
  passage: PassageReading,
  said: ReadLine[],
  segment: Segment & { kind: 'json' },
  source: LineSource,
): void {
  const parsed = parseJson(segment.text);
  if (!parsed.ok) return rawLines(passage, said, segment.line, segment.lines, source);
  const understood = readAnswer(passage, parsed.value, segment.line);
  if (understood) return;
  // An unknown object is a log record: printed on one line, as the program meant it.
  const text = segment.lines.map((line) => line.trim()).join(' ');
  said.push(
    logLine(
      passage,
      { line: segment.line, lineEnd: segment.line + segment.lines.length - 1, text },
      source,
    ),
  );
}

function readYaml(
  passage: PassageReading,
  said: ReadLine[],
  segment: Segment & { kind: 'yaml' },
  source: LineSource,
): void {
  rawLines(passage, said, segment.line, segment.lines, source);
  for (const part of parseYamlDocuments(segment.lines, segment.line)) {
    if (part.ok) readAnswer(passage, part.value, part.line);
    else
      passage.collector.loss({
        locator: `${passage.collector.locatorOf(passage.document)}:${part.line}`,
        what: part.why,
      });
  }
}

/** Gives every line to the expressions whose anchor it contains, through the same scanner as logs. */
function matchLines(reading: TextReading, said: readonly ReadLine[]): void {
  // Joined passages come last, so that what one of their lines says alone counts as that line's.
  const ordered = [
    ...said.filter((line) => line.lineEnd === line.line),
    ...said.filter((line) => line.lineEnd !== line.line),
  ];
  const encoder = new TextEncoder();
  const scanner = createLineScanner(reading.table.anchorSet, (hit) => {
    const line = ordered[hit.lineNumber - 1];
    if (line !== undefined)
      reading.collector.tryRows(reading.document, line, rowsOf(reading.table, hit.anchors));
  });
  for (const line of ordered) scanner.push(encoder.encode(`${line.text.replaceAll('\n', ' ')}\n`));
  scanner.end();
}
