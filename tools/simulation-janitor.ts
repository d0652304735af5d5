/**
 * `node tools/simulation-janitor.ts [--from SEED] [--seeds N] [--planted ID] [--lines]`: runs the
 * janitor of network interfaces in simulated accounts, under the faults of N seeds, and prints what
 * does not hold and what it counted. `--planted` puts a known mistake into the quiet run.
 */
import { parseArgs } from 'node:util';
import { JANITOR_BUGS } from '../test/sim/janitor/bugs.ts';
import type { JanitorPlan } from '../test/sim/janitor/plan.ts';
import { planOfSeed, quietPlan } from '../test/sim/janitor/seed.ts';
import { playJanitor } from '../test/sim/janitor/world.ts';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function add(into: Map<string, number>, from: ReadonlyMap<string, number>): void {
  for (const [key, count] of from) into.set(key, (into.get(key) ?? 0) + count);
}

function list(title: string, counts: ReadonlyMap<string, number>): void {
  say(title);
  for (const [key, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    say(`  ${key}: ${count}`);
}

/** @returns how many seeds break a rule */
async function playSeeds(from: number, seeds: number, more: Partial<JanitorPlan>): Promise<number> {
  const evaluations = new Map<string, number>();
  const faults = new Map<string, number>();
  let failing = 0;
  let deletions = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const result = await playJanitor(planOfSeed(seed, more));
    add(evaluations, result.evaluations);
    add(faults, result.faults);
    deletions += result.deletions;
    failing += result.violations.length === 0 ? 0 : 1;
    for (const { rule, what } of result.violations)
      say(`seed ${seed}: ${rule}: ${what}\n  again: --from ${seed} --seeds 1 --lines`);
  }
  list('evaluations', evaluations);
  list('faults', faults);
  say(`${seeds} seeds, ${deletions} deletions, ${failing} fail`);
  return failing;
}

/** @returns how many rules notice it */
async function playPlanted(id: string, more: Partial<JanitorPlan>): Promise<number> {
  const planted = JANITOR_BUGS.find((one) => one.id === id);
  const ids = JANITOR_BUGS.map((one) => one.id).join('\n  ');
  if (planted === undefined) throw new RangeError(`no such planted bug; these are:\n  ${ids}`);
  const { bug, plan } = planted;
  const { violations } = await playJanitor(quietPlan({ ...plan?.(), bug, ...more }));
  for (const { rule, what } of violations) say(`${rule}: ${what}`);
  return violations.length;
}

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '100' },
    planted: { type: 'string' },
    lines: { type: 'boolean', default: false },
  },
});
const onLine: JanitorPlan['onLine'] = ({ atMs, actor, what }) =>
  say(`${new Date(atMs).toISOString().slice(11, 23)} ${actor} ${what}`);
const more = values.lines ? { onLine } : {};
const { planted } = values;
const wrong =
  planted === undefined
    ? await playSeeds(Number(values.from), Number(values.seeds), more)
    : await playPlanted(planted, more);
process.exitCode = wrong === 0 ? 0 : 1;
