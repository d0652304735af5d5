import { systemClock } from '../../../adapters/system/clock.ts';
import { startTimer } from '../../../ports/clock.ts';
import { type CliContext, UsageError } from '../context.ts';
import { RECORD } from '../declared/record.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import { openLiveRecorder } from '../live/live-recording.ts';
import { limitsOf } from '../live/record-limits.ts';
import { stepBack } from '../live/record-target.ts';
import { watchLive } from '../live/status-source.ts';
import { sayNotices } from '../live/watch-notices.ts';
import { parseCommandLine } from '../options/parse.ts';

/** Verdicts are looked at again so often at least, ms, as some change by the passing of time. */
const JUDGED_MS = 30_000;

/** Follows a cluster for some time and appends to a record what changes. */
export async function recordCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values } = parseCommandLine(RECORD, args);
  const { record: target, every: awsMs, for: forMs } = values;
  if (target === null)
    throw new UsageError('record needs a file: rollcall record --record flight.db');
  if (values['step-back']) return steppedBack(target, context);
  const flags = liveFlagsOf(values);
  const say = (line: string): void =>
    context.err(`${new Date(systemClock.nowMs()).toISOString()}  ${line}\n`);
  const pace = { awsMs, judgedMs: Math.min(awsMs, JUDGED_MS) };
  const recorder = await openLiveRecorder({
    target,
    limits: limitsOf(values),
    pauseMs: awsMs,
    readsNodeLogs: values['node-logs'],
    say,
  });
  const over = new AbortController();
  const timer = forMs === null ? null : startTimer(systemClock, forMs, () => over.abort());
  const printer = { show: () => undefined, first: () => undefined, tell: sayNotices(say) };
  try {
    await watchLive(flags, context, printer, { recorder, pace, end: over.signal });
  } finally {
    timer?.cancel();
    await recorder.close();
  }
  return EXIT.usable;
}

async function steppedBack(target: string, context: CliContext): Promise<number> {
  await stepBack(target);
  context.out('The release before can open the recording now; this one brings it forward again.\n');
  return EXIT.usable;
}
