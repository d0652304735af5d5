import type { ActionOutcome } from '../ports/action.ts';
import { type AwsAction, endedAwsRecord, intendedAwsRecord } from '../ports/aws-action.ts';
import type { AwsWrites } from '../ports/aws-writes.ts';
import type { Clock } from '../ports/clock.ts';
import { PortError, type PortFailure } from '../ports/port-error.ts';
import type { RecordedEvent, Recorder } from '../ports/recorder.ts';

export interface PerformAwsTools {
  readonly writes: AwsWrites;
  /** null where nothing is recorded. */
  readonly recorder: Pick<Recorder, 'append'> | null;
  readonly clock: Clock;
  /** The cluster's name in the flight recorder. */
  readonly cluster: string;
  /** True to have AWS check the call and change nothing; it is refused where AWS cannot. */
  readonly isDryRun: boolean;
  /** Asked right before the call is sent; false leaves it unsent, as what it rests on may be over. */
  readonly isAllowed?: (() => boolean) | undefined;
}

/** How an action ended. */
export interface PerformedAws {
  readonly outcome: ActionOutcome;
  /** One sentence, with what to do where there is something. */
  readonly why: string;
  /** In the words of the port; null when it was done. */
  readonly failure: PortFailure | null;
}

/**
 * Performs a call once: records the intention, sends it, records the outcome. After a lost answer
 * nothing is sent again; `tookEffect` reads until it shows what became of it. What cannot be
 * recorded beforehand is not sent.
 *
 * @param tookEffect whether reading shows the change; throws `PortError` where it cannot be read
 */
export async function performAws(
  action: AwsAction,
  tools: PerformAwsTools,
  tookEffect: () => Promise<boolean>,
): Promise<PerformedAws> {
  const { cluster, clock, isDryRun } = tools;
  const moment = () => ({ cluster, atMs: clock.nowMs(), isDryRun });
  const unready = await append(tools, intendedAwsRecord(action, moment()));
  if (unready !== null) {
    const why = `${nameOf(action)} was not sent, as it cannot be recorded: ${unready.message}`;
    return { outcome: 'refused', why, failure: unready.failure };
  }
  const isAllowed = tools.isAllowed?.() ?? true;
  const end = isAllowed ? await sent(action, tools, tookEffect) : forbidden(action);
  const { outcome, why } = end;
  await append(tools, endedAwsRecord(action, moment(), { outcome, why }));
  return end;
}

function forbidden(action: AwsAction): PerformedAws {
  const why = `${nameOf(action)} was not sent: what it was decided on may be over by now.`;
  return { outcome: 'refused', why, failure: null };
}

function nameOf({ call }: AwsAction): string {
  return `${call.service}:${call.operation}`;
}

async function append(
  { recorder }: PerformAwsTools,
  event: RecordedEvent,
): Promise<PortError | null> {
  try {
    await recorder?.append([event]);
    return null;
  } catch (error) {
    if (error instanceof PortError) return error;
    throw error;
  }
}

async function sent(
  action: AwsAction,
  tools: PerformAwsTools,
  tookEffect: () => Promise<boolean>,
): Promise<PerformedAws> {
  try {
    const { isDryRun } = tools;
    await tools.writes.write(action.call, { isDryRun, token: action.id });
    const why = isDryRun
      ? `AWS accepts ${nameOf(action)}; nothing was changed.`
      : `${nameOf(action)} took effect.`;
    return { outcome: 'done', why, failure: null };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    if (error.failure === 'unclear') return await resolved(action, tools, tookEffect, error);
    const isConflict = error.failure === 'conflict' || error.failure === 'already-exists';
    const outcome = isConflict ? 'conflict' : 'refused';
    return { outcome, why: error.message, failure: error.failure };
  }
}

/** When what was changed is read: AWS shows a change a little later. */
const READ_DELAYS_MS = [0, 1000, 2000, 4000, 8000];

async function resolved(
  action: AwsAction,
  { clock }: PerformAwsTools,
  tookEffect: () => Promise<boolean>,
  lost: PortError,
): Promise<PerformedAws> {
  for (const delayMs of READ_DELAYS_MS) {
    if (delayMs > 0) await clock.sleep(delayMs);
    if (!(await isShown(tookEffect))) continue;
    const why = `${nameOf(action)} took effect, as reading it shows; its answer was lost.`;
    return { outcome: 'done', why, failure: null };
  }
  const why = `${nameOf(action)} got no answer, and reading does not show it. ${lost.message}`;
  return { outcome: 'unclear', why, failure: 'unclear' };
}

async function isShown(tookEffect: () => Promise<boolean>): Promise<boolean> {
  try {
    return await tookEffect();
  } catch (error) {
    if (error instanceof PortError) return false;
    throw error;
  }
}
