import { textAt } from '../../evidence/json.ts';
import type { RandomStream } from '../kernel/random.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { SimulatedMachine } from '../machines/contract.ts';
import type { FaultScene } from './contract.ts';

/** Machines that are on, in the order in which they were launched. */
export function runningMachines({ simulated }: FaultScene): readonly SimulatedMachine[] {
  return simulated.hypervisor.machines().filter((machine) => machine.isOn());
}

/** One of them by chance; null when there is none. */
export function anyMachine(stage: FaultScene, random: RandomStream): SimulatedMachine | null {
  const machines = runningMachines(stage);
  return machines.length === 0 ? null : random.pick(machines);
}

/** The Node that belongs to a machine by its name. */
export function nodeOf({ people }: FaultScene, machine: SimulatedMachine): KubeObject | null {
  const name = machine.nodeName();
  return name === null ? null : people.get('Node', name);
}

/** A machine with the name of its Node. */
export interface Member {
  readonly machine: SimulatedMachine;
  readonly name: string;
}

/** One machine that has a Node by chance. */
export function anyMember(stage: FaultScene, random: RandomStream): Member | null {
  const members = runningMachines(stage).filter((machine) => nodeOf(stage, machine) !== null);
  if (members.length === 0) return null;
  const machine = random.pick(members);
  return { machine, name: machine.nodeName() ?? '' };
}

/** As people name a machine: its Node, or its instance id. */
export function called(machine: SimulatedMachine): string {
  return machine.nodeName() ?? machine.instanceId;
}

/** A DaemonSet of the system whose name begins so. */
export function daemonSetNamed({ people }: FaultScene, name: string): KubeObject | null {
  const all = people.list('DaemonSet', { namespace: 'kube-system' });
  return all.find((one) => textAt(one, 'metadata.name') === name) ?? null;
}

/** Ends the pods of an agent on a node, by the beginning of their names; the next ones start at once. */
export function deleteAgents({ people }: FaultScene, node: string, start: string): void {
  for (const pod of people.list('Pod', { namespace: 'kube-system' })) {
    const name = textAt(pod, 'metadata.name') ?? '';
    const isThere = textAt(pod, 'spec.nodeName') === node;
    if (isThere && name.startsWith(start)) people.delete('Pod', `kube-system/${name}`);
  }
}

/** Whether the pods of the control plane run there; with its Node they go. */
export function isControlPlane(
  { simulated }: Pick<FaultScene, 'simulated'>,
  instanceId: string,
): boolean {
  return simulated
    .names()
    .some((name) => name.startsWith('control-plane-') && simulated.instanceOf(name) === instanceId);
}

export function nothing(): void {
  // Some things cannot be taken back.
}
