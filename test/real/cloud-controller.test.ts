/** What a Node meets that joins before AWS shows its instance, in both ways known. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  CLOUD_CONTROLLER_VERSIONS,
  type CloudControllerVersion,
} from '../../tools/real-parts/recipes.ts';
import { type Program, until } from './bench.ts';
import { CLUSTER_ID, startCloudController, textOf } from './cloud-controller.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import type { KubeEvent, Node } from './kube-client.ts';
import { type Moto, startMoto, unauthorized } from './moto.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

interface Instance {
  readonly id: string;
  readonly address: string;
  /** The private DNS name, which is also the Node's name on a machine that was set up well. */
  readonly name: string;
  readonly providerID: string;
}

async function runInstance(moto: Moto): Promise<Instance> {
  const xml = await moto.ec2('RunInstances', {
    ImageId: 'ami-12c6146b',
    InstanceType: 't3.small',
    MinCount: '1',
    MaxCount: '1',
    'TagSpecification.1.ResourceType': 'instance',
    'TagSpecification.1.Tag.1.Key': `kubernetes.io/cluster/${CLUSTER_ID}`,
    'TagSpecification.1.Tag.1.Value': 'owned',
  });
  const id = textOf(xml, 'instanceId');
  // While it is pending, moto tells less of it.
  const seen = await moto.ec2('DescribeInstances', { 'InstanceId.1': id });
  const zone = textOf(seen, 'availabilityZone');
  const address = textOf(seen, 'privateIpAddress');
  // The first name in the answer is that of the network interface, which moto puts elsewhere.
  const name = `ip-${address.replaceAll('.', '-')}.${moto.region}.compute.internal`;
  return { id, address, name, providerID: `aws:///${zone}/${id}` };
}

/** As a kubelet with `--cloud-provider=external` registers itself, before it has a network. */
function registered(name: string, address: string, spec: { providerID?: string } = {}): object {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name },
      annotations: { 'alpha.kubernetes.io/provided-node-ip': address },
    },
    spec: { ...spec, taints: [{ key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' }] },
    status: {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', ...times }],
    },
  };
}

function isUninitialized({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === UNINITIALIZED);
}

const skip = missing(...CONTROL_PLANE, 'moto', ...CLOUD_CONTROLLER_VERSIONS);

/** A machine that also runs other tests takes its time over the retries of the controller. */
const WITH_PARTS = { skip, timeout: 120_000 };
let plane: ControlPlane;
let moto: Moto;

before(async () => {
  if (skip !== false) return;
  moto = await startMoto();
  plane = await startControlPlane();
});
after(async () => {
  if (skip !== false) return;
  await plane.stop();
  await moto.stop();
});
beforeEach(async () => {
  if (skip !== false) return;
  for (const { metadata } of await plane.client.list<Node>('/api/v1/nodes'))
    await plane.client.remove(nodePath(metadata.name));
  await moto.reset();
});

function nodePath(name: string): string {
  return `/api/v1/nodes/${name}`;
}

async function join(...node: Parameters<typeof registered>): Promise<Node> {
  return plane.client.create<Node>('/api/v1/nodes', registered(...node));
}

async function untilDeleted({ metadata }: Node): Promise<void> {
  const { name } = metadata;
  await until(`the deletion of Node ${name}`, async () =>
    (await plane.client.find(nodePath(name))) === null ? true : null,
  );
}

async function deletions({ metadata }: Node): Promise<readonly KubeEvent[]> {
  const query = `fieldSelector=involvedObject.name=${metadata.name},reason=DeletingNode`;
  const events = await plane.client.list<KubeEvent>(`/api/v1/events?${query}`);
  return events.filter(({ involvedObject }) => involvedObject.uid === metadata.uid);
}

/** Twice, so that what follows the first is over. */
async function untilSaid(controller: Program, line: string): Promise<void> {
  await until(`its log to say twice: ${line}`, async () =>
    controller.log().split(line).length > 2 ? true : null,
  );
}

async function assertKept(node: Node): Promise<void> {
  const kept = await plane.client.get<Node>(nodePath(node.metadata.name));
  assert.equal(kept.metadata.uid, node.metadata.uid);
  assert.ok(isUninitialized(kept));
  assert.deepEqual(await deletions(node), []);
}

for (const version of CLOUD_CONTROLLER_VERSIONS)
  describe(`AWS cloud controller manager ${version}`, () => testsOf(version));

function testsOf(version: CloudControllerVersion): void {
  let controller: Program;
  before(async () => {
    if (skip === false)
      controller = await startCloudController({ version, controlPlane: plane, moto });
  });
  after(async () => {
    if (skip === false) await controller.stop();
  });

  test('initializes a Node whose instance is visible', WITH_PARTS, async () => {
    const { name, address, providerID } = await runInstance(moto);
    const { metadata } = await join(name, address);
    const node = await until('the Node to be initialised', async () => {
      const found = await plane.client.get<Node>(nodePath(name));
      return isUninitialized(found) ? null : found;
    });
    assert.equal(node.metadata.uid, metadata.uid);
    assert.equal(node.spec.providerID, providerID);
  });

  test('a Node whose instance is hidden is deleted, and an event says so', WITH_PARTS, async () => {
    const { id, name, address, providerID } = await runInstance(moto);
    moto.hide(id);
    const node = await join(name, address, { providerID });
    await untilDeleted(node);
    const event = await until('the event', async () => (await deletions(node))[0] ?? null);
    assert.equal(event.type, 'Normal');
    assert.equal(event.metadata.namespace, 'default');
    assert.equal(event.source?.component, 'cloud-node-lifecycle-controller');
    assert.equal(
      event.message,
      `Deleting node ${name} because it does not exist in the cloud provider`,
    );
  });

  test('a Node is kept while AWS refuses to tell', WITH_PARTS, async () => {
    const { name, address, providerID } = await runInstance(moto);
    moto.refuse('DescribeInstances', unauthorized('DescribeInstances'));
    const node = await join(name, address, { providerID });
    await untilSaid(controller, `error checking if node ${name} exists`);
    await assertKept(node);
  });

  strangerTest(version, () => controller);
}

/** What becomes of a NotReady Node without providerID whose name is no private DNS name. */
function strangerTest(version: CloudControllerVersion, controller: () => Program): void {
  if (version === '1.34.3')
    test('a Node that AWS knows by no name stays, and stays tainted', WITH_PARTS, async () => {
      const node = await join('stranger-kept', '172.31.9.9');
      await untilSaid(
        controller(),
        'error checking if node stranger-kept exists: instance not found',
      );
      await assertKept(node);
    });
  else
    test('a Node that AWS knows by no name is deleted', WITH_PARTS, async () => {
      const node = await join('stranger-deleted', '172.31.9.9');
      await untilDeleted(node);
      const event = await until('the event', async () => (await deletions(node))[0] ?? null);
      assert.equal(event.type, 'Normal');
    });
}
