import { settle } from '../../adapters/system/settle.ts';
import { overTripwires } from '../../adapters/system/tripwires.ts';
import type { RunResult } from '../../sim/run/log.ts';
import { run, type RunOptions } from '../../sim/run/run.ts';

/**
 * Runs a world and everything of Rollcall that looks at it.
 *
 * @throws where one of them touches the clock, timers, chance or network of this machine, by which
 *   the same seed could come to another end
 */
export async function guardedRun(options: Omit<RunOptions, 'settle'>): Promise<RunResult> {
  return overTripwires(async () => run({ ...options, settle }));
}
