import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { load } from 'js-yaml';
import type { CapacityDocument } from '../../src/capacity/cluster/document.ts';
import { capture } from './capture.ts';
import { fits, folderOf, listed, tooWide, withoutClients } from './evidence.ts';

const SUBNET = 'subnet-0aaaaaaaaaaaaaaa1';

function address(last: number): string {
  return `10.20.1.${last}`;
}

interface World {
  readonly cidr?: string;
  readonly free?: number;
  readonly maxPods?: number;
  readonly secondary?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  readonly interfaces?: readonly object[];
  readonly hasCni?: boolean;
  readonly type?: string;
}

const ID = 'i-0aaaaaaaaaaaaaaa1';
const NODE = 'ip-10-20-1-20.eu-west-1.compute.internal';

function nodeObject(maxPods: number, type: string): object {
  return {
    metadata: {
      name: NODE,
      labels: {
        'node.kubernetes.io/instance-type': type,
        'eks.amazonaws.com/nodegroup': 'workers',
      },
    },
    spec: { providerID: `aws:///eu-west-1a/${ID}` },
    status: {
      capacity: { pods: String(maxPods) },
      addresses: [{ type: 'InternalIP', address: address(20) }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

function daemonSet(env: Readonly<Record<string, string>>): object {
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  const image = 'registry.example/amazon-k8s-cni:v1.19.2';
  const containers = [{ name: 'aws-node', image, env: variables }];
  return {
    metadata: { name: 'aws-node', namespace: 'kube-system' },
    spec: { template: { spec: { containers } } },
  };
}

function pod(name: string, podIP: string, hostNetwork = false): object {
  return {
    metadata: { name, namespace: 'default' },
    spec: { nodeName: NODE, hostNetwork },
    status: { phase: 'Running', podIP },
  };
}

function attached(secondary: readonly number[]): object {
  const others = secondary.map((last) => ({ Primary: false, PrivateIpAddress: address(last) }));
  return {
    NetworkInterfaceId: 'eni-0aaaaaaaaaaaaaaa1',
    SubnetId: SUBNET,
    Status: 'in-use',
    Attachment: { InstanceId: ID },
    PrivateIpAddress: address(20),
    PrivateIpAddresses: [{ Primary: true, PrivateIpAddress: address(20) }, ...others],
  };
}

function worldFolder(t: TestContext, world: World): string {
  const { cidr = '10.20.1.0/24', free = 240, maxPods = 29, secondary = [21, 22, 23] } = world;
  const { env = {}, interfaces = [], hasCni = true, type = 'm5.large' } = world;
  const instance = {
    InstanceId: ID,
    InstanceType: type,
    SubnetId: SUBNET,
    State: { Name: 'running' },
    PrivateIpAddress: address(20),
    Placement: { AvailabilityZone: 'eu-west-1a' },
  };
  return folderOf(t, {
    nodes: listed('Node', [nodeObject(maxPods, type)]),
    pods: listed('Pod', [pod('a', address(21)), pod('proxy', address(20), true)]),
    daemonsets: listed('DaemonSet', hasCni ? [daemonSet(env)] : []),
    instances: { Reservations: [{ Instances: [instance] }] },
    subnets: {
      Subnets: [
        {
          SubnetId: SUBNET,
          AvailabilityZone: 'eu-west-1a',
          CidrBlock: cidr,
          AvailableIpAddressCount: free,
        },
      ],
    },
    interfaces: { NetworkInterfaces: [attached(secondary), ...interfaces] },
    collection: {
      apiVersion: 'evidence.rollcall.dev/v1alpha1',
      kind: 'Collection',
      at: '2026-11-22T12:00:00Z',
      cluster: 'shop',
      refusals: [],
    },
  });
}

async function look(t: TestContext, world: World) {
  const folder = worldFolder(t, world);
  const { code, out } = await capture(['capacity', folder, '-o', 'json']);
  const document = JSON.parse(out) as CapacityDocument;
  assert.equal(fits('capacity', document), '');
  const yaml = await capture(['capacity', folder, '-o', 'yaml']);
  assert.deepEqual(load(yaml.out), document);
  const text = await capture(['capacity', folder]);
  assert.deepEqual(tooWide(text.out), []);
  assert.equal(text.code, code);
  return { code, document, text: text.out };
}

test('a healthy cluster ends with 0 and shows the arithmetic', async (t) => {
  const { code, document } = await look(t, {});
  assert.equal(code, 0);
  const [node] = document.nodes;
  assert.equal(node?.addressPods, 29);
  assert.equal(node.pods, 1);
  assert.equal(node.warm, 2);
  assert.deepEqual(node.enis, { attached: 1, limit: 3 });
  assert.deepEqual(node.group, { kind: 'NodeGroup', name: 'workers' });
  assert.equal(document.groups[0]?.moreNodes, 8);
  assert.equal(document.subnets[0]?.warm, 2);
  assert.deepEqual(document.owners, [{ owner: 'instance', interfaces: 1, addresses: 4 }]);
});

test('max-pods above the addresses is named', async (t) => {
  const { code, document, text } = await look(t, { maxPods: 110 });
  assert.equal(code, 1);
  assert.match(document.nodes[0]?.problem ?? '', /max-pods is 110, but only 29 pods get addresses/);
  assert.match(text, /110 !/);
});

test('prefixes give room for 110', async (t) => {
  const env = { ENABLE_PREFIX_DELEGATION: 'true', WARM_PREFIX_TARGET: '1' };
  const { code, document } = await look(t, { maxPods: 110, env });
  assert.equal(code, 0);
  assert.equal(document.cni.addressing, 'prefix');
  assert.equal(document.nodes[0]?.addressPods, 434);
});

test('a full subnet ends with 1', async (t) => {
  const { code, document, text } = await look(t, { cidr: '10.20.1.16/28', free: 0 });
  assert.equal(code, 1);
  assert.equal(document.subnets[0]?.free, 0);
  assert.equal(document.groups[0]?.moreNodes, 0);
  assert.match(text, /No subnet can feed one more full node/);
});

test('an instance without any secondary address is named with its Node', async (t) => {
  const { code, document } = await look(t, { secondary: [] });
  assert.equal(code, 1);
  assert.deepEqual(document.withoutPodAddresses, [{ instanceId: ID, node: NODE }]);
});

function loose(id: string, maker: string): object {
  return {
    NetworkInterfaceId: id,
    SubnetId: SUBNET,
    Status: 'available',
    Description: `aws-K8S-${maker}`,
    PrivateIpAddresses: [40, 41].map((last) => ({ PrivateIpAddress: address(last) })),
    TagSet: [{ Key: 'node.k8s.amazonaws.com/createdAt', Value: '2026-11-20T12:00:00Z' }],
  };
}

test('reports an interface as a likely leak if its instance was not requested', async (t) => {
  const interfaces = [loose('eni-0bbbbbbbbbbbbbbb1', 'i-0bbbbbbbbbbbbbbb1')];
  const { code, document } = await look(t, { interfaces });
  assert.equal(code, 0);
  assert.deepEqual(
    document.leaked.map(({ id, verdict, addresses }) => ({ id, verdict, addresses })),
    [{ id: 'eni-0bbbbbbbbbbbbbbb1', verdict: 'likely', addresses: 2 }],
  );
});

test('an unattached interface of a living instance has not leaked', async (t) => {
  const { document } = await look(t, { interfaces: [loose('eni-0bbbbbbbbbbbbbbb1', ID)] });
  assert.deepEqual(document.leaked, []);
});

test('without aws-node no arithmetic is made up', async (t) => {
  const { document, text } = await look(t, { hasCni: false, maxPods: 110, secondary: [] });
  assert.equal(document.nodes[0]?.addressPods, null);
  assert.equal(document.nodes[0].problem, null);
  assert.deepEqual(document.withoutPodAddresses, []);
  assert.match(text, /No DaemonSet kube-system\/aws-node/);
});

test('reports an unknown type with the command that shows it', async (t) => {
  const { code, document } = await look(t, { type: 'x99.mega' });
  assert.equal(code, 1);
  assert.equal(document.nodes[0]?.addressPods, null);
  assert.match(
    document.nodes[0].problem ?? '',
    /describe-instance-types --instance-types x99.mega/,
  );
});

test('Nodes alone cannot tell', async (t) => {
  const folder = folderOf(t, { nodes: listed('Node', [nodeObject(29, 'm5.large')]) });
  const { code, out } = await capture(['capacity', folder]);
  assert.equal(code, 2);
  assert.match(out, /network interfaces: not collected/);
});

test('a machine that is not there is a mistake of the command line', async (t) => {
  const { code, err } = await capture(['capacity', worldFolder(t, {}), 'i-0ccccccccccccccc1']);
  assert.equal(code, 64);
  assert.match(err, /no such Node or instance: "i-0ccccccccccccccc1"/);
});

async function plan(t: TestContext, ...args: readonly string[]) {
  withoutClients(t);
  const { code, out } = await capture(['capacity', ...args, '-o', 'json']);
  const document = JSON.parse(out) as Readonly<Record<string, unknown>>;
  assert.equal(fits('capacity-plan', document), '');
  const text = await capture(['capacity', ...args]);
  assert.deepEqual(tooWide(text.out), []);
  return { code, document, text: text.out };
}

test('a type needs no rights for its arithmetic', async (t) => {
  const { code, document, text } = await plan(t, '--type', 'm5.large');
  assert.equal(code, 0);
  assert.equal(document['addressPods'], 29);
  assert.equal(document['source'], 'shipped');
  assert.match(text, /3 interfaces x \(10 addresses - 1 primary\) \+ 2 host-network pods = 29/);
});

test('a subnet that was not to be seen is unknown', async (t) => {
  const { code, document } = await plan(t, '--type', 'm5.large', '--subnet', SUBNET);
  assert.equal(code, 2);
  assert.equal(document['moreNodes'], null);
  assert.match(JSON.stringify(document['notObservable']), /subnet-0aaaaaaaaaaaaaaa1/);
});

test('reports an unknown type as unknown', async (t) => {
  const { code, document } = await plan(t, '--type', 'x99.mega');
  assert.equal(code, 2);
  assert.equal(document['source'], 'unknown');
  assert.equal(document['addressPods'], null);
});

test('options change the sum', async (t) => {
  const { document } = await plan(t, '--type', 'm5.large', '--custom-networking', '--max-eni', '2');
  assert.equal(document['addressPods'], 11);
  const { code } = await plan(t, '--type', 'm5.large', '--max-pods', '110');
  assert.equal(code, 1);
});

const MISTAKES: readonly (readonly [readonly string[], RegExp])[] = [
  [['--type', 'm5.large', '-o', 'xml'], /unknown format "xml"; use text, json or yaml/],
  [['--type', 'm5.large', '--max-pods', 'many'], /--max-pods takes a whole number/],
  [
    ['--type', 'm5.large', '--image', 'arch'],
    /unknown image family "arch"; use al2, al2023 or bottlerocket/,
  ],
  [['--type', 'm5.large', 'node-a'], /use it without machines/],
  [['--subnet', SUBNET], /--subnet needs a type/],
];

for (const [args, message] of MISTAKES)
  test(`capacity ${args.join(' ')} is refused with a sentence`, async (t) => {
    withoutClients(t);
    const { code, err } = await capture(['capacity', ...args]);
    assert.equal(code, 64);
    assert.match(err, message);
  });
