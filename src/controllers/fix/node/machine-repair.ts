import type { ActionReason } from '../../../ports/action.ts';
import { PortError } from '../../../ports/port-error.ts';
import type { FixStep, FixTools, UndoNote } from '../fix.ts';
import { plainStep } from '../step.ts';

/** Names in the records what cannot be taken back, and what counts for the budget. */
export const MACHINE_NOTE = 'machine-repair';

/** What a person runs where a call was denied. */
export const MACHINE_PERMISSIONS = 'rollcall permissions --for fix-node';

/** One machine that is repaired. */
export interface MachineOrder {
  readonly id: string;
  readonly isDryRun: boolean;
  readonly why: ActionReason;
  /** How long the Node that comes of it may take to be Ready, ms. */
  readonly waitMs: number;
  /** Why nothing is written any more in this run; null while it may be. */
  readonly whyNot: string | null;
}

/** How it ended. */
export interface MachineEnd {
  readonly step: FixStep;
  /** True where something was written, or may have been. */
  readonly isWritten: boolean;
  /** True where a Node that is Ready came of it. */
  readonly isReached: boolean;
  readonly isDenied: boolean;
}

/** An end at which nothing was written. */
export function unwritten(step: FixStep, isDenied = false): MachineEnd {
  return { step, isWritten: false, isReached: false, isDenied };
}

/** The end of an attempt; one that could not read is refused with the reason. */
export async function orUnwritten(
  object: string,
  attempt: () => Promise<MachineEnd>,
): Promise<MachineEnd> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return unwritten(plainStep(object, 'refused', error.message));
  }
}

export function machineNote(
  does: 'restart' | 'replace',
  instanceId: string,
  { clock }: Pick<FixTools, 'clock'>,
): UndoNote {
  return { kind: MACHINE_NOTE, does, instanceId, atMs: clock.nowMs() };
}

/** Looks again and again until something shows, or the time is over. */
export async function shownWithin<T>(
  limitMs: number,
  { clock }: Pick<FixTools, 'clock'>,
  look: () => Promise<T | null>,
): Promise<T | null> {
  const sinceMs = clock.monotonicMs();
  for (;;) {
    const found = await look().catch(nothingOf);
    if (found !== null || clock.monotonicMs() - sinceMs >= limitMs) return found;
    await clock.sleep(LOOK_MS);
  }
}

const LOOK_MS = 2_000;

/** What cannot be read now is read again; the repair is done all the same. */
function nothingOf(error: unknown): null {
  if (error instanceof PortError) return null;
  throw error;
}
