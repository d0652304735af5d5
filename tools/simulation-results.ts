/**
 * `node tools/simulation-results.ts [--seeds N] [--from SEED] [--hours H] [--nodes N]`: runs N
 * seeds and writes what the oracle counted to docs/simulation-results.md.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runSeed } from '../src/apps/sim/one-seed.ts';
import { provePlanted } from '../src/apps/sim/prove-planted.ts';
import { causeTable, confusionTable, seedLine } from '../src/apps/sim/report.ts';
import { Totals, totalsText } from '../src/apps/sim/totals.ts';
import { PLANTED_SEEDS } from '../src/sim/planted/seeds.ts';
import { MARKS } from '../src/sim/marks/marks.ts';
import { Confusion } from '../src/sim/oracle/confusion.ts';

const PAGE = join(import.meta.dirname, '../docs/simulation-results.md');

function counted(counts: ReadonlyMap<string, number>): string {
  const rows = [...counts].toSorted((one, other) => (one[0] < other[0] ? -1 : 1));
  return rows.map(([key, value]) => `| ${key} | ${value} |`).join('\n');
}

/** Each bug that can be planted: what caught it, and the line to which it was shrunk. */
async function plantedTable(totals: Totals): Promise<string> {
  const rows = [
    '| bug | caught by | faults, and after shrinking | again |',
    '| --- | --- | --- | --- |',
  ];
  let caught = 0;
  for (const planted of PLANTED_SEEDS) {
    const proof = await provePlanted(planted);
    if (proof !== null) caught++;
    const left = proof?.small.run.injections.length;
    if (left === 1) totals.marks.reach('shrunk-to-one-fault');
    rows.push(
      proof === null
        ? `| ${planted.id} | nothing |  |  |`
        : `| ${planted.id} | ${proof.violation.rule} | ${proof.faults}, ${left} | \`${proof.small.repro}\` |`,
    );
  }
  return `${caught} of ${PLANTED_SEEDS.length} are caught.\n\n${rows.join('\n')}`;
}

interface Beside {
  readonly command: string;
  readonly failing: readonly string[];
  readonly planted: string;
}

function pageOf(
  totals: Totals,
  confusion: Confusion,
  { command, failing, planted }: Beside,
): string {
  const marks = new Map(Object.keys(MARKS).map((id) => [id, 0]));
  for (const [id, times] of totals.marks.reached()) marks.set(id, times);
  return [
    '# What the oracle counted',
    `\`${command}\`, each seed in the chaos and in the calm, over the APIs and from a pile of files:`,
    totalsText(totals).trimEnd(),
    '`named`: a true cause was named. `open`: none was, and the machine is not called usable. `well`: it is well and is called so. `missed`: it is broken and is called usable, mostly as nothing shows it yet. `alarm`: it is well and is called not usable. `wrong`: a cause was named that is none of the true ones. `beside`: a true cause of another fault on the same machine was named.',
    confusionTable(confusion).trimEnd(),
    '## By cause',
    'How often each cause was named on a machine or the cluster, and of which faults it was a true cause then; a machine counts at each look.',
    causeTable(confusion).trimEnd(),
    `True at some look and never named: ${confusion.neverNamed().join(', ')}.`,
    '## Evaluations of invariants',
    `| rule | times |\n| --- | --- |\n${counted(totals.evaluations)}`,
    '## Faults put in',
    `| class | times |\n| --- | --- |\n${counted(totals.faults)}`,
    '## Planted bugs',
    planted,
    '## Reachability marks',
    `| mark | times |\n| --- | --- |\n${counted(marks)}`,
    '## Seeds with a violation',
    failing.length === 0 ? 'None.' : failing.map((line) => `- ${line}`).join('\n'),
    '',
  ].join('\n\n');
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    hours: { type: 'string', default: '1' },
    nodes: { type: 'string' },
  },
});
const [seeds, from, hours] = [Number(values.seeds), Number(values.from), Number(values.hours)];
const nodes = values.nodes === undefined ? null : Number(values.nodes);
const totals = new Totals();
const confusion = new Confusion();
const failing: string[] = [];
async function count(seed: number): Promise<void> {
  const wishes = { nodes, hours, faults: 'all' } as const;
  const run = await runSeed({ seed, wishes, bug: null, onJudged: (one) => confusion.add(one) });
  totals.add(run.result, run.swarm.wholeMs, run.wallMs);
  process.stderr.write(`${seedLine(run)}\n`);
  for (const { rule, subject, what } of run.result.violations)
    failing.push(`seed ${seed}: ${rule}, ${subject}: ${what}`);
}

for (let seed = from; seed < from + seeds; seed++)
  // A world that breaks is told like any other failure, and the seeds after it are run.
  await count(seed).catch((error: unknown) => failing.push(`seed ${seed}: ${String(error)}`));
const command = `node tools/simulation-results.ts --seeds ${seeds} --from ${from} --hours ${hours}${nodes === null ? '' : ` --nodes ${nodes}`}`;
const planted = await plantedTable(totals);
writeFileSync(PAGE, pageOf(totals, confusion, { command, failing, planted }));
