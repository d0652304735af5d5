import type { Host } from '../../ports/host.ts';
import { imdsInstanceId, imdsRegion, imdsValue, readImds } from '../host/imds.ts';
import { shortText } from '../host/machine.ts';

/** What tells this machine from every other one. */
export interface JoinMachine {
  /** null where neither instance metadata nor the user gave it. */
  readonly instanceId: string | null;
  readonly region: string | null;
  readonly zone: string | null;
  /** As instance metadata has them: `local-hostname`. */
  readonly localHostname: string | null;
  readonly bootId: string | null;
  readonly systemUuid: string | null;
  readonly machineId: string | null;
}

const BYTES_MAX = 256;

/** Reads who this machine is; what cannot be read is null. */
export async function readJoinMachine(host: Host, instanceId: string | null): Promise<JoinMachine> {
  const text = async (path: string): Promise<string | null> => {
    const found = await shortText(host, path, BYTES_MAX);
    return found === null || found === '' ? null : found.toLowerCase();
  };
  const imds = await readImds(host);
  return {
    instanceId: instanceId ?? imdsInstanceId(imds),
    region: imdsRegion(imds),
    zone: imdsValue(imds, 'meta-data/placement/availability-zone'),
    localHostname: imdsValue(imds, 'meta-data/local-hostname'),
    bootId: await text('/proc/sys/kernel/random/boot_id'),
    systemUuid: await text('/sys/class/dmi/id/product_uuid'),
    machineId: await text('/etc/machine-id'),
  };
}
