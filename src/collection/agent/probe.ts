import type { Clock } from '../../ports/clock.ts';
import type { Host } from '../../ports/host.ts';
import type { NodeProbe, ProbeResult } from '../../ports/node-probe.ts';
import { PortError } from '../../ports/port-error.ts';

/** What every probe looks with. */
export interface ProbeTools {
  readonly host: Host;
  readonly clock: Clock;
}

/** How often and how long one probe looks, ms. */
export interface ProbeTimes {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

export function yes(reason: string, message: string): ProbeResult {
  return { answer: 'yes', reason, message };
}

export function no(reason: string, message: string): ProbeResult {
  return { answer: 'no', reason, message };
}

export function unknown(reason: string, message: string): ProbeResult {
  return { answer: 'unknown', reason, message };
}

/** A probe whose condition is a proof. */
export function proofOf(condition: string, times: ProbeTimes, look: NodeProbe['look']): NodeProbe {
  return { condition: `rollcall.dev/${condition}`, says: 'proof', ...times, look };
}

/** What was asked for, or the `PortError` that came instead. */
export async function settled<T>(asking: Promise<T>): Promise<T | PortError> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof PortError) return error;
    throw error;
  }
}

/** `in 12 ms` */
export function took(clock: Clock, startMs: number): string {
  return `in ${Math.round(clock.monotonicMs() - startMs)} ms`;
}
