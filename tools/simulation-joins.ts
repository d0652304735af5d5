/**
 * `node tools/simulation-joins.ts [--from SEED] [--worlds N]`: plays drawn worlds in which three
 * machines join that differ in nothing but what runs the join: user data alone, the shell loop, or
 * `rollcall join`. Prints the worlds in which a rule does not hold, and what it counted.
 *
 * `--calls`: each call of a join goes wrong once, in each way; `--case NAME` plays one of them.
 */
import { parseArgs } from 'node:util';
import {
  caseName,
  casesOf,
  type JoinCase,
  LANE_WORLDS,
  type LaneEnd,
  playLane,
  wrongInCase,
} from '../test/sim/machines/join-lane.ts';
import {
  drawWorld,
  isLost,
  type Joined,
  type JoinWorld,
  playWorld,
  tally,
} from '../test/sim/machines/join-worlds.ts';

interface Played {
  readonly world: JoinWorld;
  readonly joined: readonly Joined[];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What does not hold of `rollcall join` in a world; empty where all does. */
function wrongIn({ world, joined }: Played): readonly string[] {
  return joined
    .filter(({ by }) => by === 'rollcall')
    .flatMap((ours) => [
      ...ours.untrue.map((what) => `it said how it ended, but ${what}`),
      ...(isLost(ours, world) ? ['the node is lost'] : []),
      ...(ours.saidAtS === null && ours.gaveUpAtS === null ? ['it did not end'] : []),
    ]);
}

/** @returns how often a rule did not hold */
async function playWorlds(from: number, worlds: number): Promise<number> {
  const all: Joined[] = [];
  let wrongs = 0;
  for (let seed = from; seed < from + worlds; seed++) {
    const world = drawWorld(seed);
    const joined = await playWorld(world);
    all.push(...joined);
    for (const what of wrongIn({ world, joined })) {
      wrongs += 1;
      say(`world ${seed}: ${what}: ${JSON.stringify({ world, joined })}`);
    }
  }
  say(`worlds ${from} to ${from + worlds - 1}: a rule does not hold in ${wrongs}`);
  for (const [by, line] of Object.entries(tally(all))) say(`${by}: ${line}`);
  say(absentees(all));
  return wrongs;
}

/** Nodes of `rollcall join` that are not there in the end. */
function absentees(all: readonly Joined[]): string {
  const absent = all.filter(({ by, isNode }) => by === 'rollcall' && !isNode);
  const uninitialized = absent.filter((one) => one.isUninitialized).length;
  return `not there in the end: ${absent.length}, of them waiting for a throttled cloud controller: ${uninitialized}`;
}

interface Lane {
  readonly quiet: ReadonlyMap<string, LaneEnd>;
  readonly cases: readonly JoinCase[];
}

async function openLane(): Promise<Lane> {
  const quiet = new Map<string, LaneEnd>();
  for (const world of LANE_WORLDS) quiet.set(world.name, await playLane(world, null));
  return { quiet, cases: [...quiet].flatMap(([name, end]) => casesOf(name, end)) };
}

/** @returns how many cases end otherwise */
async function playCases(name: string | null): Promise<number> {
  const { quiet, cases } = await openLane();
  const chosen = cases.filter((one) => name === null || caseName(one) === name);
  if (chosen.length === 0) throw new RangeError(`no such case: ${name}`);
  const counts = new Map<string, number>();
  let wrongs = 0;
  for (const one of chosen) {
    const end = quiet.get(one.world);
    const found = end === undefined ? [] : await wrongInCase(one, end);
    for (const what of found) say(`${caseName(one)}: ${what}`);
    wrongs += found.length > 0 ? 1 : 0;
    const kind = `${one.port} ${one.wrong}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  for (const [kind, count] of [...counts].toSorted(([one], [other]) => one.localeCompare(other)))
    say(`${kind}: ${count}`);
  say(`${chosen.length} cases, ${wrongs} end otherwise`);
  return wrongs;
}

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    worlds: { type: 'string', default: '100' },
    calls: { type: 'boolean', default: false },
    case: { type: 'string' },
  },
});
const wrongs =
  values.calls || values.case !== undefined
    ? await playCases(values.case ?? null)
    : await playWorlds(Number(values.from), Number(values.worlds));
process.exitCode = wrongs === 0 ? 0 : 1;
