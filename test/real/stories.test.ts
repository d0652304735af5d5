/** What Rollcall says of the two stories in which a cloud controller does not know a machine. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  CLOUD_CONTROLLER_VERSIONS,
  type CloudControllerVersion,
} from '../../tools/real-parts/recipes.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from '../../src/diagnosis/document.ts';
import type { NamingDocument } from '../../src/capacity/naming/document.ts';
import type { RollCallDocument, RollCallRow } from '../../src/diagnosis/roll-call/document.ts';
import { always, only } from '../live/answers.ts';
import { documentOf, rollcall, type Run } from '../live/rollcall.ts';
import {
  CLUSTER,
  type Machine,
  makeRoles,
  registerNode,
  runMachine,
  type Site,
  startSite,
} from '../live/world.ts';
import { until } from './bench.ts';
import { startCloudController, textOf } from './cloud-controller.ts';
import type { KubeEvent, Node } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

interface Registration {
  readonly providerID?: string;
  readonly machineID?: string;
  /** `Unknown` of a Node that no kubelet reports to any more. */
  readonly ready?: 'False' | 'Unknown';
}

/** As a kubelet with `--cloud-provider=external` registers itself, before it has a network. */
function registered(name: string, address: string, options: Registration): object {
  const { providerID, machineID = '', ready = 'False' } = options;
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const reason = ready === 'False' ? 'KubeletNotReady' : 'NodeStatusUnknown';
  return {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name },
      annotations: { 'alpha.kubernetes.io/provided-node-ip': address },
    },
    spec: {
      ...(providerID === undefined ? {} : { providerID }),
      taints: [{ key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' }],
    },
    status: {
      nodeInfo: { kubeletVersion: 'v1.36.2', machineID },
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      conditions: [{ type: 'Ready', status: ready, reason, ...times }],
    },
  };
}

async function layKubeadm({ plane }: Site): Promise<void> {
  await plane.client.create('/api/v1/namespaces/kube-system/configmaps', {
    metadata: { name: 'kubeadm-config', namespace: 'kube-system' },
    data: {
      ClusterConfiguration: [
        'apiVersion: kubeadm.k8s.io/v1beta4',
        'kind: ClusterConfiguration',
        `clusterName: ${CLUSTER}`,
        'kubernetesVersion: v1.36.2',
        '',
      ].join('\n'),
    },
  });
}

/** The controller runs beside the API server, which is told of it as of one that runs in it. */
async function layController({ plane }: Site, version: string): Promise<void> {
  const path = '/apis/apps/v1/namespaces/kube-system/daemonsets';
  const labels = { 'k8s-app': 'aws-cloud-controller-manager' };
  const image = `registry.k8s.io/provider-aws/cloud-controller-manager:v${version}`;
  const name = `aws-cloud-controller-manager-${version}`.replaceAll('.', '-');
  await plane.client.create(path, {
    metadata: { name, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'ccm', image }] } },
    },
  });
  const counts = { currentNumberScheduled: 1, desiredNumberScheduled: 1, numberMisscheduled: 0 };
  await plane.client.patch(`${path}/${name}/status`, { status: { ...counts, numberReady: 1 } });
}

const skip = missing(...CONTROL_PLANE, 'moto', ...CLOUD_CONTROLLER_VERSIONS);

/** A machine that also runs other tests takes its time over the retries of the controller. */
const WITH_PARTS = { skip, timeout: 180_000 };
let site: Site;
let imageId: string;

/** What EKS says of a cluster that is none of its own. */
const NOT_OF_EKS = only(
  /^\/clusters/,
  always(404, JSON.stringify({ message: `No cluster found for name: ${CLUSTER}.` }), {
    'content-type': 'application/json',
    'x-amzn-errortype': 'ResourceNotFoundException',
  }),
);

/** Whose machines are called by what the system says, unlike those of the image that moto has. */
async function ubuntu({ moto }: Site): Promise<string> {
  const xml = await moto.ec2('RegisterImage', {
    Name: 'ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20261101',
    Architecture: 'x86_64',
    RootDeviceName: '/dev/sda1',
  });
  return textOf(xml, 'imageId');
}

async function openSite(version: CloudControllerVersion): Promise<Site> {
  const opened = await startSite();
  opened.aws.fail(NOT_OF_EKS);
  await makeRoles(opened);
  await layKubeadm(opened);
  await layController(opened, version);
  // Of the control plane: its instance tells which cluster this is.
  await registerNode(opened, await runMachine(opened, { role: 'lab-other' }));
  const { plane: controlPlane, moto } = opened;
  await startCloudController({ version, controlPlane, moto, clusterId: CLUSTER });
  return opened;
}

function nodePath(name: string): string {
  return `/api/v1/nodes/${name}`;
}

function register(name: string, { address }: Machine, options: Registration = {}): Promise<Node> {
  return site.plane.client.create<Node>('/api/v1/nodes', registered(name, address, options));
}

function untilDeleted(name: string): Promise<true> {
  return until(`the deletion of Node ${name}`, async () =>
    (await site.plane.client.find(nodePath(name))) === null ? true : null,
  );
}

async function deletionOf({ metadata }: Node): Promise<KubeEvent> {
  const query = `fieldSelector=involvedObject.name=${metadata.name},reason=DeletingNode`;
  return until('the event of the deletion', async () => {
    const events = await site.plane.client.list<KubeEvent>(`/api/v1/events?${query}`);
    return events.find(({ involvedObject }) => involvedObject.uid === metadata.uid) ?? null;
  });
}

/** The machine in the document that the program prints for it, and how the program ends. */
async function diagnosed(name: string): Promise<{ document: DiagnosisDocument } & Run> {
  const run = await rollcall(['diagnose', name, '-o', 'json'], site.env);
  return { ...run, document: documentOf(run) };
}

function machineIn({ subjects }: DiagnosisDocument, name: string): SubjectReport {
  const found = subjects.find((one) => [one.name, one.node, one.instanceId].includes(name));
  assert.ok(found, `${name} is no subject`);
  return found;
}

function rootOf({ findings }: SubjectReport): Finding {
  const root = findings.find(
    ({ role, confidence }) => role === 'root' && confidence !== 'possible',
  );
  assert.ok(root, 'nothing is named');
  return root;
}

async function rowOf(name: string): Promise<RollCallRow> {
  const run = await rollcall(['status', '-o', 'json'], site.env);
  const { rows } = JSON.parse(run.stdout) as RollCallDocument;
  const row = rows.find((one) => [one.name, one.node, one.instanceId].includes(name));
  assert.ok(row, `${name} is in no row`);
  return row;
}

/** That both commands name one cause, whichever name of the machine is asked for. */
async function assertNamed(cause: string, machine: Machine, node: string): Promise<Finding> {
  for (const asked of [machine.id, node]) {
    const { document, code } = await diagnosed(asked);
    assert.equal(document.headline?.cause, cause, asked);
    assert.equal(machineIn(document, machine.id).verdict, 'not-usable');
    assert.equal(code, 1);
  }
  const row = await rowOf(machine.id);
  assert.equal(row.headline?.cause, cause);
  assert.equal(row.verdict, 'not-usable');
  return rootOf(machineIn((await diagnosed(machine.id)).document, machine.id));
}

async function assertDeletionNamed(machine: Machine, node: Node): Promise<Finding> {
  const event = await deletionOf(node);
  assert.equal(event.type, 'Normal');
  assert.equal(event.metadata.namespace, 'default');
  const finding = await assertNamed('node-deleted-as-not-in-cloud', machine, node.metadata.name);
  const quoted = finding.evidence.find(({ excerpt }) => excerpt.includes(event.message));
  assert.ok(quoted, JSON.stringify(finding.evidence));
  assert.match(quoted.locator, /events/);
  return finding;
}

function hostPart({ name }: Machine): string {
  return name.slice(0, name.indexOf('.'));
}

for (const version of CLOUD_CONTROLLER_VERSIONS)
  describe(`beside AWS cloud controller manager ${version}`, () => {
    before(async () => {
      if (skip !== false) return;
      site = await openSite(version);
      imageId = await ubuntu(site);
    });
    after(async () => {
      if (skip === false) await site.stop();
    });
    storiesOfBoth();
    if (version === '1.34.3') storiesOfTheOlder();
    else storiesOfTheNewer();
  });

function storiesOfBoth(): void {
  test(
    'a Node that EC2 knew nothing of is deleted, and the deleter is named',
    WITH_PARTS,
    async () => {
      const machine = await runMachine(site, { role: 'lab-other', imageId });
      site.moto.hide(machine.id);
      const providerID = `aws:///${machine.zone}/${machine.id}`;
      const node = await register(machine.name, machine, { providerID });
      await untilDeleted(machine.name);
      site.moto.show(machine.id);
      await assertDeletionNamed(machine, node);
    },
  );

  test(
    'a deleted Node whose machine EC2 still does not know proves no cause',
    WITH_PARTS,
    async () => {
      const machine = await runMachine(site, { role: 'lab-other', imageId });
      site.moto.hide(machine.id);
      const providerID = `aws:///${machine.zone}/${machine.id}`;
      await register(machine.name, machine, { providerID });
      await untilDeleted(machine.name);
      const { document } = await diagnosed(machine.name);
      assert.equal(document.headline, null);
      const causes = machineIn(document, machine.name).findings.map(({ cause }) => cause);
      assert.ok(causes.includes('node-deleted-as-not-in-cloud'), causes.join(' '));
    },
  );
}

/** What `rollcall name` says of the machine that goes by this name. */
async function naming(name: string): Promise<{ document: NamingDocument } & Run> {
  const run = await rollcall(['name', name, '-o', 'json'], site.env);
  return { ...run, document: JSON.parse(run.stdout) as NamingDocument };
}

/** That the page of names says that the controller refuses this one, and which EC2 has. */
async function assertRefused(name: string, machine: Machine): Promise<void> {
  const { document, code } = await naming(name);
  assert.equal(document.instanceId, machine.id);
  assert.equal(document.acceptance?.state, 'refused');
  assert.equal(document.acceptance.outcome, 'kept-uninitialised');
  const row = document.names.find((one) => one.name === 'private-dns-name');
  assert.deepEqual([row?.value, row?.verdict], [machine.name, 'disagrees']);
  assert.equal(code, 1);
}

async function assertKept(node: Node): Promise<void> {
  const kept = await site.plane.client.get<Node>(nodePath(node.metadata.name));
  assert.equal(kept.metadata.uid, node.metadata.uid);
  assert.ok((kept.spec.taints ?? []).some(({ key }) => key === UNINITIALIZED));
}

async function untilInitialised(name: string): Promise<void> {
  await until(`Node ${name} to be initialised`, async () => {
    const { spec } = await site.plane.client.get<Node>(nodePath(name));
    return (spec.taints ?? []).some(({ key }) => key === UNINITIALIZED) ? null : true;
  });
}

function storiesOfTheOlder(): void {
  test('keeps a Node under its host part and reports its name as wrong', WITH_PARTS, async () => {
    const machine = await runMachine(site, { role: 'lab-other', imageId });
    const node = await register(hostPart(machine), machine);
    const { name } = node.metadata;
    const { summary } = await assertNamed('hostname-without-domain', machine, name);
    assert.ok(summary.includes(machine.name), summary);
    await assertRefused(name, machine);
    await assertKept(node);
  });

  test('keeps a Node under an internal name and reports both names', WITH_PARTS, async () => {
    const machine = await runMachine(site, { role: 'lab-other', imageId });
    const name = 'node07.k8s.internal';
    const node = await register(name, machine);
    const { summary } = await assertNamed('ccm-cannot-initialize-node', machine, name);
    for (const called of [name, machine.name]) assert.ok(summary.includes(called), summary);
    await assertRefused(name, machine);
    await assertKept(node);
  });

  test(
    'a machine that came back under its EC2 name leaves its old Node behind',
    WITH_PARTS,
    async () => {
      const machine = await runMachine(site, { role: 'lab-other', imageId });
      const machineID = 'ec2b5c1d7e9f4a0b8c6d5e4f3a2b1c0d';
      const old = 'node00.k8s.internal';
      const node = await register(old, machine, { machineID, ready: 'Unknown' });
      await register(machine.name, machine, { machineID });
      await untilInitialised(machine.name);
      const { evidence } = await assertNamed('old-name-node-left-behind', machine, old);
      const quotes = evidence.map(({ excerpt }) => excerpt).join('\n');
      for (const told of [old, machine.name, machineID]) assert.ok(quotes.includes(told), quotes);
      for (const asked of [old, machine.name, machine.id]) {
        const { document, code } = await naming(asked);
        assert.equal(document.node, machine.name);
        assert.deepEqual([document.twin?.node, document.twin?.by], [old, 'machine-id']);
        assert.equal(code, 1);
      }
      await assertKept(node);
    },
  );
}

function storiesOfTheNewer(): void {
  test('deletes a Node under its host part and reports both names', WITH_PARTS, async () => {
    const machine = await runMachine(site, { role: 'lab-other', imageId });
    const node = await register(hostPart(machine), machine);
    await untilDeleted(node.metadata.name);
    const { summary, confidence } = await assertDeletionNamed(machine, node);
    assert.equal(confidence, 'definite');
    assert.ok(summary.includes(machine.name), summary);
  });

  test(
    'a Node under a name of the house is deleted, and nothing ties it to a machine',
    WITH_PARTS,
    async () => {
      const machine = await runMachine(site, { role: 'lab-other', imageId });
      const name = 'node07.k8s.internal';
      const node = await register(name, machine);
      await untilDeleted(name);
      await deletionOf(node);
      const { document, code } = await diagnosed(name);
      assert.equal(document.headline, null);
      const causes = machineIn(document, name).findings.map(({ cause }) => cause);
      assert.ok(causes.includes('node-deleted-as-not-in-cloud'), causes.join(' '));
      assert.equal(code, 1);
    },
  );

  test(
    'the old Node of a machine that came back is deleted, and the new one stays',
    WITH_PARTS,
    async () => {
      const machine = await runMachine(site, { role: 'lab-other', imageId });
      const old = 'node00.k8s.internal';
      await register(old, machine, { ready: 'Unknown' });
      await register(machine.name, machine);
      await untilDeleted(old);
      await untilInitialised(machine.name);
      const row = await rowOf(machine.id);
      assert.equal(row.node, machine.name);
      assert.equal(row.headline, null);
    },
  );
}
