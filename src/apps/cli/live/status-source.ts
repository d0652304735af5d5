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
): Promise<void> {
  const question = questionOf(flags, first);
  await mustBeWellAsked(question);
  const { withLiveWatch } = await import('./live-watch.ts');
  const options = { questions: [question], context, pauseMs, tell };
  await withLiveWatch(options, async (look, repeat) =>
    repeat(look, (seen) => {
      for (const one of seen) show(observationOf(one));
      return false;
    }),
  );
}

/** The live cluster as the roll call sees it. */
export const LIVE_STATUS: StatusSource = {
  observe: async (flags, context, onFirstNodes) =>
    observationOf(await lookAtCluster(questionOf(flags, onFirstNodes), context)),
  watch: async (flags, context, printer) => watchLive(flags, context, printer),
  height: terminalHeight,
};
