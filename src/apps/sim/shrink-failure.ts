import { injectionName } from '../../sim/faults/contract.ts';
import type { Violation } from '../../sim/invariants/contract.ts';
import { reproLine } from '../../sim/shrink/repro.ts';
import { shrink } from '../../sim/shrink/shrink.ts';
import type { Wishes } from '../../sim/swarm/swarm.ts';
import { caseOf, runSeed, type SeedOptions, type SeedRun } from './one-seed.ts';

/** A failure made small. */
export interface SmallFailure {
  readonly run: SeedRun;
  readonly wishes: Wishes;
  readonly violation: Violation;
  readonly repro: string;
  readonly tried: number;
}

/** Rule and cause that a violation speaks of, so that shrinking ends at the same failure. */
export function kindOf({ rule, what }: Violation): string {
  return `${rule} ${/named [\w-]+/.exec(what)?.[0] ?? ''}`;
}

function sameFailure({ result }: SeedRun, kind: string): Violation | null {
  return result.violations.find((one) => kindOf(one) === kind) ?? null;
}

/** Shrinks a failing run: fewer faults, fewer machines, less time, and the same failure. */
export async function shrinkFailure(
  failing: SeedRun,
  wishes: Wishes,
  first: Violation,
  { bug, isTwinned }: Pick<SeedOptions, 'bug' | 'isTwinned'>,
): Promise<SmallFailure> {
  const kind = kindOf(first);
  // Only a whole run has an end that can be compared, and only such a failure needs its twin.
  const isTwin = isTwinned === true && first.rule === 'twin';
  let best: SeedRun = failing;
  let bestWishes = wishes;
  const whole = caseOf(failing, wishes);
  const { tried } = await shrink(whole, async ({ seed, nodes, hours, injections }) => {
    // Asked for by their names, as the line that is printed asks for them.
    const smaller = { ...wishes, nodes, hours, faults: injections.map(injectionName) };
    const run = await runSeed({
      seed,
      wishes: smaller,
      bug,
      isTwinned: isTwin,
      endsAtViolation: !isTwin,
    });
    if (sameFailure(run, kind) === null) return false;
    best = run;
    bestWishes = smaller;
    return true;
  });
  const violation = sameFailure(best, kind) ?? first;
  return {
    run: best,
    wishes: bestWishes,
    violation,
    repro: reproLine(caseOf(best, bestWishes), { planted: bug?.id ?? null, isTwinned: isTwin }),
    tried,
  };
}
