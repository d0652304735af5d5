import type { CommandResult, JournalFilter } from '../contract.ts';
import type { NodeApi } from '../kubelet/node-api.ts';
import type { KubeadmParts } from './kubeadm.ts';
import type { CommandCall } from './shell.ts';

/** What commands can do to a machine, beside what kubeadm needs. */
export interface CommandParts extends KubeadmParts {
  reboot(): void;
  journalText(filter: JournalFilter): string;
  /** The API server with the credential of `/etc/kubernetes/kubelet.conf`. */
  nodeApi(): NodeApi;
  /** Programs of the image, such as `/etc/eks/bootstrap.sh`. */
  readonly ofImage: Readonly<Record<string, Command>>;
}

export type Command = (call: CommandCall, done: Done) => void;

export type Done = (result: CommandResult) => void;
