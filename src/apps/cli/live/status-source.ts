import {
  type OnFirstNodes,
  type StatusObservation,
  type StatusSource,
  terminalHeight,
  type WatchPrinter,
} from '../commands/status.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import { systemRandom } from '../../../adapters/system/random.ts';
import { POLL_MS } from '../../../collection/resident/feeds.ts';
import { Resident, type ResidentPace } from '../../../collection/resident/resident.ts';
import { pause } from '../../../runtime/abort.ts';
import type { CliContext } from '../context.ts';
import { openClients } from './open-clients.ts';
import { noticesOf } from './watch-notices.ts';
import { troublesIn } from './watch-troubles.ts';
import {
  type LiveQuestion,
  endOnInterrupt,
  lookAtCluster,
  mustHaveAnswered,
  wholeQuestion,
} from './diagnose-cluster.ts';
import type { LiveFlags } from './flags.ts';
import type { LiveRecorder } from './live-recording.ts';
import type { LiveEvidence } from '../../../collection/observe.ts';

function questionOf(flags: LiveFlags, onFirstNodes?: OnFirstNodes): LiveQuestion {
  const question = wholeQuestion([], flags);
  return onFirstNodes === undefined ? question : { ...question, onFirstNodes };
}

function observationOf({ observations, document, nowMs }: LiveEvidence): StatusObservation {
  return { observations, document, nowMs, notObservable: [] };
}

/** Notices are looked at so often, ms. */
const TICK_MS = 1000;

/** What a watch may do beside showing. */
export interface WatchExtras {
  /** Keeps what is seen. */
  readonly recorder?: LiveRecorder | null;
  readonly pace?: Partial<ResidentPace>;
  /** Ends the watch. */
  readonly end?: AbortSignal;
}

/** Shows a cluster as it changes, and reports what cannot be followed. */
export async function watchLive(
  flags: LiveFlags,
  context: CliContext,
  { show, tell, first }: WatchPrinter,
  { recorder = null, pace = {}, end }: WatchExtras = {},
): Promise<void> {
  const clients = await openClients(flags);
  const stop = endOnInterrupt();
  const ending = new AbortController();
  end?.addEventListener('abort', () => ending.abort(), { once: true });
  let isFirst = true;
  const resident = new Resident({
    clients,
    random: systemRandom,
    cluster: flags.cluster ?? null,
    pace,
    listener: recorder?.listener ?? null,
    onFirstNodes: first,
    async onStanding(standing) {
      if (isFirst) mustHaveAnswered(standing, clients);
      isFirst = false;
      context.progress('');
      show(observationOf(standing));
      await recorder?.take(standing, clients, flags);
    },
  });
  context.progress('asking Kubernetes and AWS');
  try {
    const running = resident.run(ending.signal);
    await Promise.race([running, tellNotices(resident, tell, ending.signal)]);
    await running;
  } finally {
    ending.abort();
    stop();
    await clients.close();
  }
}

async function tellNotices(
  resident: Resident,
  tell: WatchPrinter['tell'],
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(systemClock, TICK_MS, signal);
    if (signal.aborted) return;
    tell(noticesOf(troublesIn(resident.health().lists), POLL_MS));
  }
}

async function watchAndRecord(
  flags: LiveFlags,
  context: CliContext,
  printer: WatchPrinter,
  target: string | null,
): Promise<void> {
  if (target === null) return watchLive(flags, context, printer);
  const { openLiveRecorder } = await import('./live-recording.ts');
  const { USUAL_LIMITS: limits } = await import('./record-limits.ts');
  const say = (line: string): void => context.err(`${line}\n`);
  const recorder = await openLiveRecorder({ target, limits, pauseMs: POLL_MS, say });
  try {
    await watchLive(flags, context, printer, { recorder });
  } finally {
    await recorder.close();
  }
}

/** The live cluster as the roll call sees it. */
export const LIVE_STATUS: StatusSource = {
  observe: async (flags, context, onFirstNodes) =>
    observationOf(await lookAtCluster(questionOf(flags, onFirstNodes), context)),
  watch: watchAndRecord,
  height: terminalHeight,
};
