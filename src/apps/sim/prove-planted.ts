import type { Violation } from '../../sim/invariants/contract.ts';
import { PLANTED_BUGS } from '../../sim/planted/bugs.ts';
import type { PlantedSeed } from '../../sim/planted/seeds.ts';
import { runSeed } from './one-seed.ts';
import { shrinkFailure, type SmallFailure } from './shrink-failure.ts';

/** A planted bug that was caught and made small. */
export interface Proof {
  readonly violation: Violation;
  /** Faults of the run in which it was caught. */
  readonly faults: number;
  readonly small: SmallFailure;
}

/** Lets a bug be caught in its cheap seed and makes the failure small; null where it is not. */
export async function provePlanted(planted: PlantedSeed): Promise<Proof | null> {
  const { id, seed, nodes, hours, faults } = planted;
  const bug = PLANTED_BUGS.find((one) => one.id === id);
  if (bug === undefined) return null;
  const wishes = { nodes, hours, faults };
  const run = await runSeed({ seed, wishes, bug });
  const violation = run.result.violations.find(({ rule }) => bug.caughtBy.includes(rule));
  if (violation === undefined) return null;
  const small = await shrinkFailure(run, wishes, violation, { bug });
  return { violation, faults: run.injections.length, small };
}
