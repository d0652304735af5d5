/**
 * `node tools/simulation-auth.ts [--from SEED] [--seeds N] [--planted ID] [--lines]`: runs the keeper
 * of aws-auth beside people who write it, under the faults of N seeds, and prints what does not hold
 * and what it counted. `--planted` puts a known mistake into the quiet run.
 */
import { parseArgs } from 'node:util';
import { AUTH_BUGS } from '../test/sim/auth/bugs.ts';
import { type AuthPlan, authOfSeed, quietAuth } from '../test/sim/auth/plan.ts';
import { playAuth } from '../test/sim/auth/world.ts';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @returns how many seeds break a rule */
async function playSeeds(from: number, seeds: number, more: Partial<AuthPlan>): Promise<number> {
  const evaluations = new Map<string, number>();
  let failing = 0;
  let restorations = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const result = await playAuth(authOfSeed(seed, more));
    for (const [rule, count] of result.evaluations)
      evaluations.set(rule, (evaluations.get(rule) ?? 0) + count);
    restorations += result.restorations;
    failing += result.violations.length === 0 ? 0 : 1;
    for (const { rule, what } of result.violations)
      say(`seed ${seed}: ${rule}: ${what}\n  again: --from ${seed} --seeds 1 --lines`);
  }
  for (const [rule, count] of [...evaluations].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    say(`${rule}: ${count}`);
  say(`${seeds} seeds, ${restorations} restorations, ${failing} fail`);
  return failing;
}

/** @returns how many rules notice it */
async function playPlanted(id: string, more: Partial<AuthPlan>): Promise<number> {
  const planted = AUTH_BUGS.find((one) => one.id === id);
  const ids = AUTH_BUGS.map((one) => one.id).join('\n  ');
  if (planted === undefined) throw new RangeError(`no such planted bug; these are:\n  ${ids}`);
  const { bug, plan } = planted;
  const { violations } = await playAuth(quietAuth({ ...plan?.(), bug, ...more }));
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
const onLine: AuthPlan['onLine'] = ({ atMs, actor, what }) =>
  say(`${new Date(atMs).toISOString().slice(11, 23)} ${actor} ${what}`);
const more = values.lines ? { onLine } : {};
const { planted } = values;
const wrong =
  planted === undefined
    ? await playSeeds(Number(values.from), Number(values.seeds), more)
    : await playPlanted(planted, more);
process.exitCode = wrong === 0 ? 0 : 1;
