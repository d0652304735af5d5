import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../src/adapters/system/settle.ts';
import { isoTime } from '../../../src/evidence/time.ts';
import { runUntil } from '../../../src/sim/kernel/kernel.ts';
import type { TrueInstance } from '../../../src/sim/aws/contract.ts';
import type { KubeClient, KubeObject } from '../../../src/sim/kube/contract.ts';
import { trueStates } from '../../../src/sim/oracle/states.ts';
import { drawWorld } from '../../../src/sim/swarm/setting.ts';
import { ADMIN, buildCluster } from '../../../src/sim/cluster/simulated-cluster.ts';

const MINUTE_MS = 60_000;

/** A pod that was given to a Node and has no address yet. */
function waitingPod(node: string, boundMs: number): KubeObject {
  const startTime = isoTime({ ms: boundMs, yearless: false, clock: 'utc' }) ?? '';
  return {
    metadata: { name: 'late', namespace: 'production' },
    spec: { nodeName: node, containers: [] },
    status: { phase: 'Pending', startTime },
  };
}

test('a machine with a pod that has waited for minutes is not healthy although its Node is Ready', async () => {
  const simulated = buildCluster({ setting: drawWorld(1, 2), seed: 1 });
  const people = simulated.world.client(ADMIN);
  await runUntil(simulated.kernel, simulated.kernel.nowMs() + 4 * MINUTE_MS, settle);
  const nowMs = simulated.kernel.nowMs();
  const well = trueStates({ simulated, people }, new Set()).find(({ isUsable }) => isUsable);
  assert.ok(well !== undefined && well.node !== null, 'one machine is well');
  const { node } = well;
  const isWellWith = (pod: KubeObject): boolean => {
    const list: KubeClient['list'] = (kind, options) =>
      kind === 'Pod' ? [pod] : people.list(kind, options);
    const states = trueStates({ simulated, people: { ...people, list } }, new Set());
    return states.find(({ instanceId }) => instanceId === well.instanceId)?.isUsable === true;
  };
  assert.equal(isWellWith(waitingPod(node, nowMs - MINUTE_MS)), true);
  assert.equal(isWellWith(waitingPod(node, nowMs - 3 * MINUTE_MS)), false);
  assert.equal(isWellWith(waitingPod('another', nowMs - 3 * MINUTE_MS)), true);
});

test('a machine without a pod address is not healthy although no pod waits', async () => {
  const drawn = drawWorld(1, 2);
  const setting = { ...drawn, cluster: { ...drawn.cluster, podNetwork: 'vpc-cni' } } as const;
  const simulated = buildCluster({ setting, seed: 1 });
  const people = simulated.world.client(ADMIN);
  await runUntil(simulated.kernel, simulated.kernel.nowMs() + 4 * MINUTE_MS, settle);
  const well = trueStates({ simulated, people }, new Set()).find(({ isUsable }) => isUsable);
  assert.ok(well !== undefined, 'one machine is well');
  const instance = simulated.cloud.instance(well.instanceId);
  assert.ok(instance !== null);
  const isWellWith = (interfaces: TrueInstance['interfaces']): boolean => {
    const cloud = { ...simulated.cloud, instance: () => ({ ...instance, interfaces }) };
    const states = trueStates({ simulated: { ...simulated, cloud }, people }, new Set());
    return states.find(({ instanceId }) => instanceId === well.instanceId)?.isUsable === true;
  };
  assert.equal(isWellWith(instance.interfaces), true);
  const bare = instance.interfaces.map((one) => ({ ...one, addresses: one.addresses.slice(0, 1) }));
  assert.equal(isWellWith(bare), false);
  assert.equal(isWellWith(bare.map((one) => ({ ...one, prefixes: ['10.0.0.16/28'] }))), true);
});
