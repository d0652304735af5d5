import { systemClock } from '../../../adapters/system/clock.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { CliContext } from '../context.ts';
import {
  type LiveQuestion,
  mergedDocument,
  mustBeWellAsked,
  ofContext,
} from './diagnose-cluster.ts';
import { type LookAtAll, withLiveWatch } from './live-watch.ts';
import { startLimit } from '../../../collection/time-limit.ts';
import { unknownNames } from '../../../diagnosis/unknown-names.ts';
import { timed, WAIT_PAUSE_MS, type Waited, waitUntilOver } from './wait.ts';
import { sayNotices } from './watch-notices.ts';

/** What is said when the time given for waiting is over. */
export function lateSentence(limitMs: number): string {
  return (
    `Timed out after ${limitMs / 1000} s: not all machines are usable and no new cause is ` +
    `known; wait longer: --timeout ${(limitMs * 3) / 1000}s`
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
    contexts.length === 0 ? [question] : contexts.map((name) => ofContext(question, name));
  const { timeoutMs: limitMs = null } = question.flags;
  const limit = limitMs === null ? null : startLimit(systemClock, limitMs);
  const say = timed(systemClock, (line) => context.err(`${line}\n`));
  const ending = limit === null ? {} : { limit: limit.signal };
  const options = {
    questions: questions.map((one) => ({ ...one, ...ending })),
    context,
    pauseMs,
    tell: sayNotices(say),
  };
  try {
    return await withLiveWatch(options, async (look, repeat) => {
      const lookAtAll = sayingUnknown(look, question.names, say);
      const waited = await waitUntilOver(lookAtAll, repeat, say, limit?.signal);
      if (waited.isLate && limitMs !== null) context.err(`${lateSentence(limitMs)}\n`);
      return waited;
    });
  } finally {
    limit?.clear();
  }
}

/** One document of all looks; at the first one it says which names no machine has, as it may come. */
function sayingUnknown(
  look: LookAtAll,
  names: readonly string[],
  say: (line: string) => void,
): () => Promise<DiagnosisDocument> {
  let isFirst = true;
  return async () => {
    const seen = await look();
    const unknown = isFirst
      ? unknownNames(
          names,
          seen.map(({ observations }) => observations),
        )
      : [];
    isFirst = false;
    for (const { sentence } of unknown) say(sentence);
    return mergedDocument(seen.map(({ document }) => document));
  };
}
