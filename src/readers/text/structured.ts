import type { LineSource } from '../../evidence/source.ts';
import { readAnswer } from '../answers.ts';
import type { ReadLine } from '../collector.ts';
import { logLine, openPassage, type PassageReading, type TextReading } from '../passage.ts';
import { awsAuthOfLines } from '../kube/aws-auth.ts';
import { readDescribe } from '../kube/describe.ts';
import { readTable } from '../kube/table.ts';
import { documentSource } from '../line/origin.ts';
import { isCommandEcho } from '../line/prompt.ts';
import { zoneOffsetMs } from '../line/zones.ts';
import { journalExportLines } from '../line/journal-export.ts';
import { type Segment, segments } from './segments.ts';
import { readOwnState } from './own-state.ts';
import { parseJson, parseYamlDocuments } from './parse.ts';

/** Reads a text document passage by passage: logs, tables, describe output, JSON and YAML mixed. */
export function readStructuredText(reading: TextReading, text: string): void {
  const { collector, document } = reading;
  const lines = journalExportLines(text) ?? text.split(/\r?\n/);
  collector.countLines(document, lines.length);
  collector.sawZone(document, zoneOffsetMs(lines));
  const sources = paragraphSources(lines, reading.likely ?? 'unknown');
  for (const source of new Set(sources)) collector.sawSource(document, source);
  const open = openPassage(reading);
  for (const segment of segments(lines)) {
    readSegment(open.passage, open.said, segment, sources[segment.line - 1] ?? 'unknown');
  }
  readLooseAwsAuth(open.passage, lines);
  readOwnState(open.passage, text, lines);
  open.flush();
}

/** aws-auth is often pasted without its ConfigMap around it, or as `kubectl describe` prints it. */
function readLooseAwsAuth({ collector, document }: PassageReading, lines: readonly string[]): void {
  if (collector.hasFact(document, 'kube/aws-auth')) return;
  const value = awsAuthOfLines(lines);
  if (value === null) return;
  const locator = collector.locatorOf(document);
  const by = 'kubectl describe configmap aws-auth';
  collector.fact(document, 'kube/aws-auth', value, { by, locator, line: 1, about: [] });
}

/** Lines of a paragraph by which its program is known. */
const PARAGRAPH_HEAD = 60;

/** The program behind each line's paragraph: a pasted text holds several, parted by empty lines. */
function paragraphSources(lines: readonly string[], likely: LineSource): readonly LineSource[] {
  const sources: LineSource[] = [];
  let start = 0;
  for (let index = 0; index <= lines.length; index++) {
    if (index < lines.length && (lines[index] ?? '').trim() !== '') continue;
    const head = lines.slice(start, Math.min(index, start + PARAGRAPH_HEAD));
    const known = head.length === 0 ? 'unknown' : documentSource(head);
    const source = known === 'unknown' ? likely : known;
    for (let line = start; line <= index; line++) sources.push(source);
    start = index + 1;
  }
  return sources;
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
      if (!isCommandEcho(segment.text)) said.push(logLine(passage, segment, source));
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
