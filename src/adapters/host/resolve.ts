import { lookup } from 'node:dns/promises';
import { type Clock, startTimer } from '../../ports/clock.ts';
import type { HostRun } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';
import { portErrorOf, timeoutOf } from './failure.ts';
import { runProgram } from './run.ts';

const OUTPUT_BYTES_MAX = 64 * 1024;
const NAME = /^[a-z0-9_][\w.-]{0,252}$/i;

/** Addresses by the machine's own resolver: its hosts file, its search list, its name servers. */
export async function resolveName(
  name: string,
  timeoutMs: number,
  clock: Clock,
): Promise<readonly string[]> {
  if (!NAME.test(name)) {
    const message = `${JSON.stringify(name.slice(0, 100))} is not a host name.`;
    throw new PortError({ failure: 'invalid', message });
  }
  const ran = await askGetent(name, timeoutMs, clock);
  return ran === null ? lookUpHere(name, timeoutMs, clock) : addressesIn(name, ran);
}

/** A look-up inside this program could not be cancelled and would hold up its end; a child can. */
async function askGetent(name: string, timeoutMs: number, clock: Clock): Promise<HostRun | null> {
  try {
    const limits = { timeoutMs, bytesMax: OUTPUT_BYTES_MAX };
    return await runProgram(['getent', 'ahosts', name], limits, clock);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    if (error.failure === 'not-found') return null;
    throw error.failure === 'timeout' ? lateOf(name, timeoutMs) : error;
  }
}

function addressesIn(name: string, { stdout, exitCode }: HostRun): readonly string[] {
  const lines = new TextDecoder().decode(stdout).split('\n');
  const addresses = lines.map((line) => line.split(' ', 1)[0] ?? '').filter(Boolean);
  if (exitCode === 0 && addresses.length > 0) return [...new Set(addresses)];
  throw portErrorOf(name, Object.assign(new Error('getent'), { code: 'ENOTFOUND' }));
}

/** For machines without getent. */
async function lookUpHere(
  name: string,
  timeoutMs: number,
  clock: Clock,
): Promise<readonly string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = startTimer(clock, timeoutMs, () => reject(lateOf(name, timeoutMs)));
  try {
    const found = await Promise.race([lookup(name, { all: true }), late]);
    return found.map(({ address }) => address);
  } catch (error) {
    throw error instanceof PortError ? error : portErrorOf(name, error);
  } finally {
    timer.cancel();
  }
}

function lateOf(name: string, timeoutMs: number): PortError {
  return timeoutOf(`The look-up of ${name}`, timeoutMs);
}
