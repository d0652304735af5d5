import { systemClock } from '../../../adapters/system/clock.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { CliContext } from '../context.ts';
import { type LiveQuestion, mergedDocument, mustBeWellAsked } from './diagnose-cluster.ts';
import { withLiveWatch } from './live-watch.ts';
import { timeLimitMs } from './time-limit.ts';
import { timed, WAIT_PAUSE_MS, type Waited, waitUntilOver } from './wait.ts';
import { sayNotices } from './watch-notices.ts';

/** What is said when the time given for waiting is over. */
export function lateSentence(limitMs: number): string {
  return (
    `The waiting ended after ${limitMs / 1000}s, with neither all machines usable nor another ` +
    `cause known; wait longer: --timeout ${(limitMs * 3) / 1000}s`
  );
}

/**
 * Looks until the machines are usable or the next cause is known; several contexts as one. A
 * `--timeout` that is given ends the waiting too.
 */
export async function waitForCluster(
  question: LiveQuestion,
  contexts: readonly string[],
  context: CliContext,
  pauseMs = WAIT_PAUSE_MS,
): Promise<Waited> {
  await mustBeWellAsked(question);
  const questions =
    contexts.length === 0
      ? [question]
      : contexts.map((name) => ({ ...question, flags: { ...question.flags, context: name } }));
  const { timeout } = question.flags;
  const limitMs = timeout === undefined ? null : timeLimitMs(timeout);
  const limit = limitMs === null ? undefined : AbortSignal.timeout(limitMs);
  const say = timed(systemClock, (line) => context.err(`${line}\n`));
  const options = { questions, context, pauseMs, tell: sayNotices(say) };
  return withLiveWatch(options, async (look, repeat) => {
    const lookAtAll = async (): Promise<DiagnosisDocument> =>
      mergedDocument((await look()).map(({ document }) => document));
    const waited = await waitUntilOver(lookAtAll, repeat, say, limit);
    if (waited.isLate && limitMs !== null) context.err(`${lateSentence(limitMs)}\n`);
    return waited;
  });
}
