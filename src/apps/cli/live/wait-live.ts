import { systemClock } from '../../../adapters/system/clock.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { CliContext } from '../context.ts';
import { type LiveQuestion, mergedDocument, mustBeWellAsked } from './diagnose-cluster.ts';
import { withLiveWatch } from './live-watch.ts';
import { timed, WAIT_PAUSE_MS, waitUntilOver } from './wait.ts';
import { sayNotices } from './watch-notices.ts';

/** Looks until the machines are usable or the next cause is known; several contexts as one. */
export async function waitForCluster(
  question: LiveQuestion,
  contexts: readonly string[],
  context: CliContext,
  pauseMs = WAIT_PAUSE_MS,
): Promise<DiagnosisDocument> {
  await mustBeWellAsked(question);
  const questions =
    contexts.length === 0
      ? [question]
      : contexts.map((name) => ({ ...question, flags: { ...question.flags, context: name } }));
  const say = timed(systemClock, (line) => context.err(`${line}\n`));
  const options = { questions, context, pauseMs, tell: sayNotices(say) };
  return withLiveWatch(options, async (look, repeat) => {
    const lookAtAll = async (): Promise<DiagnosisDocument> =>
      mergedDocument((await look()).map(({ document }) => document));
    return waitUntilOver(lookAtAll, repeat, say);
  });
}
