import assert from 'node:assert/strict';
import type { Injected, FaultScene } from '../../../src/sim/faults/contract.ts';
import { faultOf } from '../../../src/sim/faults/faults.ts';
import { createLooking } from '../../../src/sim/faults/looking.ts';
import { randomStream } from '../../../src/sim/kernel/random.ts';
import type { KubeObject } from '../../../src/sim/kube/contract.ts';
import type { ClusterSetting, WorldSetting } from '../../../src/sim/stories/scenario.ts';
import { drawWorld } from '../../../src/sim/swarm/setting.ts';
import { ADMIN, buildCluster } from '../../../src/sim/cluster/simulated-cluster.ts';

const SEEDS = 400;

/** The first drawn world in which the cluster is so. */
function worldWith(isSo: (cluster: ClusterSetting) => boolean): WorldSetting {
  for (let seed = 1; seed < SEEDS; seed++) {
    const world = drawWorld(seed, 2);
    if (isSo(world.cluster)) return { ...world, isAwsLate: false };
  }
  return assert.fail('no seed draws such a cluster');
}

export function pass({ simulated: { kernel } }: FaultScene, minutes: number): void {
  const untilMs = kernel.nowMs() + minutes * 60_000;
  while ((kernel.nextAtMs() ?? Infinity) <= untilMs) kernel.step();
  kernel.passTo(untilMs);
}

export function stageWith(
  isSo: (cluster: ClusterSetting) => boolean,
  change: (world: WorldSetting) => WorldSetting = (world) => world,
): FaultScene {
  const simulated = buildCluster({ setting: change(worldWith(isSo)), seed: 3 });
  const stage = { simulated, people: simulated.world.client(ADMIN), looking: createLooking() };
  pass(stage, 5);
  return stage;
}

/** Puts a fault in; the first chance by which it does what is looked for. */
export function inject(
  stage: FaultScene,
  id: string,
  isWanted: (what: string) => boolean = () => true,
): Injected {
  for (let seed = 1; seed < 100; seed++) {
    const injected: Injected | null | undefined = faultOf(id)?.inject(
      stage,
      randomStream(seed, id),
    );
    if (injected !== null && injected !== undefined && isWanted(injected.what)) return injected;
    injected?.undo();
  }
  return assert.fail(`${id} strikes nothing here`);
}

/** The Node that a sentence begins with. */
export function nodeIn({ people }: FaultScene, { what }: Injected): KubeObject | null {
  return people.get('Node', what.slice(0, what.indexOf(':')));
}
