import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { load } from 'js-yaml';
import type { NamingDocument } from '../../src/capacity/naming/document.ts';
import { capture } from './capture.ts';
import { fits, folderOf, listed, tooWide, withoutClients } from './evidence.ts';

const ID = 'i-0aaaaaaaaaaaaaaa1';
const OLD = 'node00.k8s.internal';
const NEW = 'ip-10-20-1-50.eu-west-1.compute.internal';
const IP = '10.20.1.50';
const MACHINE_ID = 'ec2b5c1d7e9f4a0b8c6d5e4f3a2b1c0d';

interface NodeShape {
  readonly name: string;
  readonly ready: 'True' | 'Unknown';
  readonly providerId?: string;
  readonly ip?: string;
  readonly machineID?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly osImage?: string;
}

function nodeObject(shape: NodeShape): object {
  const { name, ready, providerId, ip = IP, machineID = MACHINE_ID, labels = {} } = shape;
  const { osImage = 'Ubuntu 22.04.5 LTS' } = shape;
  return {
    metadata: { name, labels, creationTimestamp: '2026-10-01T00:00:00Z' },
    spec: providerId === undefined ? {} : { providerID: providerId },
    status: {
      addresses: [{ type: 'InternalIP', address: ip }],
      conditions: [{ type: 'Ready', status: ready }],
      nodeInfo: { kubeletVersion: 'v1.33.4', machineID, osImage },
    },
  };
}

const INSTANCE = {
  InstanceId: ID,
  ImageId: 'ami-0aaaaaaaaaaaaaaa1',
  InstanceType: 'm5.large',
  VpcId: 'vpc-0aaaaaaaaaaaaaaa1',
  State: { Name: 'running' },
  PrivateIpAddress: IP,
  PrivateDnsName: NEW,
  PrivateDnsNameOptions: { HostnameType: 'ip-name' },
  Placement: { AvailabilityZone: 'eu-west-1a' },
  IamInstanceProfile: { Arn: 'arn:aws:iam::123456789012:instance-profile/node' },
  Tags: [{ Key: 'kubernetes.io/cluster/shop', Value: 'owned' }],
};

const PINNED = {
  metadata: { name: 'db', namespace: 'shop' },
  spec: { template: { spec: { nodeSelector: { 'kubernetes.io/hostname': OLD } } } },
};

const FREE = {
  metadata: { name: 'web', namespace: 'shop' },
  spec: { template: { spec: { containers: [] } } },
};

const NETWORK = {
  vpcs: { Vpcs: [{ VpcId: 'vpc-0aaaaaaaaaaaaaaa1', DhcpOptionsId: 'dopt-1' }] },
  dhcp: {
    DhcpOptions: [
      {
        DhcpOptionsId: 'dopt-1',
        DhcpConfigurations: [{ Key: 'domain-name', Values: [{ Value: 'k8s.internal' }] }],
      },
    ],
  },
};

/** The cloud provider was switched on, and the machine came back under its EC2 name. */
function renamed(t: TestContext): string {
  const before = nodeObject({ name: OLD, ready: 'Unknown' });
  const providerId = `aws:///eu-west-1a/${ID}`;
  const after = nodeObject({ name: NEW, ready: 'True', providerId });
  return folderOf(t, {
    nodes: listed('Node', [before, after]),
    deployments: listed('Deployment', [PINNED, FREE]),
    instances: { Reservations: [{ Instances: [INSTANCE] }] },
    ...NETWORK,
  });
}

async function documentOf(...args: readonly string[]) {
  const { code, out } = await capture(['name', ...args, '-o', 'json']);
  const document = JSON.parse(out) as NamingDocument;
  assert.equal(fits('naming', document), '');
  const yaml = await capture(['name', ...args, '-o', 'yaml']);
  assert.deepEqual(load(yaml.out), document);
  const text = await capture(['name', ...args]);
  const wide = tooWide(text.out.replaceAll(/'\{[^']*'/g, ''));
  assert.deepEqual(wide, []);
  return { code, document, text: text.out };
}

function rowOf(document: NamingDocument, name: string) {
  return document.names.find((row) => row.name === name);
}

test('the machine that changed its name: both names lead to it', async (t) => {
  const folder = renamed(t);
  for (const asked of [OLD, NEW, ID, IP]) {
    const { code, document } = await documentOf(folder, asked);
    assert.equal(code, 1, asked);
    assert.equal(document.node, NEW, asked);
    assert.deepEqual(
      [document.twin?.node, document.twin?.by, document.twin?.confidence],
      [OLD, 'machine-id', 'definite'],
    );
  }
});

test('reports what it broke, not what would have prevented it', async (t) => {
  const { document, text } = await documentOf(renamed(t), ID);
  const what = document.effects?.breaks.map((one) => one.what) ?? [];
  assert.ok(what.includes('volume-attach'));
  assert.ok(!what.includes('authorizer'));
  assert.match(text, /rollcall\.dev\/machine=node00/);
});

test('only the workload that asks for the old name is to be moved', async (t) => {
  const { document } = await documentOf(renamed(t), ID);
  assert.deepEqual(
    document.pinned.map(({ kind, name, by, value }) => ({ kind, name, by, value })),
    [{ kind: 'Deployment', name: 'db', by: 'kubernetes.io/hostname', value: OLD }],
  );
  assert.match(
    document.pinned[0]?.command ?? '',
    /^kubectl -n shop patch deployment\/db --type=merge -p '.*"rollcall.dev\/machine":"node00"/,
  );
});

test('a DHCP domain that is not the one of EC2 differs, and need not matter', async (t) => {
  const { document } = await documentOf(renamed(t), ID);
  const row = rowOf(document, 'dhcp-domain');
  assert.equal(row?.verdict, 'disagrees');
  assert.equal(row.matters, false);
  assert.equal(rowOf(document, 'os-hostname')?.verdict, 'unknown');
});

function unchanged(t: TestContext): string {
  return folderOf(t, {
    nodes: listed('Node', [nodeObject({ name: OLD, ready: 'True' })]),
    deployments: listed('Deployment', [PINNED]),
    instances: { Reservations: [{ Instances: [INSTANCE] }] },
    ...NETWORK,
  });
}

test('before the cloud provider is switched on it says what will become of the name', async (t) => {
  const args = ['--cloud-provider', 'in-tree', '--version', '1.23.6'];
  const { code, document } = await documentOf(unchanged(t), OLD, ...args);
  assert.equal(code, 1);
  assert.equal(document.name.state === 'known' ? document.name.name : null, NEW);
  assert.equal(rowOf(document, 'node')?.verdict, 'disagrees');
  assert.deepEqual(
    document.effects?.breaks.map((one) => one.what).filter((what) => what === 'authorizer'),
    ['authorizer'],
  );
  assert.equal(document.pinned.length, 1);
});

test('left as it is, nothing breaks', async (t) => {
  const args = ['--cloud-provider', 'none', '--hostname', OLD, '--hostname-override', ''];
  const { code, document } = await documentOf(unchanged(t), OLD, ...args);
  assert.equal(code, 0);
  assert.equal(document.effects, null);
  assert.deepEqual(document.pinned, []);
  assert.equal(document.acceptance?.state, 'nobody-asks');
});

test('a certificate in the old name disagrees where it matters', async (t) => {
  const { document } = await documentOf(renamed(t), ID, '--certificate', `system:node:${OLD}`);
  const row = rowOf(document, 'certificate');
  assert.deepEqual([row?.verdict, row?.matters], ['disagrees', true]);
});

test('does not report another machine with the same machine-id as a twin', async (t) => {
  const other = nodeObject({ name: 'node01.k8s.internal', ready: 'True', ip: '10.20.1.51' });
  const folder = folderOf(t, {
    nodes: listed('Node', [nodeObject({ name: OLD, ready: 'True' }), other]),
    instances: { Reservations: [{ Instances: [INSTANCE] }] },
  });
  const { code, document } = await documentOf(folder, OLD);
  assert.equal(document.twin, null);
  // Nobody said whether a cloud controller looks it up by EC2's name, which is another one.
  assert.equal(code, 2);
});

function eksFolder(t: TestContext, username: string): string {
  const labels = { 'eks.amazonaws.com/nodegroup': 'workers' };
  const providerId = `aws:///eu-west-1a/${ID}`;
  const osImage = 'Amazon Linux 2023.9.20251110';
  return folderOf(t, {
    nodes: listed('Node', [nodeObject({ name: NEW, ready: 'True', providerId, labels, osImage })]),
    instances: { Reservations: [{ Instances: [INSTANCE] }] },
    profile: {
      InstanceProfile: {
        InstanceProfileName: 'node',
        Roles: [{ RoleName: 'node', Arn: 'arn:aws:iam::123456789012:role/node' }],
      },
    },
    auth: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'aws-auth', namespace: 'kube-system' },
      data: {
        mapRoles: `- rolearn: arn:aws:iam::123456789012:role/node\n  username: ${username}\n  groups: [system:bootstrappers, system:nodes]\n`,
      },
    },
    csinode: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: NEW },
      spec: { drivers: [{ name: 'ebs.csi.aws.com', nodeID: ID }] },
    },
  });
}

test('on EKS the template of aws-auth is filled in', async (t) => {
  const { code, document } = await documentOf(
    eksFolder(t, 'system:node:{{EC2PrivateDNSName}}'),
    ID,
  );
  assert.equal(code, 0);
  assert.equal(rowOf(document, 'user-name')?.value, `system:node:${NEW}`);
  assert.equal(rowOf(document, 'csi-node-id')?.verdict, 'agrees');
  assert.equal(document.acceptance?.state, 'accepted');
});

test('a template that gives another name disagrees where it matters', async (t) => {
  const { code, document } = await documentOf(eksFolder(t, 'system:node:{{SessionName}}'), ID);
  assert.equal(code, 1);
  assert.equal(rowOf(document, 'user-name')?.verdict, 'disagrees');
});

test('without a machine all of them are listed', async (t) => {
  const { code, out } = await capture(['name', renamed(t)]);
  assert.equal(code, 1);
  assert.match(out, /also node00\.k8s\.internal/);
  assert.deepEqual(tooWide(out), []);
  const json = await capture(['name', renamed(t), '-o', 'json']);
  const list = JSON.parse(json.out) as { readonly kind: string; readonly items: unknown[] };
  assert.equal(list.kind, 'NamingList');
  assert.equal(list.items.length, 1);
  for (const item of list.items) assert.equal(fits('naming', item), '');
});

test('before launch the flags alone decide', async (t) => {
  withoutClients(t);
  const place = ['--ip', '10.0.1.2', '--region', 'eu-west-1', '--naming', 'ip-name'];
  const image = ['--image', 'al2023', '--version', '1.33', '--dns-hostnames', 'on'];
  const { code, document } = await documentOf(...image, ...place);
  assert.equal(code, 0);
  assert.equal(
    document.name.state === 'known' ? document.name.name : null,
    'ip-10-0-1-2.eu-west-1.compute.internal',
  );
});

test('an id that was made up for the example is called so', async (t) => {
  withoutClients(t);
  const { document, text } = await documentOf(
    '--image',
    'kops',
    '--version',
    '1.30',
    '--cloud-provider',
    'external=1.30.2',
  );
  assert.equal(document.instanceId, null);
  assert.match(text, /gets the id i-0123456789abcdef0, an example/);
});

test('a subnet that may not be read leaves the name unknown', async (t) => {
  withoutClients(t);
  const { code, document } = await documentOf(
    '--subnet',
    'subnet-0aaaaaaaaaaaaaaa1',
    '--image',
    'al2023',
  );
  assert.equal(code, 2);
  assert.equal(document.name.state, 'unknown');
  assert.ok(document.notObservable.length > 0);
});

const MISTAKES: readonly (readonly [readonly string[], RegExp])[] = [
  [['--image', 'arch'], /unknown image family "arch"/],
  [
    ['--image', 'al2', '--cloud-provider', 'gce'],
    /unknown cloud provider "gce"; use in-tree, external or none/,
  ],
  [
    ['--image', 'al2', '--naming', 'dns'],
    /unknown hostname type "dns"; use ip-name or resource-name/,
  ],
  [['i-0aaaaaaaaaaaaaaa1', 'i-0aaaaaaaaaaaaaaa2'], /name takes one machine, or none for all/],
];

for (const [args, message] of MISTAKES)
  test(`name ${args.join(' ')} is refused with a sentence`, async (t) => {
    withoutClients(t);
    const { code, err } = await capture(['name', ...args]);
    assert.equal(code, 64);
    assert.match(err, message);
  });

test('a machine that is not there is a mistake of the command line', async (t) => {
  const { code, err } = await capture(['name', renamed(t), 'i-0ccccccccccccccc1']);
  assert.equal(code, 64);
  assert.match(err, /No instance, Node or address is called/);
});
