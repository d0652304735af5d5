import { climbed, isOver, type States, statesOf } from '../../../diagnosis/climb.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import { isoTime } from '../../../evidence/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Repeat } from './look-again.ts';

/** How long between two looks when nothing changes, ms: a Lease is renewed every ten seconds. */
export const WAIT_PAUSE_MS = 5000;

export interface Waited {
  readonly document: DiagnosisDocument;
  /** True when the limit came before the waiting was over. */
  readonly isLate: boolean;
}

/** Looks again and again while a fix takes effect; says each rung as it changes. */
export async function waitUntilOver(
  look: () => Promise<DiagnosisDocument>,
  repeat: Repeat,
  say: (line: string) => void,
  limit?: AbortSignal,
): Promise<Waited> {
  let mended: string | null | undefined;
  let before: States = new Map();
  let isDone = false;
  const isLast = (document: DiagnosisDocument): boolean => {
    mended = mended === undefined ? (document.headline?.cause ?? null) : mended;
    for (const line of climbed(before, document.subjects)) say(line);
    before = statesOf(document.subjects);
    isDone = isOver(document, mended);
    return isDone;
  };
  const document = await repeat(look, isLast, limit);
  return { document, isLate: !isDone };
}

/** Each line with the time at which it is said. */
export function timed(clock: Clock, say: (line: string) => void): (line: string) => void {
  return (line) => {
    const at = isoTime({ ms: clock.nowMs(), yearless: false, clock: 'utc' }) ?? '';
    say(`${at} ${line}`);
  };
}
