import { cleanLine } from '../line/clean.ts';
import { unwrapLine } from '../line/envelope.ts';
import { createLineScanner } from '../scan/anchor-scanner.ts';
import { rowsOf, type SignTable } from '../sign-table.ts';

/** A line with its number in the text that it is of. */
export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/** Expressions see no more of a line. */
const CHARACTERS_MAX = 16_384;

/** The lines of a text that the expression of some cause matches, whoever may have printed it. */
export function linesWithSigns(text: string, table: SignTable): readonly NumberedLine[] {
  const lines = text.split('\n');
  const clean = lines.map((line) => cleanLine(unwrapLine(line.replace(/\r$/, ''))));
  const found = new Set<number>();
  const scanner = createLineScanner(table.anchorSet, ({ lineNumber, anchors }) => {
    const line = (clean[lineNumber - 1] ?? '').slice(0, CHARACTERS_MAX);
    if (rowsOf(table, anchors).some(({ pattern }) => pattern.test(line))) found.add(lineNumber);
  });
  const encoder = new TextEncoder();
  for (const line of clean) scanner.push(encoder.encode(`${line.replaceAll('\n', ' ')}\n`));
  scanner.end();
  return [...found].map((line) => ({ line, text: lines[line - 1] ?? '' }));
}
