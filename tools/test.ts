/**
 * `npm test [-- --whole] [-- FILE|FOLDER…]`: runs the tests, prints what failed and what took the
 * longest, and ends with the totals. Of some long sets of cases, and of the files that start real
 * parts, a share runs, another one at each commit (`test/share.ts`); where `CI` is set, all files
 * and four shares of each set; everything with `--whole` and with arguments.
 *
 * Exit code 1 when a test failed, when none ran, or, with `CI` set, when one was skipped that
 * `.ci/may-skip` does not name; 64 when an argument names no test. Files of which nothing is heard
 * for `TEST_SILENCE_MS` (13 min) are ended, and have failed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { inspect, styleText } from 'node:util';
import {
  budgetLines,
  type Costs,
  COSTS_VARIABLE,
  costsIn,
  longestFirst,
  rememberCosts,
  rememberedCosts,
  slowestLines,
} from './tests/costs.ts';
import {
  entryOf,
  GROUPS,
  IN_TURN_ENTRY,
  IN_TURN_VARIABLE,
  TOGETHER_VARIABLE,
  shareOfReal,
  type TestFiles,
  testFiles,
} from './tests/files.ts';
import { collector, type Failure, type Skip, type Tally, totals } from './tests/tally.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Loaded into each process of tests before its tests. */
const LOADED_FIRST = ['own-modules.ts', 'told-cost.ts', 'unwatched-promises.ts'].flatMap((name) => [
  '--import',
  resolve(import.meta.dirname, 'tests', name),
]);
const BUDGETS = resolve(import.meta.dirname, 'tests/budgets.json');
const REMEMBERED = resolve(ROOT, 'node_modules/.cache/test-costs.json');
const TURN_VARIABLE = 'ROLLCALL_TEST_TURN';
const WIDTH_VARIABLE = 'ROLLCALL_TEST_WIDTH';
/** Shares of each set that run in CI: sets of up to four shares run whole. */
const WIDTH_IN_CI = 4;

/** A test that waits for ever is reported by name; one that needs longer sets its own timeout. */
const TEST_TIMEOUT_MS = 60_000;

/** No test may take longer; one that hangs in a program which it started keeps its file alive. */
const SILENCE_MAX_MS = Number(process.env['TEST_SILENCE_MS'] ?? 780_000);

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

interface Budgets {
  readonly rooms: Costs;
  /** What long files took once: the order of a first run. */
  readonly files: Costs;
}

function budgets(): Budgets {
  return JSON.parse(readFileSync(BUDGETS, 'utf8')) as Budgets;
}

/** The number of commits, so that as many commits as there are shares run all of them. */
function turn(): string {
  const counted = spawnSync('git', ['rev-list', '--count', 'HEAD'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return counted.status === 0 ? counted.stdout.trim() : '0';
}

/** A file that takes this long gains nothing by another's process, and would keep the others waiting. */
const LONG_S = 5;

/** None where few causes are asked about: their tests take less time than to load all causes. */
function longFiles(): ReadonlySet<string> {
  if ((process.env['ROLLCALL_CAUSES'] ?? '') !== '') return new Set();
  const known = Object.entries(budgets().files);
  return new Set(known.flatMap(([file, seconds]) => (seconds >= LONG_S ? file : [])));
}

function isCi(): boolean {
  return (process.env['CI'] ?? '') !== '';
}

/** The files of this turn, which the processes of tests are given. */
function ofThisTurn(files: TestFiles): TestFiles {
  process.env[TURN_VARIABLE] ??= turn();
  process.env[WIDTH_VARIABLE] ??= String(isCi() ? WIDTH_IN_CI : 1);
  if (isCi()) return files;
  const share = shareOfReal(ROOT, files, Number(process.env[TURN_VARIABLE]));
  const countOf = ({ alone, inTurn }: TestFiles): number => alone.length + inTurn.length;
  const leftOut = countOf(files) - countOf(share);
  if (leftOut > 0)
    print(
      `${leftOut} files that start real parts wait for their turn; npm test -- --whole runs all`,
    );
  return share;
}

async function runFiles({ together, inTurn, alone }: TestFiles): Promise<Tally> {
  const { take, tally } = collector();
  process.env[TOGETHER_VARIABLE] = JSON.stringify(together);
  process.env[IN_TURN_VARIABLE] = JSON.stringify(inTurn);
  process.env['NODE_COMPILE_CACHE'] ??= resolve(ROOT, 'node_modules/.cache/tests');
  const silence = new AbortController();
  const words = `nothing was heard for ${SILENCE_MAX_MS / 1000} s; a program that it started goes on`;
  const timer = setTimeout(() => silence.abort(new Error(words)), SILENCE_MAX_MS);
  const files = [
    ...GROUPS.filter((group) => together[group].length > 0).map((group) =>
      resolve(ROOT, entryOf(group)),
    ),
    ...(inTurn.length === 0 ? [] : [resolve(ROOT, IN_TURN_ENTRY)]),
    ...alone,
  ];
  const known = { ...budgets().files, ...rememberedCosts(REMEMBERED) };
  const stream = run({
    files: [...longestFirst(files, known, ROOT)],
    execArgv: LOADED_FIRST,
    // Some wait for programs that they have started.
    concurrency: availableParallelism() + 1,
    timeout: TEST_TIMEOUT_MS,
    signal: silence.signal,
  });
  for await (const event of stream) {
    timer.refresh();
    take(event);
  }
  clearTimeout(timer);
  return tally([...Object.values(together).flat(), ...inTurn, ...alone]);
}

function where(path: string): string {
  return relative(ROOT, path);
}

function printFailure({ name, where: place, error, output }: Failure): void {
  print(`\n${styleText('red', 'FAILED')} ${fromRoot(name)}`);
  print(`  ${where(place)}`);
  print(indent(fromRoot(describe(error))));
  if (output !== '') print(indent(`it printed:\n${indent(output.trimEnd())}`));
}

/** Paths in prose, as one types them in the checkout. */
function fromRoot(text: string): string {
  return text.replaceAll(`file://${ROOT}/`, '').replaceAll(`${ROOT}/`, '');
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

/** The stack without the test runner's own frames, and what caused it. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : inspect(error);
  const stack = error.stack ?? error.message;
  const lines = stack.split('\n').filter((line) => !/^\s+at .*\bnode:/.test(line));
  const cause = error.cause === undefined ? [] : [`caused by: ${describe(error.cause)}`];
  return [...lines, ...cause].join('\n');
}

/** One reason a line; blank lines and lines that begin with `#` are for the reader. */
function allowedSkips(): readonly string[] {
  const lines = readFileSync(resolve(ROOT, '.ci/may-skip'), 'utf8').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

function forbidden(skips: readonly Skip[]): readonly Skip[] {
  if (!isCi()) return [];
  const allowed = allowedSkips();
  return skips.filter(({ reason }) => !allowed.includes(reason));
}

function printSkip({ name, where: place, reason }: Skip): void {
  print(
    `${styleText('yellow', 'SKIPPED')} ${name} (${where(place)}): ${reason || 'no reason given'}`,
  );
}

function asFailure({ name, where: place, reason }: Skip): Failure {
  const error = `skipped in CI: ${reason || 'no reason given'}; provide it or list it in .ci/may-skip`;
  return { name, where: place, error, output: '' };
}

/** Skips that CI may not have count as failures. */
function judge(tally: Tally): Tally {
  const bad = forbidden(tally.skips);
  return {
    passed: tally.passed,
    failures: [...tally.failures, ...bad.map(asFailure)],
    skips: tally.skips.filter((skip) => !bad.includes(skip)),
    measures: tally.measures,
  };
}

function printCosts(costs: Costs, isAll: boolean): void {
  if (Object.keys(costs).length > 1) slowestLines(costs).forEach(print);
  if (isAll) budgetLines(costs, budgets().rooms).forEach(print);
}

function report(tally: Tally): number {
  tally.measures.forEach(print);
  tally.skips.forEach(printSkip);
  tally.failures.forEach(printFailure);
  if (tally.passed + tally.failures.length === 0) print('no test ran');
  print(`\n${totals(tally)}`);
  return tally.failures.length > 0 || tally.passed === 0 ? 1 : 0;
}

async function main(args: readonly string[]): Promise<number> {
  const paths = args.filter((arg) => arg !== '--whole');
  let files: TestFiles;
  try {
    files = testFiles(ROOT, paths, longFiles());
  } catch (error) {
    process.stderr.write(`npm test: ${error instanceof Error ? error.message : String(error)}\n`);
    return 64;
  }
  if (args.length === 0) files = ofThisTurn(files);
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-costs-'));
  const told = join(folder, 'costs');
  writeFileSync(told, '');
  process.env[COSTS_VARIABLE] = told;
  const tally = judge(await runFiles(files));
  const costs = costsIn(readFileSync(told, 'utf8'), ROOT);
  rmSync(folder, { recursive: true });
  rememberCosts(REMEMBERED, costs);
  printCosts(costs, paths.length === 0);
  return report(tally);
}

process.exitCode = await main(process.argv.slice(2));
