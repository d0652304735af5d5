import { capacity } from './capacity.ts';
import type { Invariant } from './contract.ts';
import { explanation } from './explanation.ts';
import { gaps } from './gaps.ts';
import { joinedOrNamed, steadyVerdicts } from './liveness.ts';
import { secrets } from './secrets.ts';
import { timeLine } from './time-line.ts';

/** Rules that are checked by now. */
export const CHECKED_RULES: readonly string[] = startInvariants().map(({ rule }) => rule);

/** Every invariant that there is so far, each with a memory of its own. */
export function startInvariants(): readonly Invariant[] {
  return [capacity, secrets, explanation, gaps, timeLine, steadyVerdicts(), joinedOrNamed];
}
