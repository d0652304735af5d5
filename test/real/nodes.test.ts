/** What the roll call says of Nodes is what kubectl says of them, however odd they are. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import type { DiagnosisDocument, SubjectReport } from '../../src/diagnosis/document.ts';
import type { RollCallDocument } from '../../src/diagnosis/roll-call/document.ts';
import { documentOf, emptyHome, rollcall, type Surroundings } from '../live/rollcall.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import type { KubeObject } from './kube-client.ts';
import { CONTROL_PLANE, missing, partPath } from './parts.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

interface NodeSpec {
  readonly providerID?: string;
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
}

interface NodeStatus {
  readonly conditions?: readonly Condition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly nodeInfo?: { readonly kubeletVersion: string };
}

/** As the API server lists it. */
interface Node extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly deletionTimestamp?: string };
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

/** What is laid into the API server; the fields are valid, which is all that they have to be. */
interface Laid {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
  /** `terminating` waits for a finalizer, `gone` is deleted. */
  readonly fate: 'stays' | 'terminating' | 'gone';
}

const SEED = 20_261_122;
const NODES = 56;

/** Names that parsers of names trip over; every one of them is a DNS subdomain. */
const ODD_NAMES = [
  '0',
  'a',
  '10.0.0.1',
  '1e3',
  'null',
  'true',
  'ip-10-0-0-7',
  'ip-10-0-0-7.ec2.internal',
  'ip-10-0-0-8.eu-west-1.compute.internal',
  'i-0123456789abcdef0',
  'i-0123456789abcdef1.us-west-2.compute.internal',
  'fargate-ip-10-0-0-9.us-west-2.compute.internal',
  'hyperpod-i-0123456789abcdef2',
  'mi-0123456789abcdef0',
  'worker.a',
  'constructor',
  `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
  'xn--bcher-kva.example',
  'node.rollcall.dev',
];

const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$/);
const anyName = fc.array(label, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
const words = fc.oneof(
  fc.constant('kubelet is posting ready status'),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constant('\u001b[31mred\u202e {{.}} ${x} %s <b>\n\tat file.js:1:1'),
);
const status = fc.constantFrom('True', 'False', 'Unknown');
const reason = fc.constantFrom('KubeletReady', 'KubeletNotReady', 'NodeStatusUnknown', 'Odd_1');
const condition = (type: string) =>
  fc.record({ type: fc.constant(type), status, reason, message: words });
const conditions = fc.tuple(
  fc.option(condition('Ready'), { nil: null, freq: 6 }),
  fc.subarray(['MemoryPressure', 'DiskPressure', 'example.org/Odd', 'NetworkUnavailable']),
  status,
);
const taint = fc.record(
  {
    key: fc.constantFrom(
      'dedicated',
      'node.kubernetes.io/not-ready',
      'node.kubernetes.io/unschedulable',
      'node.cloudprovider.kubernetes.io/uninitialized',
      'example.org/very.odd_key-1',
    ),
    value: fc.constantFrom('', 'true', 'a_b.c-D'),
    effect: fc.constantFrom('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
  },
  { requiredKeys: ['key', 'effect'] },
);
const taints = fc.uniqueArray(taint, {
  maxLength: 4,
  selector: ({ key, effect }) => `${key}:${effect}`,
});
const version = fc.constantFrom(
  'v1.34.2',
  'v1.33.1-eks-1234567',
  'v1.36.0+k3s1',
  'v1.35.0-rc.1',
  '',
);

/** Of clouds and of none; instances of AWS are each of one Node. */
function providerOf(kind: number, index: number): string | undefined {
  const id = `i-${index.toString(16).padStart(17, '0')}`;
  const all = [
    undefined,
    `aws:///us-west-2${'abc'[index % 3] ?? 'a'}/${id}`,
    `aws:///us-west-2a/fargate-ip-10-1-0-${index}.us-west-2.compute.internal`,
    `kind://docker/kind/node-${index}`,
    `azure:///subscriptions/s/virtualMachines/${index}`,
    `odd ${index} ://`,
  ];
  return all[kind % all.length];
}

interface Drawn {
  readonly name: string;
  readonly zone: string;
  readonly type: string;
  readonly provider: number;
  readonly unschedulable: boolean;
  readonly taints: readonly Taint[];
  readonly conditions: readonly [Condition | null, readonly string[], string];
  readonly version: string;
  readonly fate: Laid['fate'];
  readonly note: string;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  name: anyName,
  zone: fc.constantFrom('', 'us-west-2a', 'us-west-2-lax-1a', 'odd_Zone.1'),
  type: fc.constantFrom('', 'm5.large', 'x'),
  provider: fc.nat(11),
  unschedulable: fc.boolean(),
  taints,
  conditions,
  version,
  fate: fc.constantFrom('stays', 'stays', 'stays', 'terminating', 'gone'),
  note: words,
});

function laid(
  { zone, type, conditions: [ready, others, state], ...rest }: Drawn,
  index: number,
): Laid {
  const providerID = providerOf(rest.provider, index);
  const further = others.map((kind) => ({ type: kind, status: state, reason: 'Odd' }));
  return {
    name: ODD_NAMES[index] ?? rest.name,
    fate: rest.fate,
    labels: {
      ...(zone === '' ? {} : { 'topology.kubernetes.io/zone': zone }),
      ...(type === '' ? {} : { 'node.kubernetes.io/instance-type': type }),
    },
    annotations: { note: rest.note },
    spec: {
      ...(providerID === undefined ? {} : { providerID }),
      ...(rest.unschedulable ? { unschedulable: true } : {}),
      taints: rest.taints,
    },
    status: {
      conditions: [...(ready === null ? [] : [ready]), ...further],
      addresses: [{ type: 'InternalIP', address: `10.1.0.${index}` }],
      nodeInfo: { kubeletVersion: rest.version },
    },
  };
}

function hostPart(name: string): string {
  return /^\d+(?:\.\d+){3}$/.test(name) ? name : (name.split('.')[0] ?? name);
}

/** Of one host part one Node: two would be taken for one machine that changed its domain. */
function layOut(): readonly Laid[] {
  const nodes = fc.sample(drawn, { seed: SEED, numRuns: NODES }).map(laid);
  const parts = nodes.map(({ name }) => hostPart(name));
  return nodes.filter((_, index) => parts.indexOf(parts[index] ?? '') === index);
}

async function lay({ client }: ControlPlane, node: Laid): Promise<void> {
  const { name, labels, annotations, spec, status: given, fate } = node;
  const finalizers = fate === 'terminating' ? ['example.org/holds'] : [];
  const metadata = { name, labels, annotations, finalizers };
  await client.create('/api/v1/nodes', { metadata, spec });
  const path = `/api/v1/nodes/${name}`;
  await client.patch(`${path}/status`, { status: given });
  // The API server adds a taint of its own to what is created.
  await client.patch(path, { spec: { taints: spec.taints ?? [] } });
  if (fate !== 'stays') await client.remove(path);
}

async function diagnosed(name: string): Promise<{ readonly document: DiagnosisDocument }> {
  return { document: documentOf(await rollcall(['diagnose', name, '-o', 'json'], env)) };
}

const skip = missing(...CONTROL_PLANE, 'kubectl');
const WITH_PARTS = { skip, timeout: 180_000 };
let plane: ControlPlane;
let env: Surroundings;
let nodes: readonly Node[];
let roll: RollCallDocument;
let diagnosis: DiagnosisDocument;

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  for (const node of layOut()) await lay(plane, node);
  env = { ...emptyHome(plane.dir, 'home'), KUBECONFIG: plane.kubeconfigPath };
  const argv = ['--kubeconfig', plane.kubeconfigPath, 'get', 'nodes', '-o', 'json'];
  const { stdout } = await promisify(execFile)(partPath('kubectl'), argv, { maxBuffer: 1 << 26 });
  nodes = (JSON.parse(stdout) as { readonly items: readonly Node[] }).items;
  const [called, looked] = await Promise.all([
    rollcall(['status', '-o', 'json'], env),
    rollcall(['diagnose', '-o', 'json'], env),
  ]);
  roll = JSON.parse(called.stdout) as RollCallDocument;
  diagnosis = documentOf(looked);
});
after(async () => {
  if (skip === false) await plane.stop();
});

function readyOf({ status: { conditions: all = [] } }: Node): string | null {
  return all.find(({ type }) => type === 'Ready')?.status ?? null;
}

function instanceOf({ spec: { providerID = '' } }: Node): string | null {
  return /^aws:\/\/\/[^/]+\/(i-[0-9a-f]{17})$/.exec(providerID)?.[1] ?? null;
}

function subjectOf({ metadata: { name } }: Node): SubjectReport {
  const found = diagnosis.subjects.find((one) => one.name === name);
  assert.ok(found, `${name} is no subject`);
  return found;
}

function excerptsOf({ ladder }: SubjectReport): string {
  return ladder.flatMap(({ evidence }) => evidence.map(({ excerpt }) => excerpt)).join('\n');
}

test('every Node is in one row, and no row is of another', WITH_PARTS, () => {
  const names = nodes.map(({ metadata }) => metadata.name);
  assert.ok(names.length > 30, String(names.length));
  assert.deepEqual(roll.rows.map(({ node }) => node ?? '').toSorted(), names.toSorted());
  assert.ok(nodes.some(({ metadata }) => metadata.deletionTimestamp !== undefined));
});

test('a row has the instance, zone and type that the Node has', WITH_PARTS, () => {
  for (const node of nodes) {
    const { name, labels = {} } = node.metadata;
    const row = roll.rows.find((one) => one.node === name);
    assert.deepEqual(
      [row?.instanceId, row?.zone, row?.instanceType],
      [
        instanceOf(node),
        labels['topology.kubernetes.io/zone'] ?? null,
        labels['node.kubernetes.io/instance-type'] ?? null,
      ],
      name,
    );
  }
});

test('a Node counts as Ready where its condition says so, and nowhere else', WITH_PARTS, () => {
  const told = new Set<string | null>();
  for (const node of nodes) {
    const { name } = node.metadata;
    const ready = readyOf(node);
    const text = excerptsOf(subjectOf(node));
    assert.equal(text.includes(`Node ${name} is Ready`), ready === 'True', name);
    const networked = subjectOf(node).ladder.find(({ stage }) => stage === 'networked');
    if (ready === 'False' || ready === 'Unknown') assert.notEqual(networked?.state, 'passed', name);
    told.add(ready);
  }
  assert.deepEqual(told, new Set([null, 'True', 'False', 'Unknown']));
});

test('a version is the one that the kubelet reports', WITH_PARTS, () => {
  const told = nodes.flatMap((node) => {
    const { name } = node.metadata;
    const shown = /^Node \S+ version (\S+)$/m.exec(excerptsOf(subjectOf(node)))?.[1];
    if (shown === undefined) return [];
    assert.equal(shown, node.status.nodeInfo?.kubeletVersion, name);
    return [shown];
  });
  assert.ok(new Set(told).size > 2, told.join(' '));
});

test('reports a cordoned Node with its taint and no open one', WITH_PARTS, () => {
  const told = new Set<boolean>();
  for (const node of nodes) {
    const { name } = node.metadata;
    const { unschedulable = false, taints: own = [] } = node.spec;
    const { findings } = subjectOf(node);
    const closed = findings.find(({ cause }) => cause === 'cordon-or-deliberate-taint');
    const isShut = unschedulable || own.some(({ effect }) => effect !== 'PreferNoSchedule');
    if (readyOf(node) === 'True' && unschedulable) assert.ok(closed, name);
    if (!isShut) assert.equal(closed, undefined, name);
    told.add(closed !== undefined);
    const quoted = JSON.stringify(closed?.evidence ?? []);
    const keys = [...own.map(({ key }) => key), 'unschedulable'];
    assert.ok(closed === undefined || keys.some((key) => quoted.includes(key)), quoted);
  }
  assert.deepEqual(told, new Set([true, false]));
});

test('what others wrote into annotations and conditions stays text', WITH_PARTS, async () => {
  const page = await rollcall(['status', '-o', 'wide'], env);
  for (const node of nodes) assert.ok(page.stdout.includes(node.metadata.name));
  const all = page.stdout + JSON.stringify(roll) + JSON.stringify(diagnosis);
  assert.doesNotMatch(all, /\u001b|\\u001b|\u202e/);
});

test('a Node is found by its name, whatever the name looks like', WITH_PARTS, async () => {
  for (const odd of ['0', '10.0.0.1', 'null', 'constructor']) {
    const { document } = await diagnosed(odd);
    assert.deepEqual(
      document.subjects.map(({ name }) => name),
      [odd],
    );
  }
});
