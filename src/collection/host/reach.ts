import type { Clock } from '../../ports/clock.ts';
import type { Host, HostRun } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';

/** The machine within the time that is left for all of the collection. */
export interface Reach {
  readonly host: Host;
  /** The given limit, or less when the whole collection ends sooner; at least 1 ms. */
  timeoutMs(limitMs: number): number;
  /** Runs a program; one that hung once is not waited for again. */
  run(argv: readonly string[], limitMs: number, bytesMax: number): Promise<HostRun>;
}

export function createReach(host: Host, clock: Clock, limitMs: number): Reach {
  const endMs = clock.monotonicMs() + limitMs;
  const hung = new Map<string, PortError>();
  const timeoutMs = (askedMs: number): number =>
    Math.max(1, Math.min(askedMs, endMs - clock.monotonicMs()));
  return {
    host,
    timeoutMs,
    async run(argv, programLimitMs, bytesMax) {
      const program = argv[0] ?? '';
      const known = hung.get(program);
      if (known !== undefined) throw known;
      try {
        return await host.run(argv, { timeoutMs: timeoutMs(programLimitMs), bytesMax });
      } catch (error) {
        if (error instanceof PortError && error.failure === 'timeout') hung.set(program, error);
        throw error;
      }
    },
  };
}

/** The error as a refusal of the port; anything else is a mistake of this program and thrown. */
export function refusal(error: unknown): PortError {
  if (error instanceof PortError) return error;
  throw error;
}
