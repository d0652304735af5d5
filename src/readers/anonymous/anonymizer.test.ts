import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import type { SignRow } from '../../evidence/sign-row.ts';
import { type Anonymizer, createAnonymizer } from './anonymizer.ts';
import { knownWords } from './known-words.ts';
import { seenFact, seenMachine } from './testing.ts';

/** One that has seen these values, in this order. */
function having(values: readonly Json[], known: readonly string[] = []): Anonymizer {
  const seen = values.map((value) => seenFact('kube/Node', value));
  return createAnonymizer(seen, new Set(known));
}

const roles = (...names: readonly string[]): Anonymizer =>
  having(names.map((RoleName) => ({ RoleName })));

describe('names in texts', () => {
  for (const [names, text, other] of [
    [['zebra'], 'role zebra joined', 'role x1 joined'],
    [['zebra'], 'Zebra', 'x1'],
    [['Zebra'], 'zebra', 'x1'],
    [['zebra'], 'ZEBRA', 'X1'],
    [['zebra'], 'ZEBRa', 'x1'],
    [['zebra'], 'zebras', 'zebras'],
    [['zebra'], 'zebra.', 'x1.'],
    [['zebra'], 'zebra.-:', 'x1.-:'],
    [['zebra'], 'a zebra, "zebra" (zebra)', 'a x1, "x1" (x1)'],
    [['zebra'], 'zebra/okapi', 'x1/okapi'],
    [['okapi', 'zebra'], 'zebra okapi', 'x2 x1'],
    [['zebra-okapi', 'zebra'], 'zebra zebra-okapi', 'x1 x1-x2'],
    [['ZebraNodeRole-okapi'], 'ZebraNodeRole-okapi', 'x1x2x3-x4'],
    [['zebra2-7'], 'zebra2-7', 'x1-7'],
    [['zebra'], 'zebra-7d9f8b6c5d-x2x9z', 'x1-7d9f8b6c5d-x2x9z'],
    [['zebra'], 'zebra-x2x9z', 'x1-x2x9z'],
    [['zebra'], 'zebra-okapis', 'zebra-okapis'],
    [['zebra'], 'zebra.okapi.dev', 'x1.okapi.dev'],
    [['zebra'], 'okapi.zebra.dev', 'okapi.zebra.dev'],
    [['zebra+okapi'], 'zebra+okapi', 'x1+x2'],
    [['z'], 'z', 'z'],
    [['ze'], 'ze', 'x1'],
  ] as const)
    test(`with ${names.join(' and ')}, ${text} becomes ${other}`, () => {
      assert.equal(roles(...names).text(text), other);
    });

  test('ids and addresses are changed as well', () => {
    const other = roles('zebra').text('zebra i-0123456789abcdef0 10.7.3.9 2600:1f14:a:b::5');
    for (const own of ['zebra', '0123456789abcdef0', '10.7.3', '1f14'])
      assert.ok(!other.includes(own));
    assert.match(other, /^x1 i-[0-9a-f]{17} 10\.\d+\.\d+\.9 2600:\S+$/);
  });

  for (const name of `aws-eks amazon-ebs kube-system k8s-control-plane ec2 ebs-csi efs-csi coredns
    calico cilium karpenter-core kiam kube2iam nidhogg-monitoring cluster-autoscaler worker-1
    master-0 default localhost kubernetes eks-nodegroup-termination aws-auto-balancer AmazonSSM
    AmazonEBSCSI AmazonEFSCSI AmazonEKSClusterAdmin AmazonEKSMinimal AmazonEKSView AmazonEKSEdit
    AWSAutoScaling AmazonEKSBalancing amazon-eks-al2023-x86_64-standard-1.36-v20261110
    amazon-eks-al2-arm64-nvidia bottlerocket-aws-k8s-neuron 12345 ip-10-0-x okapi-ip-10-0
    okapi-0123abcd okapi-0123456789abcdef0 jane@okapi`.split(/\s+/))
    test(`${name} says nothing of anybody, or is changed by its form`, () => {
      assert.equal(roles(name).learned().size, 0);
    });

  for (const [name, other] of [
    ['eks-acme', 'eks-x1'],
    ['kubeacme', 'x1'],
    ['worker-acme-1', 'worker-x1-1'],
    ['amazoneks-acme', 'x1-x2'],
    ['AmazonEKSAcme', 'AmazonEKSx1'],
    ['ACMERole', 'x1x2'],
    ['3com', 'x1'],
  ] as const)
    test(`${name} begins like a public name, or not, and becomes ${other}`, () => {
      assert.equal(roles(name).text(name), other);
    });

  for (const name of [
    'my-eks',
    'okapi-0123abc',
    'okapi-0123abcdx',
    'okapi-longer-than-12-0123abcd',
  ])
    test(`${name} belongs to somebody`, () => assert.equal(roles(name).learned().get('role'), 1));
});

describe('words that programs print', () => {
  test('stay in names, and are no names', () => {
    const anonymizer = having(
      [{ RoleName: 'zebra-node-group' }, { RoleName: 'Node' }, { RoleName: 'Zebra.x' }],
      ['node', 'group'],
    );
    assert.equal(anonymizer.text('zebra-node-group Node'), 'x1-node-group Node');
    assert.deepEqual([...anonymizer.learned()], [['role', 2]]);
    assert.equal(having([{ RoleName: 'node-group' }], ['node', 'group']).learned().size, 0);
  });

  test('are those of anchors and expressions, whole and in parts, in small letters', () => {
    const row = { anchors: ['Failed to get', 'node-role_x.y'], pattern: /Unauthorized \(zone-1\)/ };
    const known = knownWords([row as unknown as SignRow]);
    assert.deepEqual(
      [...known].toSorted(),
      'failed to get node-role_x.y node role x y unauthorized zone-1 zone 1'.split(' ').toSorted(),
    );
    assert.equal(knownWords([]).size, 0);
  });
});

describe('domains', () => {
  const own = (value: string): Anonymizer =>
    createAnonymizer(seenMachine({ kind: 'node', value }).slice(0, 1), new Set());

  for (const [node, text, other] of [
    ['zebra.okapi.dev', 'zebra.okapi.dev', 'x1.d0-x1.d1-x1'],
    ['zebra.okapi.dev', 'api.okapi.dev.', 'api.d0-x1.d1-x1.'],
    ['zebra.okapi.dev', 'zebra.rack.okapi.dev', 'x1.rack.d0-x1.d1-x1'],
    ['zebra.okapi.dev', 'okapi.dev', 'd0-x1.d1-x1'],
    ['zebra.okapi.dev', 'myokapi.dev', 'myokapi.dev'],
    ['zebra.okapi.com', 'a.okapi.com', 'a.d0-x1.com'],
    ['zebra.internal.okapi.dev', 'a.internal.okapi.dev', 'a.internal.d1-x1.d2-x1'],
    ['zebra.eu-west-1.okapi.dev', 'a.eu-west-1.okapi.dev', 'a.eu-west-1.d1-x1.d2-x1'],
    ['zebra.us-gov-west-1.okapi.dev', 'a.us-gov-west-1.okapi.dev', 'a.us-gov-west-1.d1-x1.d2-x1'],
    ['zebra.computer.okapi.dev', 'a.computer.okapi.dev', 'a.computed0-x1.d1-x1.d2-x1'],
    ['zebra.okapi-ec2.dev', 'a.okapi-ec2.dev', 'a.d0-x1.d1-x1'],
  ] as const)
    test(`${text} below the domain of ${node} becomes ${other}`, () => {
      assert.equal(own(node).text(text), other);
    });

  test('each has its own number', () => {
    const [one, two] = ['zebra.okapi.dev', 'zebra.wombat.dev'].map((value) =>
      seenMachine({ kind: 'node', value }).slice(0, 1),
    );
    const anonymizer = createAnonymizer([...(one ?? []), ...(two ?? [])], new Set());
    assert.equal(anonymizer.text('a.okapi.dev a.wombat.dev'), 'a.d0-x1.d1-x1 a.d0-x2.d1-x2');
    assert.deepEqual(
      [...anonymizer.learned()],
      [
        ['domain', 2],
        ['node', 1],
      ],
    );
  });

  test('a name is no longer than DNS takes', () => {
    const long = (characters: number): string =>
      'a.'.repeat(characters).slice(0, characters).replace(/\.$/, 'a');
    const anonymizer = own('zebra.okapi.dev');
    assert.ok(!anonymizer.text(`${long(243)}.okapi.dev`).includes('okapi'));
    assert.ok(anonymizer.text(`${long(2)}.${'b'.repeat(400)}`).length > 400);
  });
});

describe('values', () => {
  test('have all texts and names of fields changed, and keep all else', () => {
    const { value } = roles('zebra');
    assert.deepEqual(value({ zebra: ['zebra', 1, null, true, { a: 'zebra', b: undefined }] }), {
      x1: ['x1', 1, null, true, { a: 'x1', b: undefined }],
    });
    assert.equal(value(null), null);
    assert.equal(value('zebra'), 'x1');
  });
});
