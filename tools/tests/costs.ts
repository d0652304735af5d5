/** What tests cost in processor time, and in which order that makes them run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';

/** The environment variable that names the file in which the processes of tests tell their cost. */
export const COSTS_VARIABLE = 'ROLLCALL_TEST_COSTS';

/** The processes that tests of several rooms share. */
export const TOGETHER = 'shared processes';
const TOGETHER_FOLDER = 'tools/tests/together/';
const SLOWEST_SHOWN = 10;

/** Seconds of processor time by file, as it is named from the checkout. */
export type Costs = Readonly<Record<string, number>>;

/** Reads what the processes have told, `MILLISECONDS<tab>FILE` a line. */
export function costsIn(text: string, root: string): Costs {
  const rows = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
  return Object.fromEntries(
    rows.map(([ms, file = '']) => [relative(root, file), Math.round(Number(ms) / 100) / 10]),
  );
}

/** The longest first, so that none begins when the others are done; what nobody has measured is short. */
export function longestFirst(
  files: readonly string[],
  costs: Costs,
  root: string,
): readonly string[] {
  const costOf = (file: string): number => costs[relative(root, file)] ?? 0;
  return files.toSorted((one, other) => {
    const [first, second] = [costOf(one), costOf(other)];
    return first === second ? 0 : second - first;
  });
}

/** `test/sim`, `tools/tests`; most tests share a process with those of other rooms. */
function roomOf(file: string): string {
  if (file.startsWith(TOGETHER_FOLDER)) return TOGETHER;
  return file.split('/').slice(0, -1).slice(0, 2).join('/');
}

function byRoom(costs: Costs): Costs {
  const rooms: Record<string, number> = {};
  for (const [file, seconds] of Object.entries(costs))
    rooms[roomOf(file)] = (rooms[roomOf(file)] ?? 0) + seconds;
  return rooms;
}

function mostFirst(costs: Costs): readonly (readonly [string, number])[] {
  return Object.entries(costs).toSorted(([, one], [, other]) => other - one);
}

function row(seconds: number, words: string): string {
  return `${seconds.toFixed(1).padStart(7)} s  ${words}`;
}

/** The ten slowest files. */
export function slowestLines(costs: Costs): readonly string[] {
  const all = Object.values(costs).reduce((sum, seconds) => sum + seconds, 0);
  const slowest = mostFirst(costs).slice(0, SLOWEST_SHOWN);
  const head = `\nProcessor time of ${Object.keys(costs).length} processes: ${Math.round(all)} s. The slowest:`;
  return [head, ...slowest.map(([file, seconds]) => row(seconds, file))];
}

/** What each room took of its budget; one without a budget has what is left to it by name `other`. */
export function budgetLines(costs: Costs, budgets: Costs): readonly string[] {
  const spent: Record<string, number> = {};
  for (const [room, seconds] of Object.entries(byRoom(costs))) {
    const name = budgets[room] === undefined ? 'other' : room;
    spent[name] = (spent[name] ?? 0) + seconds;
  }
  const lines = mostFirst(spent).map(([room, seconds]) => {
    const budget = budgets[room] ?? 0;
    const over =
      seconds > budget ? ', over it: share the work or raise it in tools/tests/budgets.json' : '';
    return row(seconds, `${room}, of ${budget} s${over}`);
  });
  return ['Rooms, of their budgets:', ...lines];
}

/** What is remembered of earlier runs; nothing where there was none. */
export function rememberedCosts(path: string): Costs {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Costs) : {};
}

export function rememberCosts(path: string, costs: Costs): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ ...rememberedCosts(path), ...costs }));
}
