/**
 * `node tools/simulation-controllers.ts [--from SEED] [--seeds N] [--case NAME] [--without RIGHT]
 * [--planted ID] [--page]`: runs the real controller in small worlds, under the faults of N seeds,
 * one systematic case or without one right, and prints what does not hold. `--page` runs everything and writes what it
 * counted to docs/simulation-controllers.md.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONTROLLER_FAULTS } from '../src/apps/sim/controllers/faults.ts';
import { CONTROLLER_BUGS, type ControllerBug } from '../src/apps/sim/controllers/planted.ts';
import {
  caughtBy,
  failureText,
  loadCauses,
  PLANTED_RUNS,
  repeatLine,
  runControllerSeed,
} from '../src/apps/sim/controllers/seed-run.ts';
import {
  caseName,
  caseNamed,
  countsOf,
  runCase,
  runWithout,
  systematicLane,
  violationsWithout,
} from '../src/apps/sim/controllers/systematic.ts';
import { controllerRoles, rightName, rightsOf } from '../src/apps/sim/controllers/rights.ts';
import { LIVENESS, SAFETY } from '../src/sim/invariants/list.ts';

const PAGE = join(import.meta.dirname, '../docs/simulation-controllers.md');
const TWIN_ONE_IN = 20;

interface Counted {
  readonly evaluations: Map<string, number>;
  readonly faults: Map<string, number>;
  readonly failures: string[];
  calls: number;
  starts: number;
  twins: number;
}

function add(into: Map<string, number>, from: ReadonlyMap<string, number>): void {
  for (const [key, count] of from) into.set(key, (into.get(key) ?? 0) + count);
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function titleOf(rule: string): string {
  return [...SAFETY, ...LIVENESS].find(({ id }) => id === rule)?.title ?? '';
}

function rows(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

async function countSeeds(
  from: number,
  seeds: number,
  bug: ControllerBug | null,
): Promise<Counted> {
  const counted: Counted = {
    evaluations: new Map(),
    faults: new Map(),
    failures: [],
    calls: 0,
    starts: 0,
    twins: 0,
  };
  for (let seed = from; seed < from + seeds; seed++) {
    const isTwinned = seed % TWIN_ONE_IN === 0;
    const { result, violations } = await runControllerSeed(seed, { isTwinned, bug });
    add(counted.evaluations, result.evaluations);
    add(counted.faults, result.faults);
    counted.calls += result.calls;
    counted.starts += result.starts;
    counted.twins += isTwinned ? 1 : 0;
    if (violations.length === 0) continue;
    const text = failureText(violations, repeatLine(`--from ${seed} --seeds 1`, bug));
    counted.failures.push(text);
    process.stdout.write(`seed ${seed}\n${text}\n`);
  }
  return counted;
}

/** Runs one case, or all of them; what does not hold, as text. */
async function runCases(
  name: string | null,
  bug: ControllerBug | null,
): Promise<readonly string[]> {
  const lane = await systematicLane();
  const one = name === null ? null : caseNamed(lane.cases, name);
  if (name !== null && one === null) throw new RangeError(`no such case: ${name}`);
  const failures: string[] = [];
  for (const chosen of one === null ? lane.cases : [one]) {
    const violations = await runCase(lane, chosen, { bug });
    if (violations.length === 0) continue;
    const again = repeatLine(`--case '${caseName(chosen)}'`, bug);
    failures.push(failureText(violations, again));
    process.stdout.write(`${failures.at(-1) ?? ''}\n`);
  }
  return failures;
}

/** @param name of one right, as in `list nodes`; null for each in turn */
async function runRights(name: string | null): Promise<readonly string[]> {
  const quiet = await runWithout(null);
  const rights = rightsOf(controllerRoles());
  const chosen = rights.filter((right) => name === null || rightName(right) === name);
  if (chosen.length === 0) throw new RangeError(`the controller has no right to ${name}`);
  const failures: string[] = [];
  for (const right of chosen) {
    const violations = await violationsWithout(right, quiet);
    if (violations.length === 0) continue;
    const again = repeatLine(`--without '${rightName(right)}'`);
    failures.push(failureText(violations, again));
    process.stdout.write(`${failures.at(-1) ?? ''}\n`);
  }
  return failures;
}

function commitOf(): string {
  const git = (...words: readonly string[]): string =>
    execFileSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '../src').length > 0;
  return `${git('rev-parse', '--short=12', 'HEAD')}${changed ? ', with changes on top of it' : ''}`;
}

async function plantedRows(): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  for (const planted of PLANTED_RUNS) {
    const violation = await caughtBy(planted);
    const bug = CONTROLLER_BUGS.find(({ id }) => id === planted.id) ?? null;
    const what =
      typeof planted.run === 'number'
        ? `--from ${planted.run} --seeds 1`
        : `--case '${planted.run}'`;
    found.push([planted.id, violation?.rule ?? 'nothing', `\`${repeatLine(what, bug)}\``]);
  }
  return found;
}

function listOf(failures: readonly string[]): string {
  return failures.length === 0
    ? 'None.'
    : failures.map((one) => `\`\`\`\n${one}\n\`\`\``).join('\n');
}

async function writePage(from: number, seeds: number): Promise<void> {
  const counted = await countSeeds(from, seeds, null);
  const lane = await systematicLane();
  const failures = await runCases(null, null);
  const faults = CONTROLLER_FAULTS.map(({ id, what }): readonly string[] => [
    id,
    what,
    String(counted.faults.get(id) ?? 0),
  ]);
  const text = [
    '# Controllers in the simulator',
    `\`node tools/simulation-controllers.ts --from ${from} --seeds ${seeds} --page\` on commit ${commitOf()}. The program is the one that \`rollcall controller\` runs, with reports, Events and recording on, in one or two replicas. Its API server, clock and recorder are simulated. How it works: [simulation.md](simulation.md#controllers).`,
    `${seeds} seeds, ${counted.starts} starts of the program, ${counted.calls} writes, reads, events and appends that could go wrong, ${counted.twins} seeds compared with the same seed without faults.`,
    '## Seeds in which a rule does not hold',
    listOf(counted.failures),
    '## Rules',
    table(
      ['rule', 'what holds', 'evaluations'],
      rows(counted.evaluations).map(([rule, count]) => [rule, titleOf(rule), String(count)]),
    ),
    '`L` counts the rules of liveness, which are evaluated at the end of each seed: L-02, L-07, L-08, L-09 and, in seeds with a twin, L-10.',
    '## Faults',
    table(['class', 'what happens', 'times'], faults),
    '## One call that goes wrong',
    `Of a quiet run with three Nodes each call goes wrong in each way, one run for each: ${lane.cases.length} runs. Each keeps every rule and ends with the reports of the quiet run.`,
    table(
      ['call, and what becomes of it', 'runs'],
      [...countsOf(lane.cases)].map(([what, count]) => [what, String(count)]),
    ),
    `Runs in which a rule does not hold: ${failures.length}.`,
    '## One right that is taken away',
    `The program runs with the roles of its installation. Each of its ${rightsOf(controllerRoles()).length} rights is taken away after 10 s and given back after 90 s, one run for each: it reports within a minute what is refused, loses no report, and the run ends as the one with all rights.`,
    `Runs in which a rule does not hold: ${(await runRights(null)).length}.`,
    '## Planted bugs',
    table(['bug', 'caught by', 'again'], await plantedRows()),
    '',
  ].join('\n\n');
  writeFileSync(PAGE, text);
}

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '100' },
    case: { type: 'string' },
    without: { type: 'string' },
    planted: { type: 'string' },
    page: { type: 'boolean', default: false },
  },
});
const bug = CONTROLLER_BUGS.find(({ id }) => id === values.planted) ?? null;
if (values.planted !== undefined && bug === null)
  throw new RangeError(`no such planted bug: ${values.planted}`);
await loadCauses();
if (values.page) await writePage(Number(values.from), Number(values.seeds));
else if (values.case !== undefined)
  process.exitCode = (await runCases(values.case, bug)).length === 0 ? 0 : 1;
else if (values.without !== undefined)
  process.exitCode = (await runRights(values.without)).length === 0 ? 0 : 1;
else {
  const counted = await countSeeds(Number(values.from), Number(values.seeds), bug);
  process.stdout.write(`${values.seeds} seeds, ${counted.failures.length} fail\n`);
  process.exitCode = counted.failures.length === 0 ? 0 : 1;
}
