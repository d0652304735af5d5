import type { Clock } from '../../ports/clock.ts';
import type { ApiRequest, ApiUser } from './contract.ts';
import type { AskedName } from './port-failure.ts';
import type { PortHooks } from './port-hooks.ts';
import type { KubeApiServer } from './server.ts';

export const SIMULATED_SERVER = 'https://kubernetes.simulated';

export interface KubePortOptions extends PortHooks {
  readonly server: KubeApiServer;
  readonly user: ApiUser;
  readonly clock: Clock;
}

/** A request in the words of RBAC. */
export function askedName(server: string, { verb, path }: ApiRequest): AskedName {
  const { plural, group, subresource } = path;
  const whole = subresource === null ? plural : `${plural}/${subresource}`;
  return { server, verb, resource: group === '' ? whole : `${whole}.${group}` };
}

/** The way to the server and back. @throws PortError */
export async function pass(
  { clock, delayMs, fault }: KubePortOptions,
  asked: AskedName,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const waitMs = delayMs?.(asked) ?? 0;
  if (waitMs > 0) await clock.sleep(waitMs, signal);
  const failure = fault?.(asked) ?? null;
  if (failure !== null) throw failure;
}
