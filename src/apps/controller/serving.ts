import { hostname } from 'node:os';
import { type OpenHttpServer, openHttpServer } from '../../adapters/http/server.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import { printable, redact } from '../../evidence/redact.ts';
import { isoTime } from '../../evidence/time.ts';
import { healthReply, type HealthSources } from '../../runtime/health/health.ts';
import { SourceError } from '../cli/context.ts';
import type { Address } from '../cli/options/address.ts';

/** Who hears of the server. */
export interface ServingListener {
  readonly onServing: (port: number) => void;
  readonly onBug: (error: unknown) => void;
}

/** Another one for each start, as a Lease needs it. */
export function identity(): string {
  const drawn = Math.floor(systemRandom.next() * 2 ** 32).toString(16);
  return `${hostname()}_${drawn.padStart(8, '0')}`;
}

/** Aborted by SIGTERM, as a Pod is asked to end, and by SIGINT. */
export function endedBySignal(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  return {
    signal: ending.signal,
    stop: () => {
      process.removeListener('SIGTERM', end);
      process.removeListener('SIGINT', end);
    },
  };
}

/** Lines without secrets, with the time in front. */
export function sayOn(out: (text: string) => void): (line: string) => void {
  return (line) => {
    const at = isoTime({ ms: systemClock.nowMs(), yearless: false, clock: 'utc' });
    out(`${at ?? ''}  ${redact(printable(line))}\n`);
  };
}

/** Serves `/metrics`, `/livez` and `/readyz`. @throws SourceError for an address that is taken */
export async function serveHealth(
  listen: Address,
  sources: HealthSources,
  { onServing, onBug }: ServingListener,
): Promise<OpenHttpServer> {
  const server = await openHttpServer({
    ...listen,
    answer: (question) => healthReply(question, sources),
    onBug,
  }).catch((error: unknown) => {
    const { code = 'failed' } = error as NodeJS.ErrnoException;
    throw new SourceError(
      `${listen.host}:${listen.port} cannot be served (${code}); choose another: --listen 127.0.0.1:0`,
    );
  });
  onServing(server.port);
  return server;
}
