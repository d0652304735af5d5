/**
 * `node tools/known-wrong.ts`: runs a few seeds and writes which wrong answers they give to
 * test/sim/oracle/known-wrong.json, by class and with their number.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSeed } from '../src/apps/sim/one-seed.ts';
import { Tally } from '../src/sim/oracle/tally.ts';

export const KNOWN_WRONG = join(import.meta.dirname, '../test/sim/oracle/known-wrong.json');

const FIRST_SEED = 200_001;
const SEEDS = 24;
const WISHES = { nodes: 4, hours: 0.7, faults: 'all' } as const;

export interface KnownWrong {
  readonly tally: Tally;
  /** How often each class of wrong answers came, by `SAID, as effect or wrong; THERE`. */
  readonly classes: Readonly<Record<string, number>>;
  /** What else did not hold. */
  readonly others: readonly string[];
}

/** The same seeds at each call; what they give changes only with the program or the worlds. */
export async function countWrong(): Promise<KnownWrong> {
  const tally = new Tally();
  const others: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const { result } = await runSeed({
      seed,
      wishes: WISHES,
      bug: null,
      onJudged: (judged, { way }) => tally.add(seed, judged, way),
    });
    for (const { rule, subject, what } of result.violations)
      if (!/: named [\w-]+/.test(what)) others.push(`seed ${seed}: ${rule}, ${subject}: ${what}`);
  }
  const rows = tally.mistakes
    .all()
    .map(({ said, as, there, times }) => [`${said}, ${as}; there was ${there}`, times] as const);
  return {
    tally,
    classes: Object.fromEntries(rows.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    others,
  };
}

if (process.argv[1] === import.meta.filename) {
  const { classes } = await countWrong();
  writeFileSync(KNOWN_WRONG, `${JSON.stringify(classes, null, 2)}\n`);
}
