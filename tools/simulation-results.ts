/**
 * `node tools/simulation-results.ts [--seeds N] [--from SEED] [--hours H] [--nodes N]`: runs N
 * seeds and writes what the oracle counted to docs/simulation-results.md.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runSeed } from '../src/apps/sim/one-seed.ts';
import { provePlanted } from '../src/apps/sim/prove-planted.ts';
import { seedLine } from '../src/apps/sim/report.ts';
import {
  causeTable,
  confusionTable,
  mistakeTable,
  scoreCells,
  scoreTable,
  WAY_TITLES,
} from '../src/apps/sim/tally-tables.ts';
import { Totals, totalsText } from '../src/apps/sim/totals.ts';
import { type Look, type Violation, WAYS } from '../src/sim/invariants/contract.ts';
import { MARKS } from '../src/sim/marks/marks.ts';
import type { Judged } from '../src/sim/oracle/judge.ts';
import type { Mistake } from '../src/sim/oracle/mistakes.ts';
import { Tally } from '../src/sim/oracle/tally.ts';
import { PLANTED_SEEDS } from '../src/sim/planted/seeds.ts';
import { BEFORE } from './simulation-before.ts';

/** Classes of wrong answers that a page lists. */
const MISTAKES_MAX = 120;
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

/** The commit of what was run, and whether something was changed on top of it. */
function commitOf(): string {
  const git = (...words: readonly string[]): string =>
    execFileSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '../src').length > 0;
  return `${git('rev-parse', '--short=12', 'HEAD')}${changed ? ', with changes on top of it' : ''}`;
}

/** The hardness of the oracle and our answers, beside those of the oracle before. */
function scores(tally: Tally): string {
  const before = Object.entries(BEFORE.scores).map(
    ([title, cells]) => [`before: ${title}`, cells] as const,
  );
  const now = WAYS.map((way) => [WAY_TITLES[way], scoreCells(tally.score(way))] as const);
  return scoreTable([...now, ...before]).trimEnd();
}

/** True at some look of each way, and named at none. */
function neverNamed({ confusions }: Tally): readonly string[] {
  const named = new Set(WAYS.flatMap((way) => confusions[way].causes().map(({ cause }) => cause)));
  const never = WAYS.flatMap((way) => confusions[way].neverNamed());
  return [...new Set(never)].filter((cause) => !named.has(cause)).toSorted();
}

function pageOf(totals: Totals, tally: Tally, { command, failing, planted }: Beside): string {
  const marks = new Map(Object.keys(MARKS).map((id) => [id, 0]));
  for (const [id, times] of totals.marks.reached()) marks.set(id, times);
  const mistakes = tally.mistakes.all();
  const rest = mistakes.slice(MISTAKES_MAX);
  return [
    '# What the oracle counted',
    `\`${command}\` on commit ${commitOf()}, each seed in the chaos and in the calm:`,
    totalsText(totals).trimEnd(),
    '## How hard the oracle is to please',
    `Machines that do not work, and what was said of them. An oracle that accepts much is pleased by anything: by one constant answer, or by the answers of other seeds. \`before\` is the oracle of commit ${BEFORE.commit} over ${BEFORE.seeds}, which held every cause for true that a fault could lead to, and for ever.`,
    scores(tally),
    '`named`: a true cause was named. `open`: none was, and the machine is not called usable. `well`: it is well and is called so. `missed`: it is broken and is called usable, mostly as nothing shows it yet. `alarm`: it is well and is called not usable. `effect`: what the machine shows was named as if it were the cause. `wrong`: a cause was named that is not a true one, nor a consequence of one. `beside`: a true cause of another fault on the same machine was named. A fault counts while it lasts, and afterwards as long as a machine shows what it did and has not been well since.',
    ...WAYS.flatMap((way) => [
      `## ${WAY_TITLES[way]}`,
      confusionTable(tally.confusions[way]).trimEnd(),
    ]),
    '## Wrong answers, by class',
    `Each is repeated by \`rollcall sim --seed SEED --nodes ${values.nodes ?? 'N'} --hours ${values.hours}\`. Nothing is left out: ${mistakes.length} classes; ${rest.length} came less often than those below (${sumOf(rest)} answers).`,
    mistakeTable(mistakes.slice(0, MISTAKES_MAX)).trimEnd(),
    '## By cause, live',
    'How often each cause was named on a machine or the cluster, and which faults made it a true cause; a machine counts at each look.',
    causeTable(tally.confusions.live).trimEnd(),
    `True at some look and never named in any way: ${neverNamed(tally).join(', ')}.`,
    '## Evaluations of invariants',
    `| rule | times |\n| --- | --- |\n${counted(totals.evaluations)}`,
    '## Faults put in',
    `| class | times |\n| --- | --- |\n${counted(totals.faults)}`,
    '## Planted bugs',
    planted,
    '## Reachability marks',
    `| mark | times |\n| --- | --- |\n${counted(marks)}`,
    '## Seeds with another violation',
    failing.length === 0 ? 'None.' : failing.map((line) => `- ${line}`).join('\n'),
    '',
  ].join('\n\n');
}

function sumOf(mistakes: readonly Mistake[]): number {
  return mistakes.reduce((sum, { times }) => sum + times, 0);
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
const tally = new Tally();
const failing: string[] = [];
async function count(seed: number): Promise<void> {
  const wishes = { nodes, hours, faults: 'all' } as const;
  const onJudged = (judged: Judged, { way }: Look): void => tally.add(seed, judged, way);
  const run = await runSeed({ seed, wishes, bug: null, onJudged });
  totals.add(run.result, run.swarm.wholeMs, run.wallMs);
  process.stderr.write(`${seedLine(run)}\n`);
  for (const { rule, subject, what } of run.result.violations.filter(isBesideNames))
    failing.push(`seed ${seed}: ${rule}, ${subject}: ${what}`);
}

/** Wrong names are told by their classes. */
function isBesideNames({ rule, what }: Violation): boolean {
  return rule !== 'I-29' || !/: named /.test(what);
}

for (let seed = from; seed < from + seeds; seed++)
  // A world that breaks is told like any other failure, and the seeds after it are run.
  await count(seed).catch((error: unknown) => failing.push(`seed ${seed}: ${String(error)}`));
const command = `node tools/simulation-results.ts --seeds ${seeds} --from ${from} --hours ${hours}${nodes === null ? '' : ` --nodes ${nodes}`}`;
const planted = await plantedTable(totals);
writeFileSync(PAGE, pageOf(totals, tally, { command, failing, planted }));
