import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { capacityOf } from '../../src/capacity/capacity.ts';
import { capacityDocument } from '../../src/capacity/cluster/cluster-capacity.ts';
import { clusterPage, pageOf, planPage } from '../../src/apps/cli/pages/capacity-page.ts';
import { planOf, type PlanQuestion, verdictOfPlan } from '../../src/capacity/cluster/plan.ts';
import { INSTANCE_TYPES } from '../../src/capacity/instance-types.generated.ts';
import { instanceTypes } from '../../src/capacity/instance-types.ts';
import { columns, commandRows, marked, paragraph } from '../../src/apps/cli/pages/layout.ts';
import { DEFAULT_MODE, MANIFEST_TARGETS } from '../../src/capacity/mode.ts';
import { namingDocument } from '../../src/capacity/naming/document.ts';
import type { NamingInput } from '../../src/domain/naming/input.ts';
import { machinePage } from '../../src/apps/cli/pages/name-page.ts';
import { capacityLines } from '../../src/apps/cli/pages/capacity-report.ts';
import { counted, grouped, lengthText, shellWord, shown } from '../../src/domain/words.ts';
import type { KubeNode } from '../../src/evidence/kinds.ts';
import { observed, type Thing } from './observed.ts';

const TYPES = instanceTypes(INSTANCE_TYPES);
const NOW_MS = Date.parse('2026-11-22T12:00:00Z');

const SUBNET: Thing = [
  'aws/subnet',
  {
    SubnetId: 'subnet-0a',
    CidrBlock: '10.0.1.0/26',
    AvailabilityZone: 'eu-west-1a',
    AvailableIpAddressCount: 35,
  },
];

function loose(index: number): Thing {
  return [
    'aws/network-interface',
    {
      NetworkInterfaceId: `eni-0${index}`,
      SubnetId: 'subnet-0a',
      Status: 'available',
      Description: `aws-K8S-i-0aaaaaaaaaaaaaaa${index}`,
      PrivateIpAddresses: Array.from({ length: 10 }, (_, offset) => ({
        PrivateIpAddress: `10.0.1.${16 * index + offset}`,
      })),
      TagSet: [{ Key: 'node.k8s.amazonaws.com/createdAt', Value: '2026-11-20T12:00:00Z' }],
    },
  ];
}

const PLACE = observed([SUBNET, loose(1), loose(2)], ['aws/network-interface']);

function planned(type: string, part: Partial<PlanQuestion> = {}) {
  const subnets = ['subnet-0a'];
  const question = { mode: DEFAULT_MODE, targets: MANIFEST_TARGETS, maxPods: null, image: null };
  return planOf({ type, subnets, ...question, ...part }, PLACE, []);
}

function page(type: string): readonly string[] {
  const { document, capacity, notes } = planned(type, { maxPods: 110, image: 'al2' });
  return planPage(document, capacity, notes);
}

test('the page of a type says what it holds, what ends it, and what its subnets feed', () => {
  assert.deepEqual(page('m5.large'), [
    'm5.large: 2 vCPUs, 8 GiB, amd64, nitro, from the table shipped with Rollcall',
    '  pods    29 have addresses, AWS recommends 29.',
    '          3 interfaces x (10 addresses - 1 primary) + 2 host-network pods = 29',
    '  limit   Limited by ENIs: 3 interfaces with 9 pod addresses each.',
    '  subnet  A node takes: no pod: 10 addresses on 1 interface · 1 pod: 20 addresses on 2 interfaces ·',
    '          27 pods: 30 addresses on 3 interfaces.',
    '          ipamd wants interfaces for 27 pods + 1 whole interface free, as far as the limits allow.',
    '  !       max-pods is 110, but only 29 pods get addresses: up to 81 pods would hang in',
    '          ContainerCreating, "failed to assign an IP address to container".',
    '',
    'SUBNET     ZONE        CIDR         USABLE  FREE  FREE /28  WARM  NODES',
    'subnet-0a  eu-west-1a  10.0.1.0/26  59      35    0         -     0',
    '  subnet-0a: 4 addresses in use outside the listed interfaces, so FREE /28 is an upper bound.',
    '  It can feed 1 more node full of pods.',
  ]);
});

test('the page of an unknown type says so and shows the call', () => {
  assert.deepEqual(page('x9.large').slice(0, 4), [
    'x9.large: not in the shipped table; limits unknown.',
    '  Ask EC2:',
    '    aws ec2 describe-instance-types --instance-types x9.large',
    '',
  ]);
});

const PLANS: readonly (readonly [string, string, Partial<PlanQuestion>, string])[] = [
  ['it fits', 'm5.large', {}, 'usable'],
  ['max-pods is above the addresses', 'm5.large', { maxPods: 110 }, 'not-usable'],
  ['no subnet feeds one more node', 'm5.24xlarge', {}, 'not-usable'],
  ['nobody knows the type', 'x9.large', {}, 'cannot-tell'],
  ['nobody saw the subnet', 'm5.large', { subnets: ['subnet-0b'] }, 'cannot-tell'],
  ['no subnet was named', 'm5.large', { subnets: [] }, 'usable'],
];

for (const [title, type, part, expected] of PLANS)
  test(`a plan is ${expected} when ${title}`, () => {
    assert.equal(verdictOfPlan(planned(type, part)), expected);
  });

test('distinguishes a missing subnet from one that could not be requested', () => {
  const { document } = planned('m5.large', { subnets: ['subnet-0a', 'subnet-0b'] });
  assert.equal(document.moreNodes, null);
  assert.match(document.notObservable[0]?.why ?? '', /^no such subnet in this account/);
  const question = { type: 'm5.large', subnets: ['subnet-0b'], maxPods: null, image: null };
  const refused = { what: 'aws', why: 'no credentials' };
  const asked = { ...question, mode: DEFAULT_MODE, targets: MANIFEST_TARGETS };
  const unseen = planOf(asked, observed([]), [refused]).document.notObservable;
  assert.deepEqual(unseen, [{ what: 'subnet-0b', why: 'unknown: AWS was not asked' }, refused]);
});

test('the page of a cluster has a paragraph for everything that was found', () => {
  const bare: Thing = [
    'aws/network-interface',
    {
      NetworkInterfaceId: 'eni-0f',
      SubnetId: 'subnet-0a',
      Attachment: { InstanceId: 'i-0b000000' },
    },
  ];
  const node: Thing = [
    'kube/Node',
    {
      metadata: { name: 'b', labels: { 'node.kubernetes.io/instance-type': 'm5.large' } },
      spec: { providerID: 'aws:///eu-west-1a/i-0b000000' },
      status: { capacity: { pods: '110' } },
    },
  ];
  const instance: Thing = ['aws/instance', { InstanceId: 'i-0b000000', InstanceType: 'm5.large' }];
  const containers = [{ name: 'aws-node', image: 'x/cni:v1.19.2' }];
  const agent: Thing = [
    'kube/DaemonSet',
    {
      metadata: { name: 'aws-node', namespace: 'kube-system' },
      spec: { template: { spec: { containers } } },
    },
  ];
  const things = [SUBNET, loose(1), bare, node, instance, agent];
  const document = capacityDocument({
    observations: observed(things, ['aws/network-interface']),
    instances: { states: new Map(), isComplete: true },
    nowMs: NOW_MS,
    asked: [],
  });
  assert.deepEqual(clusterPage(document), [
    'aws-node v1.19.2: single addresses, WARM_ENI_TARGET=1',
    '',
    'NODE  TYPE      GROUP     MAX-PODS  CAN HOLD  PODS  WARM  ENIS',
    'b     m5.large  no group  110 !     29        -     -     1/3',
    '  ! b: max-pods is 110, but only 29 pods get addresses: up to 81 pods would hang in',
    '    ContainerCreating, "failed to assign an IP address to container".',
    '',
    'GROUP     TYPE      NODES  CAN HOLD  SUBNETS  FREE  MORE NODES',
    'no group  m5.large  1      29        -        -     -',
    '  limit no group (m5.large): Limited by ENIs: 3 interfaces with 9 pod addresses each.',
    '',
    'SUBNET     ZONE        CIDR         USABLE  FREE  FREE /28  WARM  NODES',
    'subnet-0a  eu-west-1a  10.0.1.0/26  59      35    1         -     0',
    '  subnet-0a: 14 addresses in use outside the listed interfaces, so FREE /28 is an upper bound.',
    '',
    'OWNER     INTERFACES  ADDRESSES',
    'cni       1           10',
    'instance  1           0',
    '',
    '1 interface of the CNI leaked, with 10 addresses.',
    '  ! eni-01 in subnet-0a, 10 addresses: its instance i-0aaaaaaaaaaaaaaa1 is gone; created 2 days ago.',
    '    aws ec2 delete-network-interface --network-interface-id eni-01',
    '',
    '! i-0b000000 (b) holds no secondary address and no prefix: no pod gets an address there.',
  ]);
});

test('paragraphs are apart by one empty row, and empty ones leave none', () => {
  assert.deepEqual(pageOf([[], ['a'], [], ['b', 'c'], []]), ['a', '', 'b', 'c']);
});

const STORY: NamingInput = {
  image: 'rhel',
  cloudProvider: { kind: 'in-tree' },
  kubeletVersion: 'v1.10.3',
  hostnameOverride: 'node00.k8s.internal',
  instanceId: 'i-0123456789abcdef0',
  privateDnsName: 'ip-172-12-4-2.eu-west-1.compute.internal',
  clusterTag: true,
};

function namingRows(input: NamingInput, oldName: string): readonly string[] {
  const observations = observed([
    ['kube/Node', { metadata: { name: oldName }, status: { conditions: [] } }],
  ]);
  const node = observations.facts[0]?.value as KubeNode;
  const seen = { ...input, nodeName: oldName };
  return machinePage(namingDocument({ observations, machine: { instance: null, node }, seen }, []));
}

test('the page of a machine begins with its Node, the name and its rule', () => {
  const rows = namingRows(STORY, 'node00.k8s.internal');
  assert.deepEqual(rows.slice(0, 8), [
    'i-0123456789abcdef0 is registered as Node node00.k8s.internal, not Ready.',
    '',
    'Node name: ip-172-12-4-2.eu-west-1.compute.internal',
    '  With --cloud-provider=aws the kubelet takes the private DNS name of EC2 and ignores hostname, DNS',
    '  zone, nodeName and --hostname-override. [kubernetes legacy-cloud-providers aws/aws.go (v0.26)]',
    '',
    'The cloud controller will accept it.',
    '  The name is the private DNS name of the instance. [kubernetes legacy-cloud-providers aws/aws.go',
  ]);
  assert.ok(rows.some((row) => /^DIFFERS {2}Node +node00\.k8s\.internal$/.test(row)));
  assert.ok(rows.some((row) => row.includes('rollcall.dev/machine=node00')));
});

test('the page of an unknown name shows what to collect', () => {
  const rows = namingRows({ ...STORY, kubeletVersion: null }, 'node00.k8s.internal');
  assert.equal(rows[2], 'The Node name is unknown.');
  assert.ok(rows.includes('    ps -o args= -C kubelet; kubelet --version'));
});

test('no row of a page is over 100 columns, whatever the names are', () => {
  const NAME = fc.string({ unit: 'grapheme-ascii', maxLength: 400 });
  const property = fc.property(NAME, NAME, (nodeName, typeName) => {
    const rows = [
      ...namingRows(
        { ...STORY, hostnameOverride: nodeName, privateDnsName: nodeName },
        'old.example',
      ),
      ...page(typeName),
    ];
    const prose = rows.filter((row) => !row.startsWith('    '));
    for (const row of prose) assert.ok(row.length <= 100, row);
  });
  fc.assert(property, { numRuns: 40 });
});

test('fits the report of every type into 100 columns', () => {
  const mode = {
    ...DEFAULT_MODE,
    addressing: 'prefix',
    podEni: true,
    cniVersion: 'v1.12.0',
  } as const;
  for (const name of TYPES.names) {
    const type = TYPES.named(name);
    const rest = { mode, targets: MANIFEST_TARGETS, subnets: null, maxPodsConfigured: 300 };
    for (const row of capacityLines(capacityOf({ type, ...rest })))
      assert.ok(row.length <= 100, row);
  }
});

test('wraps commands with a backslash, and a quoted program after its pipes', () => {
  assert.deepEqual(commandRows('kubectl get nodes'), ['    kubectl get nodes']);
  const long = `kubectl get pods -A -o json | jq -r --arg old ${'x'.repeat(40)} '.items[] | select(.spec.nodeName == $old) | .metadata.name'`;
  const rows = commandRows(long);
  assert.ok(rows.every((row) => row.length <= 100));
  assert.ok(rows.slice(0, -1).every((row) => row.endsWith(' \\') || row.endsWith('|')));
  const joined = rows.map((row) => row.trim().replace(/ \\$/, '')).join(' ');
  assert.equal(joined, long);
});

test('paragraphs keep every word, tables cut what does not fit', () => {
  const text = fc.string({ maxLength: 500 });
  fc.assert(
    fc.property(text, (given) => {
      const rows = paragraph(given, '  ');
      assert.equal(rows.join('').replaceAll(/\s/g, ''), given.replaceAll(/\s/g, ''));
      assert.ok(rows.every((row) => row.length <= 100));
    }),
  );
  const [row = ''] = columns([['a'.repeat(90), 'b'.repeat(90), 'c']]);
  assert.ok(row.length <= 100 && row.includes('…') && row.endsWith('  c'));
  assert.deepEqual(marked('!', 'x'), ['! x']);
  assert.deepEqual(columns([]), []);
});

test('numbers and words', () => {
  assert.deepEqual(
    [counted(1, 'address'), counted(2, 'address'), counted(2, 'prefix'), counted(0, 'pod')],
    ['1 address', '2 addresses', '2 prefixes', '0 pods'],
  );
  assert.deepEqual(
    [grouped(999), grouped(24_194), grouped(1_000_000)],
    ['999', '24,194', '1,000,000'],
  );
  assert.deepEqual([1, 600_000, 8e6, 2e8].map(lengthText), [
    '1 minute',
    '10 minutes',
    '2 hours',
    '2 days',
  ]);
  assert.equal(shellWord('m5.large'), 'm5.large');
  assert.equal(shellWord('-x'), "'-x'");
  assert.equal(shellWord("it's"), "'it'\\''s'");
  assert.equal(shellWord(''), "''");
  assert.equal(shown('a\u001b[31mb\n'), 'a[31mb');
  assert.equal(shown('x'.repeat(300)).length, 254);
});
