import type { Host } from '../../ports/host.ts';

/** Where the machine's programs are, as seen from this program. */
export interface MachineRoot {
  readonly host: Host;
  /** The machine's file system below a folder of this container; null for the own one. */
  readonly root: string | null;
}
