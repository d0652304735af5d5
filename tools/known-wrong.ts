/**
 * `node tools/known-wrong.ts`: runs a few seeds and writes which wrong answers they give to
 * test/sim/oracle/known-wrong.json, by seed and class and with their number.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSeed } from '../src/apps/sim/one-seed.ts';
import { Mistakes } from '../src/sim/oracle/mistakes.ts';
import { Tally } from '../src/sim/oracle/tally.ts';

export const KNOWN_WRONG = join(import.meta.dirname, '../test/sim/oracle/known-wrong.json');

const FIRST_SEED = 200_001;
export const SEEDS = Array.from({ length: 24 }, (_, index) => FIRST_SEED + index);
const WISHES = { nodes: 4, hours: 0.7, faults: 'all' } as const;

export interface KnownWrong {
  readonly tally: Tally;
  /** By seed, how often each class of wrong answers came: `SAID, as effect or wrong; THERE`. */
  readonly seeds: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** What else did not hold. */
  readonly others: readonly string[];
}

/** The same seeds at each call; what they give changes only with the program or the worlds. */
export async function countWrong(seeds: readonly number[]): Promise<KnownWrong> {
  const tally = new Tally();
  const others: string[] = [];
  const classes: [string, Readonly<Record<string, number>>][] = [];
  for (const seed of seeds) {
    const mistakes = new Mistakes();
    const { result } = await runSeed({
      seed,
      wishes: WISHES,
      bug: null,
      onJudged(judged, { way }) {
        tally.add(seed, judged, way);
        mistakes.add(seed, judged, way);
      },
    });
    classes.push([String(seed), classesOf(mistakes)]);
    for (const { rule, subject, what } of result.violations)
      if (!/: named [\w-]+/.test(what)) others.push(`seed ${seed}: ${rule}, ${subject}: ${what}`);
  }
  return { tally, seeds: Object.fromEntries(classes), others };
}

function classesOf(mistakes: Mistakes): Readonly<Record<string, number>> {
  const rows = mistakes
    .all()
    .map(({ said, as, there, times }) => [`${said}, ${as}; there was ${there}`, times] as const);
  return Object.fromEntries(rows.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

if (process.argv[1] === import.meta.filename) {
  const { seeds } = await countWrong(SEEDS);
  writeFileSync(KNOWN_WRONG, `${JSON.stringify(seeds, null, 2)}\n`);
}
