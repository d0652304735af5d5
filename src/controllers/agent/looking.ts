import type { Clock } from '../../ports/clock.ts';
import type { NodeProbe, ProbeResult } from '../../ports/node-probe.ts';
import { PortError } from '../../ports/port-error.ts';
import { within } from '../../runtime/within.ts';

/**
 * Looks with one probe, never for longer than its limit. A look that hangs beyond its limit is not
 * joined by a second one: until it ends, each look says that it hangs.
 */
export class ProbeLooker {
  readonly probe: NodeProbe;
  readonly #clock: Clock;
  #isHanging = false;

  constructor(probe: NodeProbe, clock: Clock) {
    this.probe = probe;
    this.#clock = clock;
  }

  /** @throws the reason of the signal, and what is a bug of the probe */
  async look(stop: AbortSignal): Promise<ProbeResult> {
    const { timeoutMs } = this.probe;
    if (this.#isHanging) return unknown('LookHangs', 'The look before this one has not ended yet.');
    const late = (): PortError =>
      new PortError({
        failure: 'timeout',
        message: `The look did not end within ${timeoutMs / 1000} s.`,
      });
    try {
      const limit = { clock: this.#clock, durationMs: timeoutMs, signal: stop, late };
      return await within(limit, async (signal) => this.#tracked(signal));
    } catch (error) {
      if (stop.aborted || !(error instanceof PortError)) throw error;
      return unknown(error.failure === 'timeout' ? 'LookTimedOut' : 'CannotLook', error.message);
    }
  }

  async #tracked(signal: AbortSignal): Promise<ProbeResult> {
    this.#isHanging = true;
    try {
      return await this.probe.look(signal);
    } finally {
      this.#isHanging = false;
    }
  }
}

function unknown(reason: string, message: string): ProbeResult {
  return { answer: 'unknown', reason, message };
}
