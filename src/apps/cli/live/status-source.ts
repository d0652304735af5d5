import {
  type OnFirstNodes,
  type StatusObservation,
  type StatusSource,
  terminalHeight,
  type WatchPrinter,
} from '../commands/status.ts';
import type { CliContext } from '../context.ts';
import {
  type LiveQuestion,
  lookAtCluster,
  mustBeWellAsked,
  wholeQuestion,
} from './diagnose-cluster.ts';
import type { LiveFlags } from './flags.ts';
import type { LookRecorder } from './live-recording.ts';
import type { LiveEvidence } from '../../../collection/observe.ts';

/** How long between two looks of `--watch` when nothing changes, ms. */
const PAUSE_MS = 10_000;

function questionOf(flags: LiveFlags, onFirstNodes?: OnFirstNodes): LiveQuestion {
  const question = wholeQuestion([], flags);
  return onFirstNodes === undefined ? question : { ...question, onFirstNodes };
}

function observationOf({ observations, document, nowMs }: LiveEvidence): StatusObservation {
  return { observations, document, nowMs, notObservable: [] };
}

/** Shows a cluster as it changes, and what nobody tells of every `pauseMs`. */
export async function watchLive(
  flags: LiveFlags,
  context: CliContext,
  { show, tell, first }: WatchPrinter,
  pauseMs = PAUSE_MS,
  record: string | null = null,
): Promise<void> {
  const question = questionOf(flags, first);
  await mustBeWellAsked(question);
  const { withLiveWatch } = await import('./live-watch.ts');
  const recorder = record === null ? null : await openRecord(record, pauseMs, context);
  const options = { questions: [question], context, pauseMs, tell, recorder };
  try {
    await withLiveWatch(options, async (look, repeat) =>
      repeat(look, (seen) => {
        for (const one of seen) show(observationOf(one));
        return false;
      }),
    );
  } finally {
    await recorder?.close();
  }
}

async function openRecord(
  target: string,
  pauseMs: number,
  context: CliContext,
): Promise<LookRecorder> {
  const { openLookRecorder } = await import('./live-recording.ts');
  const { USUAL_LIMITS: limits } = await import('./record-limits.ts');
  return openLookRecorder({ target, limits, pauseMs, say: (line) => context.err(`${line}\n`) });
}

/** The live cluster as the roll call sees it. */
export const LIVE_STATUS: StatusSource = {
  observe: async (flags, context, onFirstNodes) =>
    observationOf(await lookAtCluster(questionOf(flags, onFirstNodes), context)),
  watch: async (flags, context, printer, record) =>
    watchLive(flags, context, printer, PAUSE_MS, record),
  height: terminalHeight,
};
