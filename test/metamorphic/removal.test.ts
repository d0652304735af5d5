import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import type { DiagnosisDocument, EvidenceLine } from '../../src/diagnosis/document.ts';
import { type Segment, segments } from '../../src/readers/text/segments.ts';
import { loadCases } from '../accuracy/cases.ts';
import { ASKED } from '../causes/asked.ts';
import { type ExampleFile, loadExamples } from '../causes/example.ts';
import { shareOf, tellShare } from '../share.ts';

/** Rounds of removal: a cause may be proven by several signs, of which each round takes some. */
const ROUNDS_MAX = 6;

const PILES_OF = 4;

interface Pile {
  readonly name: string;
  readonly files: readonly ExampleFile[];
  /** Causes that may be named with and without the deciding lines. */
  readonly right: readonly string[];
}

const piles: readonly Pile[] = [
  ...loadExamples(ASKED)
    .filter(({ expect }) => expect === 'found')
    .map(({ cause, name, files }) => ({ name: `${cause}/${name}`, files, right: [cause] })),
  ...(ASKED.length === 0 ? loadCases() : []).map(({ name, files, accept }) => ({
    name: `case ${name}`,
    files,
    right: accept,
  })),
];

/** Lines of the finding that the headline names, on every subject that has it. */
function decidingLines({ headline, subjects }: DiagnosisDocument): readonly EvidenceLine[] {
  return subjects
    .flatMap(({ findings }) => findings)
    .filter(({ cause }) => cause === headline?.cause)
    .flatMap(({ evidence }) => evidence);
}

/** What the document calls a consequence of its headline: true as well, and all that is left to see. */
function consequences({ headline, subjects }: DiagnosisDocument): readonly string[] {
  return subjects
    .flatMap(({ findings }) => findings)
    .filter(({ explainedBy }) => explainedBy !== null && explainedBy === headline?.cause)
    .map(({ cause }) => cause);
}

/** A line without what differs each time a program prints it: stamps, counts, ids. */
function shapeOf(line: string): string {
  return line.replace(/0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+/g, '#').trim();
}

function linesIn(segment: Segment): readonly [first: number, last: number] {
  if (segment.kind === 'joined') return [segment.line, segment.lineEnd];
  const length = 'lines' in segment ? segment.lines.length : 1;
  return [segment.line, segment.line + length - 1];
}

/** Objects, answers and blocks of `describe` are said as a whole: a line of them is all of them. */
function isWhole(segment: Segment): boolean {
  return segment.kind !== 'line' && segment.kind !== 'table';
}

/** Numbers of the lines that go with the given ones: same text elsewhere, and whole passages. */
function goingWith(lines: readonly string[], deciding: readonly number[]): ReadonlySet<number> {
  const shapes = new Set(deciding.map((line) => shapeOf(lines[line - 1] ?? '')));
  const going = new Set(
    [...lines.keys()]
      .map((index) => index + 1)
      .filter((line) => shapes.has(shapeOf(lines[line - 1] ?? ''))),
  );
  for (const segment of segments(lines)) {
    const [first, last] = linesIn(segment);
    if (isWhole(segment) && deciding.some((line) => line >= first && line <= last))
      for (let line = first; line <= last; line++) going.add(line);
  }
  return going;
}

function withoutLines(file: ExampleFile, deciding: readonly EvidenceLine[]): ExampleFile {
  const numbers = deciding
    .map(({ locator }) => /^(.*):(\d+)$/.exec(locator))
    .filter((match) => match?.[1] === file.name)
    .map((match) => Number(match?.[2]));
  // `nodes.json#Node/a` is an object, which has no line of its own: it goes with its list.
  const wholeFile = deciding.some(({ locator }) => locator.split('#', 1)[0] === file.name);
  const lines = wholeFile ? [] : file.text.split(/\r?\n/);
  const going = goingWith(lines, numbers);
  const left = lines.filter((_, index) => !going.has(index + 1));
  return { name: file.name, text: left.join('\n') };
}

/** What is named once nothing is left of the lines by which the cause was known, round by round. */
async function namedWithout(pile: Pile, first: DiagnosisDocument): Promise<string | null> {
  let document = first;
  let { files } = pile;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const deciding = decidingLines(document);
    files = files.map((file) => withoutLines(file, deciding));
    document = await diagnoseTexts(files);
    const named = document.headline?.cause ?? null;
    if (named !== first.headline?.cause) return named;
  }
  return document.headline?.cause ?? null;
}

const rightlyNamed: { readonly pile: Pile; readonly document: DiagnosisDocument }[] = [];
const tried = shareOf(piles, PILES_OF);
tellShare('piles without the lines that decide', tried.length, piles.length);
for (const pile of tried) {
  const document = await diagnoseTexts(pile.files);
  if (pile.right.includes(document.headline?.cause ?? '')) rightlyNamed.push({ pile, document });
}

describe('without the lines that decide, no cause is named but its consequence', () => {
  for (const { pile, document } of rightlyNamed) {
    const named = document.headline?.cause ?? '';
    test(pile.name, async () => {
      const left = await namedWithout(pile, document);
      const right = [...pile.right, ...consequences(document)];
      assert.ok(
        left === null || right.includes(left),
        `${left} is named once the lines of ${named} are gone`,
      );
    });
  }
});
