import type { Scenario } from '../../sim/stories/scenario.ts';

/**
 * A story that begins so long before the present as it gains on it: at its end the clock of the
 * world is that of whoever looks, so that nothing was ever made in the future.
 *
 * @param speed seconds of the world for each second here; one that gains nothing begins at once
 */
export function asOf(scenario: Scenario, nowMs: number, speed: number): Scenario {
  const gainedMs = scenario.untilMs * Math.max(0, 1 - 1 / speed);
  const startMs = Math.floor(nowMs - gainedMs);
  return { ...scenario, world: { ...scenario.world, startMs } };
}
