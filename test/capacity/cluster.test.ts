import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cniSetupOf } from '../../src/capacity/cluster/aws-node.ts';
import {
  capacityDocument,
  unseenOf,
  verdictOfCapacity,
} from '../../src/capacity/cluster/cluster-capacity.ts';
import type { CapacityDocument } from '../../src/capacity/cluster/document.ts';
import { knownInstances } from '../../src/capacity/cluster/facts.ts';
import { clusterView, nodeRow, warmOn } from '../../src/capacity/cluster/nodes.ts';
import type { KnownInstances } from '../../src/capacity/leaks.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { observed, type Thing } from './observed.ts';
import { awsOf } from '../../src/evidence/testing.ts';

const ID = 'i-0aaaaaaaaaaaaaaa1';
const OWN = 'subnet-0aaaaaaaaaaaaaaa1';
const OTHER = 'subnet-0bbbbbbbbbbbbbbb1';
const NOW_MS = Date.parse('2026-11-22T12:00:00Z');

function cni(env: Readonly<Record<string, string>>, version = 'v1.19.2'): Thing {
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  const image = `registry.example/amazon-k8s-cni:${version}`;
  const containers = [{ name: 'other' }, { name: 'aws-node', image, env: variables }];
  return [
    'kube/DaemonSet',
    {
      metadata: { name: 'aws-node', namespace: 'kube-system' },
      spec: { template: { spec: { containers } } },
    },
  ];
}

function node(
  labels: Readonly<Record<string, string>> = {},
  maxPods = '29',
  annotations: Readonly<Record<string, string>> = {},
): Thing {
  return [
    'kube/Node',
    {
      metadata: { name: 'a.internal', labels, annotations },
      spec: { providerID: `aws:///eu-west-1a/${ID}` },
      status: { capacity: { pods: maxPods } },
    },
  ];
}

function instance(part: JsonObject = {}): Thing {
  return [
    'aws/instance',
    {
      InstanceId: ID,
      InstanceType: 'm5.large',
      SubnetId: OWN,
      PrivateIpAddress: '10.20.1.20',
      State: { Name: 'running' },
      Placement: { AvailabilityZone: 'eu-west-1a' },
      ...part,
    },
  ];
}

function subnet(SubnetId: string, part: JsonObject = {}): Thing {
  return [
    'aws/subnet',
    {
      SubnetId,
      AvailabilityZone: 'eu-west-1a',
      CidrBlock: SubnetId === OWN ? '10.20.1.0/24' : '10.20.2.0/24',
      AvailableIpAddressCount: 240,
      ...part,
    },
  ];
}

function attached(part: JsonObject = {}): Thing {
  return [
    'aws/network-interface',
    {
      NetworkInterfaceId: 'eni-0aaaaaaaaaaaaaaa1',
      SubnetId: OWN,
      Status: 'in-use',
      Attachment: { InstanceId: ID },
      PrivateIpAddresses: [
        { Primary: true, PrivateIpAddress: '10.20.1.20' },
        { Primary: false, PrivateIpAddress: '10.20.1.21' },
        { Primary: false, PrivateIpAddress: '10.20.1.22' },
      ],
      ...part,
    },
  ];
}

function pod(name: string, podIP: string, part: JsonObject = {}): Thing {
  return [
    'kube/Pod',
    {
      metadata: { name, namespace: 'default' },
      spec: { nodeName: 'a.internal', ...part },
      status: { phase: 'Running', podIP },
    },
  ];
}

const WHOLE: readonly Thing[] = [node(), instance(), subnet(OWN), attached(), cni({})];
const LISTED = ['kube/Node', 'kube/Pod', 'kube/DaemonSet', 'aws/network-interface'] as const;

test('the aws-node settings decide how addresses are assigned', () => {
  const env = {
    ENABLE_PREFIX_DELEGATION: 'TRUE',
    ENABLE_POD_ENI: 'true',
    MAX_ENI: '0',
    WARM_IP_TARGET: '5',
    MINIMUM_IP_TARGET: 'many',
    WARM_ENI_TARGET: '0',
  };
  const { state, mode, targets } = cniSetupOf(observed([cni(env)]));
  assert.equal(state, 'seen');
  assert.deepEqual(mode, {
    addressing: 'prefix',
    customNetworking: false,
    podEni: true,
    maxEni: null,
    cniVersion: 'v1.19.2',
  });
  assert.deepEqual(
    [targets.warmIpTarget, targets.minimumIpTarget, targets.warmEniTarget],
    [5, null, 0],
  );
});

test('IPv6 goes before prefixes, and an image by digest keeps its tag', () => {
  const env = { ENABLE_PREFIX_DELEGATION: 'true', ENABLE_IPv6: 'true', MAX_ENI: '2' };
  const { mode } = cniSetupOf(observed([cni(env, 'v1.20.0@sha256:0')]));
  assert.deepEqual([mode.addressing, mode.maxEni, mode.cniVersion], ['ipv6', 2, 'v1.20.0']);
});

test('only a complete list shows that aws-node is missing', () => {
  const other: Thing = ['kube/DaemonSet', { metadata: { name: 'aws-node', namespace: 'mine' } }];
  assert.equal(cniSetupOf(observed([other])).state, 'unknown');
  assert.equal(cniSetupOf(observed([other], ['kube/DaemonSet'])).state, 'absent');
});

function rowOf(things: readonly Thing[]) {
  const view = clusterView(observed(things, LISTED));
  const [first] = view.nodes;
  assert.ok(first !== undefined);
  return nodeRow(view, first);
}

test('a row has what the instance says, else what the labels say', () => {
  const labels = {
    'node.kubernetes.io/instance-type': 't3.nano',
    'topology.kubernetes.io/zone': 'eu-west-1b',
  };
  const pods = [
    pod('a', '10.20.1.21'),
    pod('host', '10.20.1.20', { hostNetwork: true }),
    pod('elsewhere', '10.20.1.22', { nodeName: 'b.internal' }),
  ];
  const full = rowOf([...WHOLE, ...pods]);
  assert.deepEqual(
    [full.instanceType, full.zone, full.addressPods],
    ['m5.large', 'eu-west-1a', 29],
  );
  assert.deepEqual([full.pods, full.warm, full.enis.attached, full.enis.limit], [1, 1, 1, 3]);
  const bare = rowOf([node(labels), cni({})]);
  assert.deepEqual([bare.instanceType, bare.zone, bare.addressPods], ['t3.nano', 'eu-west-1b', 4]);
  assert.deepEqual([bare.instanceId, bare.subnets, bare.pods], [ID, [], 0]);
});

test('a pod that has ended holds no address', () => {
  const ended = (phase: string): Thing => {
    const [kind, value] = pod(phase, '10.20.1.22');
    return [kind, { ...value, status: { phase, podIP: '10.20.1.22' } }];
  };
  for (const phase of ['Succeeded', 'Failed']) {
    const row = rowOf([...WHOLE, pod('a', '10.20.1.21'), ended(phase)]);
    assert.deepEqual([row.pods, row.warm], [1, 1], phase);
  }
});

test('an instance that was not among those asked for may still live', () => {
  const { states, isComplete } = knownInstances(observed([instance()]));
  assert.deepEqual([...states, isComplete], [[ID, 'running'], false]);
});

const GROUPS: readonly (readonly [Readonly<Record<string, string>>, JsonObject, unknown])[] = [
  [
    { 'eks.amazonaws.com/nodegroup': 'workers' },
    { Tags: [{ Key: 'aws:autoscaling:groupName', Value: 'eks-workers-1' }] },
    { kind: 'NodeGroup', name: 'workers' },
  ],
  [{ 'karpenter.sh/nodepool': 'default' }, {}, { kind: 'NodePool', name: 'default' }],
  [
    {},
    { Tags: [{ Key: 'aws:autoscaling:groupName', Value: 'nodes.shop' }] },
    { kind: 'AutoScalingGroup', name: 'nodes.shop' },
  ],
  [{}, {}, { kind: 'none', name: '' }],
];

for (const [labels, part, expected] of GROUPS)
  test(`its group is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(rowOf([node(labels), instance(part)]).group, expected);
  });

test('with custom networking pods take their addresses from the ENIConfig of their zone', () => {
  const config = (name: string, id: string): Thing => [
    'kube/ENIConfig',
    { metadata: { name }, spec: { subnet: id } },
  ];
  const custom = cni({ AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG: 'true' });
  const away = subnet(OTHER, { AvailabilityZone: 'eu-west-1b' });
  const things = [node(), instance(), subnet(OWN), custom, config('a', OWN), config('b', OTHER)];
  assert.deepEqual(rowOf([...things, away]).subnets, [OWN]);
  assert.deepEqual(rowOf([...things, subnet(OTHER)]).subnets, [OWN, OTHER]);
  const labelled = node({ 'k8s.amazonaws.com/eniConfig': 'b' });
  assert.deepEqual(rowOf([labelled, ...things.slice(1), subnet(OTHER)]).subnets, [OTHER]);
  const annotated = node({ 'k8s.amazonaws.com/eniConfig': 'a' }, '29', {
    'k8s.amazonaws.com/eniConfig': 'b',
  });
  assert.deepEqual(rowOf([annotated, ...things.slice(1), subnet(OTHER)]).subnets, [OTHER]);
});

for (const [version, expected] of [
  ['v1.17.1', [OWN]],
  ['v1.18.0', [OWN, OTHER]],
] as const)
  test(`release ${version} takes ${expected.length} of two subnets`, () => {
    const tagged = subnet(OTHER, { Tags: [{ Key: 'kubernetes.io/role/cni', Value: '1' }] });
    const things = [node(), instance(), subnet(OWN), tagged, cni({}, version)];
    assert.deepEqual(rowOf(things).subnets, expected);
  });

test('addresses of prefixes are held too, the primary one and those of pods are not', () => {
  const [, item] = attached({
    Ipv4Prefixes: [{ Ipv4Prefix: '10.20.1.32/28' }, { Ipv4Prefix: '10.20.1.0/20' }],
  });
  const used = new Set([0x0a140115, 0x0a140120]);
  assert.equal(warmOn(awsOf('aws/network-interface', item), new Set()), 18);
  assert.equal(warmOn(awsOf('aws/network-interface', item), used), 16);
});

const NOBODY: KnownInstances = { states: new Map(), isComplete: true };

function documentOf(
  things: readonly Thing[],
  part: { readonly nowMs?: number | null; readonly asked?: readonly string[] } = {},
): CapacityDocument {
  const { nowMs = NOW_MS, asked = [] } = part;
  return capacityDocument({
    observations: observed(things, LISTED),
    instances: NOBODY,
    nowMs,
    asked,
  });
}

test('reports how many more nodes the subnets of a group can feed', () => {
  const { groups, subnets } = documentOf(WHOLE);
  assert.deepEqual(
    groups.map(({ instanceType, nodes, maxPods, free }) => [instanceType, nodes, maxPods, free]),
    [['m5.large', 1, [29], 240]],
  );
  assert.equal(groups[0]?.moreNodes, 8);
  assert.deepEqual([subnets[0]?.nodes, subnets[0]?.warm], [1, 2]);
  const unseen = documentOf([node(), instance(), attached(), cni({})]).groups[0];
  assert.deepEqual([unseen?.free, unseen?.moreNodes], [null, null]);
});

test('who asks for one machine is shown its row and its subnets', () => {
  const things = [...WHOLE, subnet(OTHER)];
  assert.equal(documentOf(things).subnets.length, 2);
  for (const asked of ['a.internal', ID]) {
    const document = documentOf(things, { asked: [asked] });
    assert.deepEqual([document.nodes.length, document.subnets.map(({ id }) => id)], [1, [OWN]]);
  }
  assert.deepEqual(documentOf(things, { asked: ['b.internal'] }).nodes, []);
});

const LOOSE = attached({
  NetworkInterfaceId: 'eni-0ccccccccccccccc1',
  Attachment: null,
  Status: 'available',
  Description: 'aws-K8S-i-0ccccccccccccccc1',
  TagSet: [{ Key: 'node.k8s.amazonaws.com/createdAt', Value: '2026-11-20T12:00:00Z' }],
});

test('an interface leaks by its age, which files without a time do not tell', () => {
  const { leaked } = documentOf([...WHOLE, LOOSE]);
  assert.deepEqual(
    leaked.map(({ id, verdict, addresses }) => [id, verdict, addresses]),
    [['eni-0ccccccccccccccc1', 'leaked', 3]],
  );
  assert.deepEqual(documentOf([...WHOLE, LOOSE], { nowMs: null }).leaked, []);
});

const ALONE = attached({
  PrivateIpAddresses: [{ Primary: true, PrivateIpAddress: '10.20.1.20' }],
});

const VERDICTS: readonly (readonly [string, readonly Thing[], string])[] = [
  ['all is there', WHOLE, 'usable'],
  ['nothing was seen', [], 'cannot-tell'],
  [
    'a subnet of Nodes is full',
    [...WHOLE, subnet(OWN, { AvailableIpAddressCount: 0 })],
    'not-usable',
  ],
  ['another subnet is full', [...WHOLE, subnet(OTHER, { AvailableIpAddressCount: 0 })], 'usable'],
  ['an interface leaked', [...WHOLE, LOOSE], 'not-usable'],
  ['max-pods is above the addresses', [node({}, '110'), ...WHOLE.slice(1)], 'not-usable'],
  ['an instance holds no address for pods', [...WHOLE.slice(0, 3), ALONE, cni({})], 'not-usable'],
];

for (const [title, things, expected] of VERDICTS)
  test(`the verdict is ${expected} when ${title}`, () => {
    assert.equal(verdictOfCapacity(documentOf(things)), expected);
  });

test('is unknown without the list of interfaces, and shows the call', () => {
  const observations = observed([node(), instance(), subnet(OWN), cni({})], ['kube/Node']);
  const document = capacityDocument({ observations, instances: NOBODY, nowMs: null, asked: [] });
  assert.equal(verdictOfCapacity(document), 'cannot-tell');
  assert.deepEqual(
    document.notObservable.map(({ what }) => what),
    ['network interfaces'],
  );
});

test('reports a denied call once, and only where capacity uses its answer', () => {
  const refused = (call: string) => ({
    call,
    message: `${call}.`,
    failure: 'denied',
    permission: null,
  });
  const calls = ['ec2:DescribeNetworkInterfaces', 'iam:GetRole', 'list pods'];
  const observations = observed(WHOLE, ['kube/Node'], calls.map(refused));
  const document = capacityDocument({ observations, instances: NOBODY, nowMs: null, asked: [] });
  assert.deepEqual(
    document.notObservable.map(({ what }) => what),
    ['ec2:DescribeNetworkInterfaces', 'list pods'],
  );
  assert.deepEqual(unseenOf([refused('x'), refused('x')]), [{ what: 'x', why: 'x.' }]);
});
