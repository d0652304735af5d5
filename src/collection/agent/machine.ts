import type { NodeProbe } from '../../ports/node-probe.ts';
import { PortError } from '../../ports/port-error.ts';
import { readMount } from '../../readers/host/mounts.ts';
import { no, type ProbeTimes, type ProbeTools, proofOf, settled, unknown, yes } from './probe.ts';

export interface CsiPlace {
  /** `/var/lib/kubelet/plugins_registry` */
  readonly folder: string;
  /** `ebs.csi.aws.com` */
  readonly drivers: readonly string[];
  /** Drivers of this Node's CSINode; throws `PortError`. */
  readonly registered: (signal: AbortSignal) => Promise<readonly string[]>;
}

/** Whether each driver has a socket on the machine and is known to the API server. */
export function csiProbe(
  { host }: ProbeTools,
  { folder, drivers, registered }: CsiPlace,
  times: ProbeTimes,
): NodeProbe {
  return proofOf('CsiSocketsRegistered', times, async (signal) => {
    const sockets = await settled(host.listFolder(folder));
    if (sockets instanceof PortError) return unknown('FolderUnread', sockets.message);
    const silent = drivers.filter((driver) => !sockets.some((name) => isSocketOf(name, driver)));
    if (silent.length > 0) return no('NoSocket', `No socket in ${folder}: ${silent.join(', ')}.`);
    const known = await registered(signal);
    const missing = drivers.filter((driver) => !known.includes(driver));
    if (missing.length > 0) return no('NotRegistered', `Not in CSINode: ${missing.join(', ')}.`);
    return yes('Registered', `In CSINode, with a socket: ${drivers.join(', ')}.`);
  });
}

/** node-driver-registrar names its socket after the driver. */
function isSocketOf(name: string, driver: string): boolean {
  return name === `${driver}-reg.sock` || name === `${driver}.sock`;
}

const FREE_SHARE_MIN = 0.05;
const MOUNTS_BYTES_MAX = 1024 * 1024;
const GIB = 2 ** 30;

/** Whether the file systems that hold these paths can be written and have room. */
export function diskProbe(
  tools: ProbeTools,
  paths: readonly string[],
  times: ProbeTimes,
): NodeProbe {
  const { host } = tools;
  return proofOf('DiskUsable', times, async () => {
    const bytes = await host.readFile('/proc/self/mountinfo', MOUNTS_BYTES_MAX);
    const mounts = new TextDecoder().decode(bytes);
    const told: string[] = [];
    for (const path of paths) {
      if (readMount(mounts, path)?.isReadOnly === true)
        return no('ReadOnly', `The file system of ${path} is mounted read-only.`);
      const space = await host.space(path);
      const inodes = space.inodesTotal === 0 ? 1 : space.inodesFree / space.inodesTotal;
      const share = Math.min(space.bytesFree / space.bytesTotal, inodes);
      const text = `${path} has ${(space.bytesFree / GIB).toFixed(1)} GiB and ${(100 * share).toFixed(0)} % free`;
      if (!(share >= FREE_SHARE_MIN)) return no('Full', `${text}, of blocks or inodes.`);
      told.push(text);
    }
    return yes('Writable', `${told.join('; ')}.`);
  });
}
