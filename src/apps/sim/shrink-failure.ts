import type { Violation } from '../../sim/invariants/contract.ts';
import type { PlantedBug } from '../../sim/planted/contract.ts';
import { reproLine } from '../../sim/shrink/repro.ts';
import { shrink } from '../../sim/shrink/shrink.ts';
import type { Wishes } from '../../sim/swarm/swarm.ts';
import { caseOf, runSeed, type SeedRun } from './one-seed.ts';

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
  bug: PlantedBug | null,
): Promise<SmallFailure> {
  const kind = kindOf(first);
  let best: SeedRun = failing;
  let bestWishes = wishes;
  const whole = caseOf(failing, wishes);
  const { smallest, tried } = await shrink(whole, async ({ seed, nodes, hours, injections }) => {
    const smaller = { ...wishes, nodes, hours };
    const run = await runSeed({ seed, wishes: smaller, bug, injections, endsAtViolation: true });
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
    repro: reproLine(smallest, bug?.id ?? null),
    tried,
  };
}
