import type { CommandResult, UnitState } from '../contract.ts';
import type { Host } from '../host.ts';
import type { KubeletDisk } from '../kubelet/disk.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import type { MachineNetwork } from '../network/network.ts';
import type { Neighbourhood } from '../programs/program.ts';

/** What a booting machine has. */
export interface BootParts {
  readonly host: Host;
  readonly network: MachineNetwork;
  readonly disk: KubeletDisk;
  readonly kubelet: Kubelet;
  readonly neighbours: Neighbourhood;
  setUnit(name: string, state: UnitState): void;
  runScript(
    script: string,
    print: (text: string) => void,
    done: (result: CommandResult) => void,
  ): void;
}
