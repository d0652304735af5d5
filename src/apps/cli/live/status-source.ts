import { systemClock } from '../../../adapters/system/clock.ts';
import { type StatusObservation, type StatusSource, terminalHeight } from '../commands/status.ts';
import type { CliContext } from '../context.ts';
import { lookAtCluster } from './diagnose-cluster.ts';
import type { LiveFlags } from './flags.ts';

/** How long between two looks of `--watch`, ms. */
const PAUSE_MS = 10_000;

async function observeOnce(flags: LiveFlags, context: CliContext): Promise<StatusObservation> {
  const question = { names: [], flags, isDeep: false, sinceMs: null, save: null };
  const { observations, document, nowMs } = await lookAtCluster(question, context);
  return { observations, document, nowMs, notObservable: [] };
}

/** The live cluster as the roll call sees it. */
export const LIVE_STATUS: StatusSource = {
  observe: observeOnce,
  async watch(flags, context, show) {
    for (;;) {
      show(await observeOnce(flags, context));
      await systemClock.sleep(PAUSE_MS);
    }
  },
  height: terminalHeight,
};
