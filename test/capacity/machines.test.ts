import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloudProviderOf } from '../../src/domain/naming/cloud-provider.ts';
import { familyOf, imageOf } from '../../src/domain/naming/image-family.ts';
import { identityOf } from '../../src/domain/naming/identity.ts';
import { machineNamed, machinesOf } from '../../src/domain/naming/machines.ts';
import { namesSeen } from '../../src/domain/naming/machine-names.ts';
import { namingTypeOf, regionOfZone, vpcNames } from '../../src/domain/naming/vpc-names.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { observed, type Thing } from './observed.ts';

const ID = 'i-0aaaaaaaaaaaaaaa1';
const IP = '10.20.1.50';
const EC2_NAME = 'ip-10-20-1-50.eu-west-1.compute.internal';

interface NodeShape {
  readonly name: string;
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly providerID?: string;
  readonly ip?: string;
  readonly created?: string;
  readonly version?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

function node(shape: NodeShape): Thing {
  const { name, ready = 'True', providerID, ip = IP, labels = {} } = shape;
  const { created = '2026-10-01T00:00:00Z', version = 'v1.33.4' } = shape;
  return [
    'kube/Node',
    {
      metadata: { name, labels, creationTimestamp: created },
      spec: providerID === undefined ? {} : { providerID },
      status: {
        addresses: ip === '' ? [] : [{ type: 'InternalIP', address: ip }],
        conditions: [{ type: 'Ready', status: ready }],
        nodeInfo: { kubeletVersion: version, osImage: 'Amazon Linux 2' },
      },
    },
  ];
}

function instance(part: JsonObject = {}): Thing {
  return [
    'aws/instance',
    {
      InstanceId: ID,
      ImageId: 'ami-0aaaaaaaaaaaaaaa1',
      VpcId: 'vpc-0a',
      State: { Name: 'running' },
      PrivateIpAddress: IP,
      PrivateDnsName: EC2_NAME,
      PrivateDnsNameOptions: { HostnameType: 'resource-name' },
      Placement: { AvailabilityZone: 'eu-west-1a' },
      IamInstanceProfile: { Arn: 'arn:aws:iam::123456789012:instance-profile/path/node' },
      ...part,
    },
  ];
}

function foundAs(things: readonly Thing[], name: string): readonly (string | null)[] {
  const machine = machineNamed(observed(things), name);
  const id = machine?.instance?.InstanceId ?? null;
  return [id, machine?.node?.name ?? null];
}

const PROVIDER_ID = `aws:///eu-west-1a/${ID}`;

test('a machine is found by every name that it goes by', () => {
  const things = [instance(), node({ name: 'node00', providerID: PROVIDER_ID })];
  for (const name of [ID, IP, EC2_NAME, EC2_NAME.toUpperCase(), 'node00'])
    assert.deepEqual(foundAs(things, name), [ID, 'node00'], name);
  assert.equal(machineNamed(observed(things), 'node01'), null);
});

const TODAY: readonly (readonly [string, readonly NodeShape[], string])[] = [
  ['the Ready one', [{ name: 'a', ready: 'False' }, { name: 'b' }], 'b'],
  [
    'the one that its kubelet reports to',
    [
      { name: 'a', ready: 'Unknown', created: '2026-11-01T00:00:00Z' },
      { name: 'b', ready: 'False' },
    ],
    'b',
  ],
  ['the youngest', [{ name: 'a', created: '2026-11-01T00:00:00Z' }, { name: 'b' }], 'a'],
];

for (const [title, nodes, expected] of TODAY)
  test(`of several Nodes of a machine ${title} is its own`, () => {
    assert.deepEqual(foundAs([instance(), ...nodes.map(node)], ID), [ID, expected]);
  });

test('a Node that names another instance is not taken for its address', () => {
  const other = node({ name: 'a', providerID: 'aws:///eu-west-1a/i-0bbbbbbbbbbbbbbb1' });
  assert.deepEqual(foundAs([instance(), other], ID), [ID, null]);
});

test('uses the Ready Node with the address where AWS did not answer', () => {
  const nodes = [node({ name: 'old', ready: 'Unknown' }), node({ name: 'new' })];
  assert.deepEqual(foundAs(nodes, 'old'), [null, 'new']);
  const apart = [node({ name: 'old', ready: 'Unknown' }), node({ name: 'new', ip: '10.20.1.51' })];
  assert.deepEqual(foundAs(apart, 'old'), [null, 'old']);
});

test('all machines are running instances and the Nodes that no instance has', () => {
  const things = [
    instance(),
    instance({ InstanceId: 'i-0bbbbbbbbbbbbbbb1', State: { Name: 'terminated' } }),
    node({ name: 'node00', providerID: PROVIDER_ID }),
    node({ name: 'edge', ip: '192.168.0.7' }),
  ];
  const all = machinesOf(observed(things));
  assert.deepEqual(
    all.map(({ node: own }) => own?.name),
    ['node00', 'edge'],
  );
  assert.equal(all[1]?.instance, null);
});

const FAMILIES = [
  ['amazon-eks-node-1.29-v20240117', true, 'al2'],
  ['amazon-eks-node-al2023-x86_64-standard-1.33-v20261101', true, 'al2023'],
  ['bottlerocket-aws-k8s-1.33-x86_64-v1.40', true, 'bottlerocket'],
  ['Amazon Linux 2', true, 'al2'],
  ['Amazon Linux 2', false, 'other'],
  ['Amazon Linux 2023.9', true, 'al2023'],
  ['Amazon Linux 2023.9', false, 'other'],
  ['ubuntu-eks/k8s_1.33', true, 'ubuntu'],
  ['Red Hat Enterprise Linux CoreOS 418', false, 'openshift4'],
  ['Red Hat Enterprise Linux 9', false, 'rhel'],
  ['Windows_Server-2022-English-Core-EKS', true, 'windows'],
  ['Debian GNU/Linux 12', false, 'other'],
  [' ', true, null],
  [null, true, null],
] as const;

for (const [words, isEks, expected] of FAMILIES)
  test(`${words ?? 'no name'}, ${isEks ? 'on' : 'off'} EKS, is of the family ${expected}`, () => {
    assert.equal(familyOf(words, isEks), expected);
  });

test('labels go before the image, and the system before an image of any name', () => {
  const image: Thing = ['aws/image', { ImageId: 'ami-0aaaaaaaaaaaaaaa1', Name: 'golden-2026' }];
  const isEks = { 'eks.amazonaws.com/nodegroup': 'workers' };
  const familyWith = (labels: Readonly<Record<string, string>>) => {
    const things = [instance(), node({ name: 'a', labels, providerID: PROVIDER_ID }), image];
    const machine = machineNamed(observed(things), 'a');
    assert.ok(machine !== null);
    return imageOf(observed(things), machine);
  };
  assert.equal(familyWith(isEks), 'al2');
  assert.equal(familyWith({ ...isEks, 'eks.amazonaws.com/compute-type': 'auto' }), 'eks-auto');
  assert.equal(familyWith({ 'kops.k8s.io/instancegroup': 'nodes' }), 'kops');
});

function workload(name: string, image: string, args: readonly string[] = []): Thing {
  const containers = [{ name, image, command: [name], args: [...args] }];
  return ['kube/Pod', { metadata: { name, namespace: 'kube-system' }, spec: { containers } }];
}

const KCM = 'kube-controller-manager';

test('reads the cloud provider from the running programs', () => {
  const ccm = workload('ccm', 'x/aws-cloud-controller-manager:v1.30.2@sha256:0');
  const kcm = (flag: string) => workload(KCM, 'x/kube-controller-manager:v1.26.0', [flag]);
  const seen = (things: readonly Thing[], isListed = true) =>
    cloudProviderOf(observed(things, isListed ? ['kube/Pod'] : []));
  assert.deepEqual(seen([ccm]), { kind: 'external', controllerVersion: 'v1.30.2' });
  assert.deepEqual(seen([kcm('--cloud-provider=aws')]), { kind: 'in-tree' });
  assert.deepEqual(seen([kcm('--v=2')]), { kind: 'none' });
  assert.equal(seen([kcm('--v=2')], false), null);
  assert.equal(seen([kcm('--cloud-provider=external')]), null);
  assert.equal(seen([]), null);
});

test('on EKS the version of the kubelets tells it', () => {
  const cluster: Thing = ['aws/cluster', { name: 'shop' }];
  const withVersion = (version: string) =>
    cloudProviderOf(observed([cluster, node({ name: 'a', version })]));
  assert.deepEqual(withVersion('v1.27.1'), { kind: 'external', controllerVersion: null });
  assert.equal(withVersion('v1.26.9'), null);
});

test('a VPC tells its domain and its DNS attributes, and what was not asked is missing', () => {
  const things: readonly Thing[] = [
    ['aws/vpc', { VpcId: 'vpc-0a', DhcpOptionsId: 'dopt-1' }],
    [
      'aws/dhcp-options',
      {
        DhcpOptionsId: 'dopt-1',
        DhcpConfigurations: [
          { Key: 'domain-name-servers', Values: [{ Value: 'AmazonProvidedDNS' }] },
          { Key: 'domain-name', Values: [{ Value: 'a.internal' }, 'b.internal'] },
        ],
      },
    ],
    ['aws/vpc-attribute', { VpcId: 'vpc-0b', EnableDnsSupport: { Value: true } }],
    ['aws/vpc-attribute', { VpcId: 'vpc-0a', EnableDnsHostnames: { Value: false } }],
  ];
  assert.deepEqual(vpcNames(observed(things), 'vpc-0a'), {
    dhcpDomain: 'a.internal b.internal',
    dnsHostnames: false,
  });
  assert.deepEqual(vpcNames(observed(things), null), {});
});

test('invalid zones and naming types are ignored', () => {
  assert.deepEqual(
    ['eu-west-1a', 'us-gov-west-1b', 'us-west-2-lax-1a', 'eu-west-1', null].map(regionOfZone),
    ['eu-west-1', 'us-gov-west-1', null, null, null],
  );
  assert.equal(namingTypeOf('resource-name'), 'resource-name');
  assert.equal(namingTypeOf('other'), undefined);
});

test('combines what the instance and its Node report of a machine', () => {
  const tags = [{ Key: 'kubernetes.io/cluster/shop', Value: 'owned' }];
  const things = [instance({ Tags: tags }), node({ name: 'node00', providerID: PROVIDER_ID })];
  const machine = machineNamed(observed(things), ID);
  assert.ok(machine !== null);
  const seen = namesSeen(observed(things), machine, { userName: 'u' }, {});
  assert.deepEqual(
    [seen.nodeName, seen.privateIp, seen.region, seen.hostnameType, seen.clusterTag, seen.userName],
    ['node00', IP, 'eu-west-1', 'resource-name', true, 'u'],
  );
});

test('no Node is known only from the list of Nodes', () => {
  const machine = { instance: null, node: null };
  assert.ok(!('nodeName' in namesSeen(observed([]), machine, {}, {})));
  assert.equal(namesSeen(observed([], ['kube/Node']), machine, {}, {}).nodeName, null);
});

const PROFILE: Thing = [
  'aws/instance-profile',
  { InstanceProfileName: 'node', Roles: [{ Arn: 'arn:aws:iam::123456789012:role/team/node' }] },
];

function identity(things: readonly Thing[], endpoints?: readonly string[]) {
  const observations = observed([instance(), node({ name: 'node00' }), ...things]);
  const machine = machineNamed(observations, ID);
  assert.ok(machine !== null);
  return identityOf(observations, machine, ['node99'], endpoints);
}

test('the user is that of the access entry of the role', () => {
  const entry: Thing = [
    'aws/access-entry',
    {
      principalArn: 'arn:aws:iam::123456789012:role/team/node',
      username: 'system:node:{{EC2PrivateDNSName}}',
    },
  ];
  assert.deepEqual(identity([PROFILE, entry]), { userName: 'system:node:{{EC2PrivateDNSName}}' });
  assert.deepEqual(identity([entry]), {});
});

function request(user: string, created: string, signerName: string): Thing {
  return [
    'kube/CertificateSigningRequest',
    {
      metadata: { name: created, creationTimestamp: created },
      spec: { signerName, username: user },
    },
  ];
}

test('the certificate is that of the newest renewal under a name of the machine', () => {
  const client = 'kubernetes.io/kube-apiserver-client-kubelet';
  const found = identity([
    request('system:node:node00', '2026-10-01T00:00:00Z', client),
    request('system:node:node99', '2026-11-01T00:00:00Z', client),
    request('system:node:node00', '2026-12-01T00:00:00Z', 'kubernetes.io/kubelet-serving'),
    request('system:node:node01', '2026-12-01T00:00:00Z', client),
  ]);
  assert.deepEqual(found, { certificateName: 'system:node:node99' });
});

test('drivers and kubeadm are asked by the name of the Node', () => {
  const driver: Thing = [
    'kube/CSINode',
    {
      metadata: { name: 'node00' },
      spec: { drivers: [{ name: 'efs' }, { name: 'ebs.csi.aws.com', nodeID: ID }] },
    },
  ];
  assert.deepEqual(identity([driver], ['node99', 'node98']), {
    csiNodeId: ID,
    kubeadmEndpoints: ['node99', 'node98'],
  });
  assert.deepEqual(identity([], ['node98']), {});
});
