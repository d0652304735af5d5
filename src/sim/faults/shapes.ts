import type { JsonObject } from '../../evidence/json.ts';
import type { RandomStream } from '../kernel/random.ts';
import type { SimulatedMachine } from '../machines/contract.ts';
import type { Effect, Fault, Injected, FaultScene, Truth } from './contract.ts';
import { anyMachine, anyMember, type Member } from './targets.ts';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** What shows where a kubelet is not heard, or not known to whoever hears it. */
export const UNHEARD: readonly Effect[] = ['silent', 'no-node', 'deleted'];

type Kind = Omit<Fault, 'inject'>;

/** A fault that strikes one machine by chance. */
export function onMachine(
  kind: Kind,
  strike: (stage: FaultScene, machine: SimulatedMachine, random: RandomStream) => Injected | null,
): Fault {
  return {
    ...kind,
    inject(stage, random) {
      const machine = anyMachine(stage, random);
      return machine === null ? null : strike(stage, machine, random);
    },
  };
}

/** A fault that strikes one machine that has a Node, or this Node, by chance. */
export function onMember(
  kind: Kind,
  strike: (stage: FaultScene, member: Member, random: RandomStream) => Injected | null,
): Fault {
  return {
    ...kind,
    inject(stage, random) {
      const member = anyMember(stage, random);
      return member === null ? null : strike(stage, member, random);
    },
  };
}

/** Right of this one machine. */
export function truthOf(
  { instanceId }: SimulatedMachine,
  causes: readonly string[],
  shows: readonly Effect[],
): Truth {
  return { causes, machines: [instanceId], shows };
}

/** By a merge patch, as long as the Node is there. */
export function patchNode({ people }: FaultScene, name: string, patch: JsonObject): void {
  if (people.get('Node', name) !== null) people.patch('Node', name, 'merge', patch);
}

export function cordon(stage: FaultScene, name: string, unschedulable: boolean): void {
  patchNode(stage, name, { spec: { unschedulable } });
}
