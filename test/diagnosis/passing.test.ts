import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SubjectReport } from '../../src/diagnosis/document.ts';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { STAGES, type Stage } from '../../src/evidence/stage.ts';

const ID = 'i-0123456789abcdef0';
const NAME = 'ip-10-0-1-20.eu-west-1.compute.internal';
const ALL = STAGES;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

const READY: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'KubeletReady',
  lastTransitionTime: '2026-03-01T09:02:00Z',
};

/** A machine that is usable in every way; each part can be another one. */
interface Parts {
  readonly name?: string;
  readonly instance?: object;
  readonly status?: object | null;
  readonly taints?: readonly { readonly key: string }[];
  readonly unschedulable?: boolean;
  readonly conditions?: readonly Condition[];
  readonly addresses?: readonly object[];
  readonly nodeInfo?: object;
  readonly pods?: readonly object[];
}

function pod(name: string, change: { readonly spec?: object; readonly status?: object } = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      creationTimestamp: '2026-03-01T09:03:00Z',
      ownerReferences: [{ kind: name.startsWith('aws-node-') ? 'DaemonSet' : 'ReplicaSet' }],
    },
    spec: { nodeName: NAME, containers: [{ name: 'a', image: 'a' }], ...change.spec },
    status: {
      phase: 'Running',
      podIP: '10.0.1.77',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-03-01T09:05:00Z' }],
      ...change.status,
    },
  };
}

const NOT_READY = { conditions: [{ type: 'Ready', status: 'False' }] };
const CNI = pod('aws-node-7xk2p', { spec: { hostNetwork: true } });
const WORKLOAD = pod('shop-5d9c7b6f4-x2x9k');

function annotated(one: ReturnType<typeof pod>) {
  const annotations = { 'iam.amazonaws.com/role': 'shop' };
  return { ...one, metadata: { ...one.metadata, annotations } };
}

function ownedBy(kind: string) {
  const metadata = { ...WORKLOAD.metadata, ownerReferences: [{ kind }] };
  return { ...WORKLOAD, metadata };
}

function instanceOf(change: object = {}) {
  return {
    InstanceId: ID,
    LaunchTime: '2026-03-01T09:00:00+00:00',
    PrivateDnsName: NAME,
    PrivateIpAddress: '10.0.1.20',
    State: { Name: 'running' },
    Tags: [{ Key: 'kubernetes.io/cluster/shop', Value: 'owned' }],
    ...change,
  };
}

const CHECKED = {
  InstanceId: ID,
  InstanceState: { Name: 'running' },
  InstanceStatus: { Status: 'ok' },
  SystemStatus: { Status: 'ok' },
};

function textsOf(parts: Parts) {
  const { name = NAME, status = CHECKED, conditions = [READY], pods = [CNI, WORKLOAD] } = parts;
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: 'n1', creationTimestamp: '2026-03-01T09:01:00Z' },
    spec: {
      providerID: `aws:///eu-west-1a/${ID}`,
      taints: parts.taints ?? [],
      unschedulable: parts.unschedulable ?? false,
    },
    status: {
      addresses: parts.addresses ?? [{ type: 'InternalIP', address: '10.0.1.20' }],
      conditions,
      nodeInfo: parts.nodeInfo ?? { kubeletVersion: 'v1.31.2' },
    },
  };
  return [
    ['instances.json', { Reservations: [{ Instances: [instanceOf(parts.instance)] }] }],
    ...(status === null ? [] : [['status.json', { InstanceStatuses: [status] }]]),
    ['nodes.json', { apiVersion: 'v1', kind: 'NodeList', items: [node] }],
    ['pods.json', { apiVersion: 'v1', kind: 'PodList', items: pods }],
  ].map(([file, value]) => ({ name: file as string, text: JSON.stringify(value) }));
}

async function machineOf(parts: Parts): Promise<SubjectReport> {
  const { subjects } = await diagnoseTexts(textsOf(parts));
  return subjects.find(({ kind }) => kind === 'Machine') ?? assert.fail('no machine');
}

async function passedOf(parts: Parts): Promise<readonly Stage[]> {
  const { ladder } = await machineOf(parts);
  return ladder.filter(({ state }) => state === 'passed').map(({ stage }) => stage);
}

function without(...stages: readonly Stage[]): readonly Stage[] {
  return ALL.filter((stage) => !stages.includes(stage));
}

const UNINITIALIZED = { key: 'node.cloudprovider.kubernetes.io/uninitialized' };

const CASES: readonly (readonly [name: string, parts: Parts, passed: readonly Stage[]])[] = [
  ['a Ready Node with a pod of its users is usable', {}, ALL],
  [
    'a Node named after its instance is identified',
    { name: ID },
    without('networked', 'credentialed', 'usable'),
  ],
  [
    'a Node named after its instance and a domain is identified',
    { name: `${ID}.eu-west-1.compute.internal` },
    without('networked', 'credentialed', 'usable'),
  ],
  [
    'a Node of another name is not identified',
    { name: `node-1.${ID}` },
    without('identified', 'networked', 'credentialed', 'usable'),
  ],
  [
    'a Node of another name that gives the name of EC2 is identified',
    {
      name: 'node-1.example.net',
      addresses: [
        { type: 'InternalIP', address: '10.0.1.20' },
        { type: 'InternalDNS', address: NAME },
      ],
    },
    without('networked', 'credentialed', 'usable'),
  ],
  [
    'a Node of another name is not identified where EC2 has no name for it',
    {
      name: 'node-1.example.net',
      instance: { PrivateDnsName: '' },
      addresses: [{ type: 'InternalDNS', address: '' }],
    },
    without('identified', 'networked', 'credentialed', 'usable'),
  ],
  ['a cordon keeps pods off', { unschedulable: true }, without('usable')],
  [
    'a taint of a gate keeps it closed, whatever runs there',
    { taints: [{ key: 'readiness.k8s.io/storage' }] },
    without('gated', 'usable'),
  ],
  ['a taint that its users tolerate does not', { taints: [{ key: 'team' }] }, ALL],
  [
    'a taint that nobody tolerates does',
    { taints: [{ key: 'team' }], pods: [CNI] },
    without('gated', 'usable'),
  ],
  [
    'a taint of a role never does',
    { taints: [{ key: 'node-role.kubernetes.io/control-plane' }], pods: [CNI] },
    ALL,
  ],
  ...['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'].map(
    (type) =>
      [
        `${type} keeps pods off`,
        { conditions: [READY, { type, status: 'True' }] },
        without('usable'),
      ] as const,
  ),
  [
    'a condition that is not true does not',
    { conditions: [READY, { type: 'DiskPressure', status: 'False' }] },
    ALL,
  ],
  [
    'a pod that waits for its address shows that the network does not work yet',
    {
      pods: [CNI, pod('shop-1', { status: { phase: 'Pending', podIP: undefined, ...NOT_READY } })],
    },
    without('networked', 'usable'),
  ],
  [
    'without a pod the network is unknown',
    { pods: [] },
    without('networked', 'credentialed', 'usable'),
  ],
  [
    'interfaces without an address for pods outweigh a Ready CNI',
    {
      pods: [CNI],
      instance: {
        NetworkInterfaces: [{ PrivateIpAddresses: [{ PrivateIpAddress: '10.0.1.20' }] }],
      },
    },
    without('networked', 'usable'),
  ],
  [
    'a prefix of IPv6 gives addresses to pods',
    {
      pods: [CNI],
      instance: {
        NetworkInterfaces: [
          {
            PrivateIpAddresses: [{ PrivateIpAddress: '10.0.1.20' }],
            NetworkInterfaceId: 'eni-0a1b2c3d4e5f60718',
            Ipv6Prefixes: [{ Ipv6Prefix: 'fd00::/80' }],
          },
        ],
      },
    },
    ALL,
  ],
  [
    'a pod that asks for an AWS identity and is not Ready leaves that open',
    {
      pods: [
        CNI,
        WORKLOAD,
        pod('shop-2', {
          spec: { containers: [{ name: 'a', env: [{ name: 'AWS_ROLE_ARN', value: 'x' }] }] },
          status: NOT_READY,
        }),
      ],
    },
    without('credentialed'),
  ],
  [
    'a pod that asks by an annotation for a role, and is Ready, shows that identities work',
    { pods: [CNI, annotated(WORKLOAD)] },
    ALL,
  ],
  [
    'an init container that asks counts as its pod',
    {
      pods: [
        CNI,
        pod('shop-3', {
          spec: {
            initContainers: [
              { name: 'a', env: [{ name: 'AWS_CONTAINER_CREDENTIALS_FULL_URI', value: 'x' }] },
            ],
          },
          status: NOT_READY,
        }),
      ],
    },
    without('credentialed'),
  ],
  [
    'a pod of the node itself is no pod of its users',
    { taints: [{ key: 'team' }], pods: [CNI, ownedBy('Node')] },
    without('gated', 'usable'),
  ],
  ['a Ready Node shows that its instance was launched', { status: null }, ALL],
];

describe('what objects show to be passed', () => {
  for (const [name, parts, passed] of CASES)
    test(name, async () => assert.deepEqual(await passedOf(parts), passed));
});

describe('a Node that is not Ready', () => {
  const silent = (reason: string): Condition => ({ type: 'Ready', status: 'Unknown', reason });

  test('is registered once its kubelet wrote a version', async () => {
    const passed = await passedOf({ conditions: [silent('X')], pods: [] });
    assert.ok(passed.includes('registered'));
    assert.ok(!passed.includes('retained'));
  });

  for (const reason of ['KubeletReady', 'KubeletNotReady', 'NodeStatusUnknown'])
    test(`is registered by ${reason}, which needs a kubelet that posted once`, async () =>
      assert.ok(
        (await passedOf({ conditions: [silent(reason)], nodeInfo: {}, pods: [] })).includes(
          'registered',
        ),
      ));

  test('is not where its kubelet never posted', async () => {
    const conditions = [silent('NodeStatusNeverUpdated')];
    assert.ok(!(await passedOf({ conditions, nodeInfo: {}, pods: [] })).includes('registered'));
  });

  test('is not while the cloud controller has not set it up', async () => {
    const passed = await passedOf({ conditions: [silent('X')], taints: [UNINITIALIZED], pods: [] });
    assert.ok(!passed.includes('registered'));
  });
});

describe('since when', () => {
  test('each stage holds as the objects say', async () => {
    const { ladder } = await machineOf({ pods: [CNI] });
    assert.deepEqual(
      ladder.map(({ stage, since }) => `${stage} ${since ?? '?'}`),
      [
        'launched 2026-03-01T09:00:00Z',
        'bootstrapped 2026-03-01T09:01:00Z',
        'reachable 2026-03-01T09:01:00Z',
        'authenticated 2026-03-01T09:01:00Z',
        'identified 2026-03-01T09:01:00Z',
        'registered 2026-03-01T09:01:00Z',
        'retained 2026-03-01T09:01:00Z',
        'networked 2026-03-01T09:05:00Z',
        'credentialed ?',
        'gated ?',
        'usable ?',
      ],
    );
  });

  test('a Node is open since the first pod of its users is Ready', async () => {
    const { ladder } = await machineOf({});
    const open = ladder.filter(({ stage }) => stage === 'gated' || stage === 'usable');
    assert.deepEqual(
      open.map(({ since }) => since),
      ['2026-03-01T09:05:00Z', '2026-03-01T09:05:00Z'],
    );
  });

  test('is unknown where one of two is silent', async () => {
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }];
    const { ladder } = await machineOf({ pods: [CNI], conditions });
    assert.equal(ladder.find(({ stage }) => stage === 'networked')?.since, null);
  });
});
