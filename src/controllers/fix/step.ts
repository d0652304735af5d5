import { PortError } from '../../ports/port-error.ts';
import type { ActionOutcome } from '../../ports/action.ts';
import { Backoff } from '../../runtime/backoff.ts';
import type { FixOutcome, FixStep, FixTools } from './fix.ts';

/** What a person runs where a call was denied. */
export const PERMISSIONS = 'rollcall permissions --for fix';
export const NOT_TRIED = 'It was not tried, as the call before was denied.';
export const OVER_BUDGET = 'The budget of this hour is used up; run it again later.';

/** A step of which there is nothing to show but a sentence. */
export function plainStep(object: string, outcome: FixOutcome, why: string): FixStep {
  return { object, outcome, why, diff: [], commands: [] };
}

const OUTCOMES: Readonly<Record<Exclude<ActionOutcome, 'done'>, FixOutcome>> = {
  refused: 'refused',
  conflict: 'conflict',
  'forbidden-by-budget': 'forbidden-by-budget',
  unclear: 'unclear',
};

/** How a write ended that is not done. */
export function outcomeOf(outcome: Exclude<ActionOutcome, 'done'>): FixOutcome {
  return OUTCOMES[outcome];
}

/** Many programs may want the same object; each of them comes through after a few tries. */
const TRIES = 25;
const PAUSES = { leastMs: 50, mostMs: 2000 };

/**
 * Tries a change again, from its reading on, as long as it meets a change of somebody else.
 *
 * @param attempt one reading, decision and write
 */
export async function withRetries(
  { clock, random }: Pick<FixTools, 'clock' | 'random'>,
  attempt: () => Promise<FixStep>,
): Promise<FixStep> {
  const pauses = new Backoff(random, PAUSES);
  for (let tries = 1; ; tries += 1) {
    const step = await attempt();
    if (step.outcome !== 'conflict' || tries >= TRIES) return step;
    await clock.sleep(pauses.nextMs());
  }
}

/** The step of an attempt; one that could not read is refused with the reason. */
export async function orRefused(object: string, attempt: () => Promise<FixStep>): Promise<FixStep> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof PortError) return plainStep(object, 'refused', error.message);
    throw error;
  }
}
