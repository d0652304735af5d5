import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeCorpus } from './corpus.ts';
import { LOG_MIX } from './log-lines.ts';
import { compare, runTimed } from './measure.ts';
import { ANCHORS, generated, ROOT } from './place.ts';
import type { Row } from './table.ts';
import { skipped } from './table.ts';

const ROUNDS = 15;
const SMALL_LOG_BYTES = 20e3;

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Start to end of one command of the program, against `node -e 0`. */
export async function benchProgram(
  program: Program,
  args: readonly string[],
  what: string,
  target = '',
): Promise<Row> {
  const { command } = program;
  const ms = async (all: readonly string[], by: string): Promise<number> =>
    (await runTimed(by, all)).wallMs;
  const result = await compare(
    ROUNDS,
    () => ms([...program.args, ...args], command),
    () => ms(['-e', '0'], process.execPath),
  );
  return {
    what: `${program.name} ${what}`,
    ours: `${Math.round(result.ours)} ms`,
    reference: `${Math.round(result.reference)} ms, \`node -e 0\` (${process.version})`,
    ratio: `${result.ratio.toFixed(2)} x`,
    target,
  };
}

/** A log as people paste it. */
export async function smallLog(): Promise<string> {
  const recipe = { seed: 3, mix: LOG_MIX, anchors: ANCHORS, linesPerHit: 20 };
  return generated('small.log', (part) => writeCorpus(part, SMALL_LOG_BYTES, recipe));
}

/** Start of the program, from source and as packed, against that of Node.js itself. */
export async function benchStart(): Promise<readonly Row[]> {
  const log = await smallLog();
  const packed = join(ROOT, 'dist/rollcall.mjs');
  const source = { name: '`bin/rollcall`', command: join(ROOT, 'bin/rollcall'), args: [] };
  const artefact = { name: '`dist/rollcall.mjs`', command: process.execPath, args: [packed] };
  const rows: Row[] = [];
  for (const program of [source, artefact]) {
    if (program === artefact && !existsSync(packed)) {
      rows.push(skipped(program.name, '', 'dist/ is not built; build it with: npm run build'));
      continue;
    }
    rows.push(await benchProgram(program, ['--version'], '`--version`'));
    rows.push(await benchProgram(program, ['diagnose', log], '`diagnose` of a 20 kB log'));
  }
  return rows;
}
