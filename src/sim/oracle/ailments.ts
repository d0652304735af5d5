import { textAt } from '../../evidence/json.ts';
import type { Effect, FaultScene } from '../faults/contract.ts';
import type { SimulatedMachine } from '../machines/contract.ts';
import { nodeView } from '../platform/objects/node.ts';
import { type Ailment, BEFORE_ALL_MS, type EffectBook, withEffects } from './effects.ts';
import { hasPodAddresses, nodeOfInstance, stuckNodes } from './states.ts';

type Scene = Pick<FaultScene, 'simulated' | 'people'>;

const OFF: Ailment['shown'] = new Map([['off', BEFORE_ALL_MS]]);

/** What every machine shows at this moment, by what is remembered of its Node and a closer look. */
export function ailmentsOf(scene: Scene, book: EffectBook): ReadonlyMap<string, Ailment> {
  const nodes = scene.people.list('Node');
  const stuck = stuckNodes(scene);
  const machines = scene.simulated.hypervisor.machines();
  return new Map(
    machines.map((machine) => {
      const { instanceId } = machine;
      const remembered = book.of(instanceId);
      if (!machine.isOn()) return [instanceId, withEffects(remembered, OFF)];
      const node = nodeOfInstance(nodes, instanceId, machine.nodeName());
      if (node === null)
        return [instanceId, remembered.shown.has('deleted') ? remembered : unborn(machine)];
      const stuckMs = stuck.get(textAt(node, 'metadata.name') ?? '');
      const isAddressless = !hasPodAddresses(scene.simulated, instanceId);
      const beganMs = Math.max(machine.bootedMs(), nodeView(node).createdMs);
      const more = new Map<Effect, number>();
      if (stuckMs !== undefined) more.set('stuck', stuckMs);
      if (isAddressless) more.set('addressless', beganMs);
      return [instanceId, withEffects(remembered, more)];
    }),
  );
}

/** Whatever was done to it since it was switched on may be why it has no Node. */
function unborn(machine: SimulatedMachine): Ailment {
  return { shown: new Map([['no-node', BEFORE_ALL_MS]]), sinceMs: machine.bootedMs() };
}
