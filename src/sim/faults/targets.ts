import { textAt } from '../../evidence/json.ts';
import type { RandomStream } from '../kernel/random.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { Machine } from '../machines/contract.ts';
import type { Stage } from './contract.ts';

/** Machines that are on, in the order in which they were launched. */
export function runningMachines({ town }: Stage): readonly Machine[] {
  return town.yard.machines().filter((machine) => machine.isOn());
}

/** One of them by chance; null when there is none. */
export function anyMachine(stage: Stage, random: RandomStream): Machine | null {
  const machines = runningMachines(stage);
  return machines.length === 0 ? null : random.pick(machines);
}

/** The Node that belongs to a machine by its name. */
export function nodeOf({ people }: Stage, machine: Machine): KubeObject | null {
  const name = machine.nodeName();
  return name === null ? null : people.get('Node', name);
}

/** A machine with the name of its Node. */
export interface Member {
  readonly machine: Machine;
  readonly name: string;
}

/** One machine that has a Node by chance. */
export function anyMember(stage: Stage, random: RandomStream): Member | null {
  const members = runningMachines(stage).filter((machine) => nodeOf(stage, machine) !== null);
  if (members.length === 0) return null;
  const machine = random.pick(members);
  return { machine, name: machine.nodeName() ?? '' };
}

/** As people name a machine: its Node, or its instance id. */
export function called(machine: Machine): string {
  return machine.nodeName() ?? machine.instanceId;
}

/** A DaemonSet of the system whose name begins so. */
export function daemonSetNamed({ people }: Stage, name: string): KubeObject | null {
  const all = people.list('DaemonSet', { namespace: 'kube-system' });
  return all.find((one) => textAt(one, 'metadata.name') === name) ?? null;
}

/** Ends the pods of an agent on a node, by the beginning of their names; the next ones start at once. */
export function deleteAgents({ people }: Stage, node: string, start: string): void {
  for (const pod of people.list('Pod', { namespace: 'kube-system' })) {
    const name = textAt(pod, 'metadata.name') ?? '';
    const isThere = textAt(pod, 'spec.nodeName') === node;
    if (isThere && name.startsWith(start)) people.delete('Pod', `kube-system/${name}`);
  }
}

/** Whether the pods of the control plane run there; with its Node they go. */
export function isControlPlane({ town }: Pick<Stage, 'town'>, instanceId: string): boolean {
  return town
    .names()
    .some((name) => name.startsWith('control-plane-') && town.instanceOf(name) === instanceId);
}

export function nothing(): void {
  // Some things cannot be taken back.
}
