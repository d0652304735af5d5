/**
 * `node tools/reader-steps.ts`: counts the steps of every reader on inputs of 1, 2 and 4 kB that
 * tempt it to look again, and writes the worst of each into docs/benchmarks.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startCounting } from '../test/hostile/steps/counting.ts';
import { INPUTS } from '../test/hostile/steps/inputs.ts';
import { loadReaders, type Read } from '../test/hostile/steps/readers.ts';

const PAGE = join(import.meta.dirname, '../docs/benchmarks.md');
const TABLE = /<!-- steps -->[^]*<!-- end of steps -->/;
const SIZES = [1000, 2000, 4000];

const counter = startCounting();

interface Worst {
  readonly input: string;
  /** Steps for each 1,000 characters, by size. */
  readonly steps: readonly number[];
}

function stepsOn(read: Read, input: string): readonly number[] {
  return SIZES.map((size) => {
    const text = INPUTS[input]?.(size) ?? '';
    return Math.round((counter.stepsOf(() => read(text)) / text.length) * 1000);
  });
}

/** The input that takes the most steps at the largest size. */
function worstOf(read: Read): Worst {
  counter.stepsOf(() => read(''));
  return Object.keys(INPUTS)
    .map((input) => ({ input, steps: stepsOn(read, input) }))
    .reduce((one, other) => ((other.steps.at(-1) ?? 0) > (one.steps.at(-1) ?? 0) ? other : one));
}

/** Letters that cannot be seen by their number. */
function printed(input: string): string {
  const hex = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return input.replaceAll('|', '\\|').replaceAll(/[^ -~]/g, hex);
}

function row(reader: string, { input, steps }: Worst): string {
  const [, before = 1, last = 0] = steps;
  const shown = input.startsWith('"') ? `\`${printed(input)}\`, over and over` : input;
  const ratio = ((2 * last) / before).toFixed(2);
  return `| ${reader} | ${shown} | ${steps.join(' | ')} | ${ratio} |`;
}

const rows = Object.entries(await loadReaders()).map(([name, read]) => row(name, worstOf(read)));
const table = [
  '| reader | input with the most steps | steps per kB, 1 kB | 2 kB | 4 kB | growth from 2 to 4 kB |',
  '| --- | --- | --- | --- | --- | --- |',
  ...rows,
].join('\n');
const page = readFileSync(PAGE, 'utf8');
if (!TABLE.test(page)) throw new Error('docs/benchmarks.md has no place for the steps.');
writeFileSync(
  PAGE,
  page.replace(TABLE, () => `<!-- steps -->\n${table}\n<!-- end of steps -->`),
);
