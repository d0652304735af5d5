import { capacityOf } from '../../capacity/capacity.ts';
import type { PlantedBug } from '../planted/contract.ts';
import { withinLimits } from './capacity.ts';
import type { Invariant } from './contract.ts';
import { explanation } from './explanation.ts';
import { gaps } from './gaps.ts';
import { joinedOrNamed, steadyVerdicts } from './liveness.ts';
import { secrets } from './secrets.ts';
import { timeLine } from './time-line.ts';
import { startWatcherInvariants } from './watchers.ts';

/** Rules that are checked by now. */
export const CHECKED_RULES: readonly string[] = startInvariants().map(({ rule }) => rule);

/**
 * Every invariant that there is so far, each with a memory of its own.
 *
 * @param bug what is planted in what they watch
 */
export function startInvariants(bug: PlantedBug | null = null): readonly Invariant[] {
  return [
    withinLimits(bug?.capacity ?? capacityOf),
    secrets,
    explanation,
    gaps,
    timeLine,
    ...startWatcherInvariants(),
    steadyVerdicts(),
    joinedOrNamed,
  ];
}
