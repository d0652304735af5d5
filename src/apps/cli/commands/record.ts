import { systemClock } from '../../../adapters/system/clock.ts';
import { startTimer } from '../../../ports/clock.ts';
import { type CliContext, UsageError } from '../context.ts';
import { RECORD } from '../declared/record.ts';
import { EXIT } from '../exit-code.ts';
import { wholeQuestion } from '../live/diagnose-cluster.ts';
import { liveFlagsOf } from '../live/flags.ts';
import { openLookRecorder } from '../live/live-recording.ts';
import { withLiveWatch } from '../live/live-watch.ts';
import { limitsOf } from '../live/record-limits.ts';
import { sayNotices } from '../live/watch-notices.ts';
import { parseCommandLine } from '../options/parse.ts';

/** Looks at a cluster for some time and appends to a record what changes. */
export async function recordCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values } = parseCommandLine(RECORD, args);
  const { record, every: pauseMs, for: forMs } = values;
  if (record === null)
    throw new UsageError('record needs a file: rollcall record --record flight.db');
  const flags = liveFlagsOf(values);
  const say = (line: string): void => {
    context.err(`${new Date(systemClock.nowMs()).toISOString()}  ${line}\n`);
  };
  const limits = limitsOf(values);
  const recorder = await openLookRecorder({ target: record, limits, pauseMs, say });
  const over = new AbortController();
  const timer = forMs === null ? null : startTimer(systemClock, forMs, () => over.abort());
  try {
    const questions = [wholeQuestion([], flags)];
    const options = { questions, context, pauseMs, tell: sayNotices(say), recorder };
    await withLiveWatch(options, async (look, repeat) => repeat(look, () => false, over.signal));
  } finally {
    timer?.cancel();
    await recorder.close();
  }
  return EXIT.usable;
}
