import { PortError } from '../../ports/port-error.ts';
import { type ProcStat, readProcStat } from '../../readers/host/proc-stat.ts';
import type { MachineRoot } from './machine-root.ts';
import { settled } from './probe.ts';

const KUBELET = 'kubelet';
const STAT_BYTES_MAX = 4_096;
const PID = /^\d{1,10}$/;
const INIT = 1;

/** When the kubelet of a machine began, ms after the boot; null where none is seen. */
export type KubeletFinder = (machine: MachineRoot) => Promise<number | null>;

interface Found extends ProcStat {
  readonly pid: string;
}

async function kubeletAt({ host, root }: MachineRoot, pid: string): Promise<Found | null> {
  const bytes = await settled(host.readFile(`${root ?? ''}/proc/${pid}/stat`, STAT_BYTES_MAX));
  // Processes end while they are listed.
  if (bytes instanceof PortError) return null;
  const stat = readProcStat(new TextDecoder().decode(bytes));
  return stat?.name === KUBELET ? { ...stat, pid } : null;
}

/** Of several the one that init started: a container may run a kubelet too. */
function hostOwn(found: readonly Found[]): Found | null {
  const own = found.filter(({ parent }) => parent === INIT);
  const [first] = (own.length === 0 ? found : own).toSorted((a, b) => a.startedMs - b.startedMs);
  return first ?? null;
}

async function search(machine: MachineRoot): Promise<Found | null> {
  const names = await settled(machine.host.listFolder(`${machine.root ?? ''}/proc`));
  if (names instanceof PortError) return null;
  const found: Found[] = [];
  for (const pid of names.filter((name) => PID.test(name))) {
    const one = await kubeletAt(machine, pid);
    if (one !== null) found.push(one);
  }
  return hostOwn(found);
}

/** Looks at the process it knows, and through all of them only once that is gone. */
export function kubeletFinder(): KubeletFinder {
  let known: Found | null = null;
  return async (machine) => {
    const now = known === null ? null : await kubeletAt(machine, known.pid);
    if (now === null || now.startedMs !== known?.startedMs) known = await search(machine);
    return known?.startedMs ?? null;
  };
}
