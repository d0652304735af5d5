import { collectOften } from '../../../adapters/system/memory.ts';
import {
  type OnFirstNodes,
  type StatusObservation,
  type StatusSource,
  terminalHeight,
  type WatchPrinter,
  type WatchWishes,
} from '../commands/status.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import { systemRandom } from '../../../adapters/system/random.ts';
import { POLL_MS } from '../../../collection/resident/feeds.ts';
import { Resident, type ResidentPace } from '../../../collection/resident/resident.ts';
import { pause, whenAborted } from '../../../runtime/abort.ts';
import type { CliContext } from '../context.ts';
import { openClients } from './open-clients.ts';
import { openQueue } from './open-queue.ts';
import { WatchEvents } from './watch-events.ts';
import { noticesOf, type WatchNotice } from './watch-notices.ts';
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
  /** URL of the queue of its own to which EventBridge sends what AWS reports. */
  readonly awsEvents?: string | null;
  /** Ends the watch. */
  readonly end?: AbortSignal;
}

/** Shows a cluster as it changes, and reports what cannot be followed. */
export async function watchLive(
  flags: LiveFlags,
  context: CliContext,
  { show, tell, first }: WatchPrinter,
  { recorder = null, pace = {}, awsEvents = null, end }: WatchExtras = {},
): Promise<void> {
  const clients = await openClients(flags);
  collectOften();
  const stop = endOnInterrupt();
  const ending = new AbortController();
  end?.addEventListener('abort', () => ending.abort(), { once: true });
  let isFirst = true;
  const queue = awsEvents === null ? null : openQueue(awsEvents, flags, clients);
  const events = queue === null ? null : new WatchEvents(queue);
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
      const taken = events?.taking();
      context.progress('');
      show(observationOf(standing));
      await recorder?.take(standing, clients, flags);
      taken?.();
    },
  });
  context.progress('asking Kubernetes and AWS');
  const { signal } = ending;
  try {
    const running = resident.run(signal);
    await Promise.race([
      running,
      tellNotices(resident, events, tell, signal),
      hear(resident, events, signal),
    ]);
    await running;
  } finally {
    ending.abort();
    stop();
    queue?.close();
    await clients.close();
  }
}

/** Ends with the watch alone, or by a bug. */
async function hear(
  resident: Resident,
  events: WatchEvents | null,
  signal: AbortSignal,
): Promise<void> {
  const report = resident.report.bind(resident);
  await events?.run({ clock: systemClock, random: systemRandom, report }, signal);
  await whenAborted(signal);
}

async function tellNotices(
  resident: Resident,
  events: WatchEvents | null,
  tell: WatchPrinter['tell'],
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(systemClock, TICK_MS, signal);
    if (signal.aborted) return;
    const heard: readonly WatchNotice[] = events?.notices() ?? [];
    tell([...noticesOf(troublesIn(resident.health().lists), POLL_MS), ...heard]);
  }
}

async function watchAndRecord(
  flags: LiveFlags,
  context: CliContext,
  printer: WatchPrinter,
  { record: target, awsEvents }: WatchWishes,
): Promise<void> {
  if (target === null) return watchLive(flags, context, printer, { awsEvents });
  const { openLiveRecorder } = await import('./live-recording.ts');
  const { USUAL_LIMITS: limits } = await import('./record-limits.ts');
  const say = (line: string): void => context.err(`${line}\n`);
  const recorder = await openLiveRecorder({ target, limits, pauseMs: POLL_MS, say });
  try {
    await watchLive(flags, context, printer, { recorder, awsEvents });
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
