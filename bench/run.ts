/**
 * `npm run bench [-- scan|diagnose|start|executable|live|resident|sim|recorder|agent|gate|preflight…] [--large] [--record]
 * [--gatebench DIR]`: measures the scanner, the
 * diagnosis of a bundle and the start of the program, each in turns with a reference, and a live
 * diagnosis over doubles of both APIs, and prints a table. `--record` also writes it to
 * docs/benchmarks.md; `--large` adds a bundle of 2 GB unpacked and a cluster of 5,000 machines.
 * Generated logs stay in node_modules/.cache/bench.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchAgent } from './agent.ts';
import { benchDiagnose } from './diagnose.ts';
import { benchExecutable } from './executable.ts';
import { benchGate } from './gate/run.ts';
import { ROOT } from './place.ts';
import { benchLive } from './live/live.ts';
import { benchResident } from './live/resident.ts';
import { benchPreflight } from './preflight.ts';
import { benchRecorder } from './recorder.ts';
import { benchScan } from './scan.ts';
import { benchSim } from './sim.ts';
import { benchStart } from './start.ts';
import type { Row } from './table.ts';
import { markdownTable } from './table.ts';

const PAGE = join(ROOT, 'docs/benchmarks.md');
const TABLE = /<!-- results -->[\s\S]*<!-- end of results -->/;
const NEW_PAGE = `# Benchmarks

\`npm run bench -- --record\` measures and replaces the table. The logs are made from a seed; each
number is a median, each ratio the median over rounds in which both sides ran in turns.

<!-- results -->
<!-- end of results -->
`;

type Bench = (large: boolean, gatebench: string | null) => Promise<readonly Row[]>;

const BENCHES: Readonly<Record<string, Bench>> = {
  scan: benchScan,
  diagnose: benchDiagnose,
  start: benchStart,
  executable: benchExecutable,
  live: benchLive,
  resident: benchResident,
  sim: benchSim,
  recorder: benchRecorder,
  agent: benchAgent,
  gate: benchGate,
  preflight: benchPreflight,
};

function machine(): string {
  const [cpu] = cpus();
  const processor = cpu?.model.trim() ?? process.arch;
  return `${processor}, ${availableParallelism()} cores, Node.js ${process.version}`;
}

function record(table: string): void {
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : NEW_PAGE;
  if (!TABLE.test(page)) {
    throw new Error(`${PAGE} has no results section; delete the file to start a new one.`);
  }
  const day = new Date().toISOString().slice(0, 10);
  const results = `<!-- results -->\n${machine()}, ${day}.\n\n${table}\n<!-- end of results -->`;
  writeFileSync(
    PAGE,
    page.replace(TABLE, () => results),
  );
}

async function measure(
  names: readonly string[],
  large: boolean,
  gatebench: string | null,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const name of names) {
    const bench = BENCHES[name];
    if (bench === undefined) {
      throw new Error(
        `There is no benchmark "${name}"; there are ${Object.keys(BENCHES).join(', ')}.`,
      );
    }
    process.stderr.write(`${name}…\n`);
    rows.push(...(await bench(large, gatebench)));
  }
  return rows;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    large: { type: 'boolean' },
    record: { type: 'boolean' },
    gatebench: { type: 'string' },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const table = markdownTable(await measure(names, values.large === true, values.gatebench ?? null));
process.stdout.write(`${machine()}\n\n${table}\n`);
if (values.record === true) record(table);
