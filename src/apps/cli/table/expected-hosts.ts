import type { ExpectedMachine } from '../../../diagnosis/roll-call/machines.ts';

const HOSTS_MAX = 50_000;
const HOST = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/;
const INSTANCE = /^i-[0-9a-f]{8,17}$/;

/** A line of a file of hosts that is none, with the sentence to print. */
export class ExpectedHostsError extends Error {}

function hostOf(line: string, number: number): ExpectedMachine {
  const [name = '', instanceId, ...rest] = line.split(/\s+/);
  const isInstance = instanceId === undefined || INSTANCE.test(instanceId);
  if (!HOST.test(name) || !isInstance || rest.length > 0)
    throw new ExpectedHostsError(
      `Line ${number} is not a host; write a name, then a space and the instance id if there is one.`,
    );
  return instanceId === undefined ? { name } : { name, instanceId };
}

/**
 * Hosts of `--expect FILE`: one a line, `node-1` or `node-1 i-0abc…`; `#` begins a comment.
 *
 * @throws ExpectedHostsError naming the line that is no host
 */
export function parseExpectedHosts(text: string): readonly ExpectedMachine[] {
  const hosts = text.split('\n').flatMap((line, index) => {
    const bare = line.replace(/#.*$/, '').trim();
    return bare === '' ? [] : [hostOf(bare, index + 1)];
  });
  if (hosts.length > HOSTS_MAX) throw new ExpectedHostsError(`More than ${HOSTS_MAX} hosts in it.`);
  return hosts;
}
