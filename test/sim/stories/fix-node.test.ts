/** What `rollcall fix node` and `fix name` do in the simulated cluster, from the finding on. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runFast } from '../../../src/apps/lab/drive.ts';
import { diagnoseSimulated } from '../../../src/apps/lab/look.ts';
import type { FixStep } from '../../../src/controllers/fix/fix.ts';
import { fixNames } from '../../../src/controllers/fix/name/fix-name.ts';
import { fixNodes, machinesNamedIn } from '../../../src/controllers/fix/node/fix-node.ts';
import { restartDocument } from '../../../src/controllers/fix/node/restart-document.ts';
import { repairsIn } from '../../../src/controllers/fix/repairs-in.ts';
import { observeCluster } from '../../../src/apps/sim/observe-cluster.ts';
import { readingDocument } from '../../../src/collection/reading-document.ts';
import { isObject, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { type AwsCall, READING_DOCUMENT, RESTART_DOCUMENT } from '../../../src/ports/aws-api.ts';
import { fixToolsIn } from '../../../src/sim/cluster/fix-tools.ts';
import {
  ADMIN,
  buildCluster,
  type SimulatedCluster,
} from '../../../src/sim/cluster/simulated-cluster.ts';
import { readScenario } from '../../../src/sim/stories/scenario.ts';

const MINUTE_MS = 60_000;
const MANAGED = 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore';

async function pass({ kernel }: SimulatedCluster, durationMs: number): Promise<void> {
  await runFast(kernel, kernel.nowMs() + durationMs, { rest: () => Promise.resolve() });
}

async function clusterOf(cloudController: string): Promise<SimulatedCluster> {
  const read = readScenario({
    story: 'two-machines',
    title: 'Two machines that joined',
    until: '30m',
    world: {
      cluster: { kind: 'kubeadm', version: '1.34.3', cloudController, podNetwork: 'calico' },
      groups: [{ name: 'workers', count: 2, type: 'm6i.large', boot: '5s' }],
    },
  });
  assert.ok(read.ok, JSON.stringify(read));
  const simulated = buildCluster({ setting: read.scenario.world, seed: 7 });
  await pass(simulated, 3 * MINUTE_MS);
  return simulated;
}

interface SeenNode {
  readonly name: string;
  readonly uid: string;
  readonly isReady: boolean;
}

function nodesIn({ world }: SimulatedCluster): readonly SeenNode[] {
  return world
    .client(ADMIN)
    .list('Node')
    .map((node) => ({
      name: textAt(node, 'metadata.name') ?? '',
      uid: textAt(node, 'metadata.uid') ?? '',
      isReady: listAt(node, 'status.conditions')
        .filter(isObject)
        .some((one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True'),
    }));
}

function nodeOf(simulated: SimulatedCluster, machine: string): SeenNode {
  const host = simulated.machineOf(machine)?.hostname() ?? '';
  return (
    nodesIn(simulated).find(({ name }) => name === host) ?? assert.fail(`no Node of ${machine}`)
  );
}

/** Runs in the world's own time. */
async function run(
  simulated: SimulatedCluster,
  work: () => Promise<readonly FixStep[]>,
): Promise<readonly FixStep[]> {
  let steps: readonly FixStep[] = [];
  simulated.kernel.spawn('fix', async () => {
    steps = await work();
  });
  await pass(simulated, 15 * MINUTE_MS);
  return steps;
}

/** Gives the agents of Systems Manager their right, and the account the document. */
function manage({ cloud, admin, infrastructure }: SimulatedCluster): void {
  const RoleName = infrastructure.nodeRoleArn.split('/').at(-1) ?? '';
  const making = (Name: string, document: JsonObject): AwsCall => ({
    service: 'ssm',
    operation: 'CreateDocument',
    input: { Name, Content: JSON.stringify(document) },
  });
  const asked: readonly AwsCall[] = [
    { service: 'iam', operation: 'AttachRolePolicy', input: { RoleName, PolicyArn: MANAGED } },
    making(RESTART_DOCUMENT, restartDocument()),
    making(READING_DOCUMENT, readingDocument()),
  ];
  for (const call of asked) {
    const reply = cloud.answer(admin.identity, call);
    assert.ok(reply.ok, JSON.stringify(reply));
  }
}

describe('in the simulated cluster', () => {
  test('a machine whose Node somebody deleted is back after rollcall fix node', async () => {
    const simulated = await clusterOf('none');
    const before = nodeOf(simulated, 'workers-0');
    simulated.world.client(ADMIN).delete('Node', before.name);
    await pass(simulated, 3 * MINUTE_MS);
    // The garbage collector takes the Lease of a deleted Node: only the kubelet shows that it asks.
    assert.deepEqual(machinesNamedIn(await diagnoseSimulated(simulated)), []);
    manage(simulated);
    const cluster = null;
    const { document } = await observeCluster(simulated, { cluster, onRequest: new Set(['ssm']) });
    const targets = machinesNamedIn(document);
    const instanceId = simulated.machineOf('workers-0')?.instanceId ?? '';
    assert.deepEqual(
      targets.map(({ cause, repair }) => [cause, repair.kind, repair.instanceId, repair.node]),
      [['no-reregistration-after-deletion', 'restart-kubelet', instanceId, before.name]],
    );
    const order = { id: 'node-1', isDryRun: false, targets, most: 3, waitMs: 5 * MINUTE_MS };
    const fix = async (): Promise<readonly FixStep[]> =>
      (await fixNodes(order, fixToolsIn(simulated, 'fix node'))).steps;
    const [step] = await run(simulated, fix);
    assert.equal(step?.outcome, 'written', step?.why ?? '');
    const after = nodeOf(simulated, 'workers-0');
    assert.deepEqual([after.isReady, after.uid === before.uid], [true, false]);
    const [again] = await run(simulated, fix);
    assert.equal(again?.outcome, 'not-needed');
  });

  test('the Node of a machine that is gone goes with rollcall fix name', async () => {
    const simulated = await clusterOf('none');
    const gone = nodeOf(simulated, 'workers-1');
    const { cloud } = simulated;
    cloud.controls.terminate(simulated.machineOf('workers-1')?.instanceId ?? '');
    await pass(simulated, 8 * MINUTE_MS);
    const targets = repairsIn(await diagnoseSimulated(simulated), 'delete-node');
    assert.deepEqual(
      targets.map(({ repair }) => [repair.name, repair.uid]),
      [[gone.name, gone.uid]],
    );
    const order = { id: 'name-1', isDryRun: false, targets, most: 20 };
    const [step] = await run(simulated, async () =>
      fixNames(order, fixToolsIn(simulated, 'fix name')),
    );
    assert.equal(step?.outcome, 'written', step?.why ?? '');
    assert.ok(!nodesIn(simulated).some(({ name }) => name === gone.name));
  });
});
