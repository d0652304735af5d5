/** `rollcall fix cni` on a real API server: strategic merge, versions, managed fields. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { fixCni } from '../../src/controllers/fix/cni/fix-cni.ts';
import { undoCni } from '../../src/controllers/fix/cni/undo-cni.ts';
import { DAEMON_SETS } from '../../src/controllers/gate/caches.ts';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { awsNode, cniOrder, MANIFEST_ENV } from '../controllers/fix/cni-scene.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { fixToolsAt, type OpenedTools } from './fix-tools.ts';
import type { KubeObject } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE);
const SETS = '/apis/apps/v1/namespaces/kube-system/daemonsets';
const SET = `${SETS}/aws-node`;
const PLACE = { namespace: 'kube-system', name: 'aws-node' };
const NODES = '/api/v1/nodes';
const FULL_SUBNET = 'subnet-out-of-pod-addresses';
const ORDER = cniOrder(FULL_SUBNET, { cluster: null });
const CHANGED = { ...MANIFEST_ENV, WARM_IP_TARGET: '2', MINIMUM_IP_TARGET: '9' };

async function lay({ client }: ControlPlane, query: string): Promise<void> {
  const { metadata, spec = {} } = awsNode(MANIFEST_ENV, { from: 'MY_NODE_NAME' });
  const { name = '', namespace = '' } = metadata as JsonObject;
  await client.create(`${SETS}${query}`, { metadata: { name, namespace }, spec });
}

async function containersOf({ client }: ControlPlane): Promise<readonly JsonObject[]> {
  const found = await client.get<KubeObject>(SET);
  return listAt(found as unknown as JsonObject, 'spec.template.spec.containers') as JsonObject[];
}

async function variablesOf(plane: ControlPlane): Promise<Readonly<Record<string, string>>> {
  const [, container] = await containersOf(plane);
  const entries = listAt(container, 'env').filter((one) => textAt(one, 'value') !== null);
  return Object.fromEntries(
    entries.map((one) => [textAt(one, 'name') ?? '', textAt(one, 'value') ?? '']),
  );
}

async function addVariable({ writes }: OpenedTools, name: string): Promise<void> {
  const containers = [{ name: 'aws-node', env: [{ name, value: 'x' }] }];
  const change = { spec: { template: { spec: { containers } } } };
  await writes.patch(DAEMON_SETS, PLACE, { type: 'strategic', change });
}

describe('the DaemonSet of the CNI', { skip, timeout: 120_000 }, () => {
  let plane: ControlPlane;
  let opened: OpenedTools;

  before(async () => {
    plane = await startControlPlane();
    opened = await fixToolsAt(plane);
    const labels = { 'node.kubernetes.io/instance-type': 'm5.large' };
    await plane.client.create(NODES, { metadata: { name: 'n1', labels } });
  });
  after(async () => {
    await opened.close();
    await plane.stop();
  });
  beforeEach(async () => {
    opened.notes.length = 0;
    await plane.client.remove(SET).catch(() => undefined);
    await lay(plane, '');
  });

  test('is checked in a dry run, changed with --yes, and taken back', async () => {
    const [dry] = await fixCni({ ...ORDER, isDryRun: true }, opened.tools(true));
    assert.equal(dry?.outcome, 'would-write', dry?.why ?? '');
    assert.deepEqual(await variablesOf(plane), MANIFEST_ENV);
    const [step] = await fixCni(ORDER, opened.tools());
    assert.equal(step?.outcome, 'written', step?.why ?? '');
    assert.deepEqual(await variablesOf(plane), CHANGED);
    const [agent, container] = await containersOf(plane);
    assert.equal(agent?.['name'], 'aws-eks-nodeagent');
    assert.ok(JSON.stringify(container).includes('configMapKeyRef'));
    const undone = await undoCni(opened.notes[0] ?? {}, ORDER, opened.tools());
    assert.equal(undone.outcome, 'written', undone.why);
    assert.deepEqual(await variablesOf(plane), MANIFEST_ENV);
    const again = await undoCni(opened.notes[0] ?? {}, ORDER, opened.tools());
    assert.equal(again.outcome, 'not-needed', again.why);
  });

  test('loses nothing to twenty writers at once', async () => {
    const names = Array.from({ length: 20 }, (_, number) => `OTHER_${number}`);
    const [[step]] = await Promise.all([
      fixCni(ORDER, opened.tools()),
      ...names.map(async (name) => addVariable(opened, name)),
    ]);
    assert.equal(step?.outcome, 'written', step?.why ?? '');
    const others = Object.fromEntries(names.map((name) => [name, 'x']));
    assert.deepEqual(await variablesOf(plane), { ...CHANGED, ...others });
  });

  test('that EKS applies stays, as EKS would take the change back', async () => {
    await plane.client.remove(SET);
    await lay(plane, '?fieldManager=eks');
    const [step] = await fixCni(ORDER, opened.tools());
    assert.equal(step?.outcome, 'refused');
    assert.match(step.why, /is an add-on of EKS/);
    assert.deepEqual(await variablesOf(plane), MANIFEST_ENV);
  });
});
