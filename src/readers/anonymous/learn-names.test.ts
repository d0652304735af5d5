import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import type { NameKind } from '../../evidence/names.ts';
import type { Observations } from '../../evidence/observations.ts';
import { learnNames, workloadOf } from './learn-names.ts';
import { seenFact, seenHit, seenMachine, seenNothing } from './testing.ts';

/** Names that are learned, each with what it is of: `shop cluster`. */
function learned(seen: Observations): readonly string[] {
  const names = new Set<string>();
  learnNames(seen, (name, of) => {
    if (name !== null && name !== undefined && name !== '') names.add(`${name} ${of}`);
  });
  return [...names].toSorted();
}

const ofFact = (value: Json, kind = 'kube/Node'): readonly string[] =>
  learned(seenFact(kind, value));

describe('fields whose texts people choose', () => {
  for (const [of, fields] of Object.entries({
    cluster: 'clusterName eks:cluster-name alpha.eksctl.io/cluster-name',
    group: `nodegroupName AutoScalingGroupName eks.amazonaws.com/nodegroup eks:nodegroup-name
      alpha.eksctl.io/nodegroup-name karpenter.sh/nodepool karpenter.sh/provisioner-name
      aws:autoscaling:groupName`,
    role: 'InstanceProfileName RoleName PolicyName',
    template: 'LaunchTemplateName LaunchConfigurationName',
    name: 'LifecycleHookName GroupName KeyName storageClassName priorityClassName Name',
    user: 'Username username',
    workload: 'serviceAccountName serviceAccount claimName volumeName',
  }))
    for (const field of fields.split(/\s+/))
      test(`${field} is that of a ${of}`, () => {
        assert.deepEqual(ofFact({ list: [{ [field]: 'zebra' }] }), [`zebra ${of}`]);
      });

  for (const [field, text] of [
    ['status', 'zebra'],
    ['constructor', 'zebra'],
    ['RoleName', 'a sentence'],
    ['RoleName', 'a'.repeat(201)],
    ['RoleName', 'x/zebra'],
  ] as const)
    test(`${field} with ${text.slice(0, 12)} is no name`, () => {
      assert.deepEqual(ofFact({ [field]: text }), []);
    });

  test('names may have all signs that IAM takes, and 200 characters', () => {
    const name = `a+b=c,d.e@f:g-h_${'a'.repeat(184)}`;
    assert.deepEqual(ofFact({ RoleName: name }), [`${name} role`]);
  });
});

describe('labels and tags', () => {
  for (const field of ['labels', 'nodeSelector', 'matchLabels', 'tags'])
    test(`values of ${field} are names, unless AWS or Kubernetes gives them`, () => {
      const chosen = {
        team: 'okapi',
        'shop.example/owner': 'giraffe',
        'eks.amazonaws.com/nodegroup': 'wombat',
        'kubernetes.io/os': 'linux',
        'node.k8s.io/x': 'linux',
        'k8s.amazonaws.com/eniConfig': 'narwhal',
        'aws:createdBy': 'somebody',
        'pod-template-hash': 'abcdef',
        'controller-revision-hash': 'abcdef',
        tier: 'web',
        words: 'a sentence',
        long: 'a'.repeat(201),
        count: 12_345,
      };
      assert.deepEqual(ofFact({ [field]: chosen }), ['giraffe name', 'okapi name', 'wombat group']);
    });

  test('elsewhere a map is not a choice', () => {
    assert.deepEqual(ofFact({ spec: { team: 'okapi' } }), []);
  });

  test('tags of EC2 have a key and a value', () => {
    const tags = [
      { Key: 'team', Value: 'okapi' },
      { Key: 'eks:cluster-name', Value: 'zebra' },
      { Key: 'aws:x', Value: 'somebody' },
      { Key: 'lone' },
      { Value: 'unnamed' },
      { Key: 'kubernetes.io/cluster/narwhal', Value: 'owned' },
    ];
    assert.deepEqual(ofFact({ list: tags }), ['narwhal cluster', 'okapi name', 'zebra cluster']);
  });
});

describe('places in texts and in names of fields', () => {
  for (const [text, names] of [
    ['arn:aws:iam::111122223333:role/zebra', ['zebra role']],
    ['arn:aws-cn:iam::111122223333:role/path/of/zebra+1', ['zebra+1 role']],
    ['arn:aws:iam::111122223333:instance-profile/zebra', ['zebra role']],
    ['arn:aws:iam::111122223333:user/zebra', ['zebra role']],
    ['arn:aws:iam::111122223333:policy/zebra', ['zebra role']],
    ['arn:aws:iam::111122223333:group/zebra', ['zebra role']],
    ['arn:aws:iam::1111:role/zebra', []],
    ['arn:aws:sts::111122223333:assumed-role/zebra/okapi', ['okapi role', 'zebra role']],
    ['arn:aws:eks:eu-west-1:111122223333:cluster/zebra', ['zebra cluster']],
    ['arn:aws:eks:eu-west-1:1:cluster/zebra', []],
    ['x:nodegroup/zebra/okapi/uid', ['okapi group', 'zebra group']],
    ['x:fargateprofile/zebra/okapi', ['okapi group', 'zebra group']],
    ['x:access-entry/zebra/okapi', ['okapi group', 'zebra group']],
    ['x:podidentityassociation/zebra/okapi', ['okapi group', 'zebra group']],
    ['kubernetes.io/cluster/zebra.one', ['zebra.one cluster']],
    ['x:autoScalingGroupName/zebra.one', ['zebra.one group']],
    ['eksctl-zebra-nodegroup-okapi', ['zebra cluster']],
    ['eksctl-zebra-cluster', ['zebra cluster']],
    ['eksctl-zebra-vpc', []],
    [`eksctl-${'a'.repeat(101)}-cluster`, []],
    ['eksctl-zebra-cluster and kubernetes.io/cluster/okapi', ['okapi cluster', 'zebra cluster']],
  ] as const) {
    test(`${text.slice(0, 60)} in a text`, () => assert.deepEqual(ofFact({ any: text }), names));
    test(`${text.slice(0, 60)} as a field, and in what was quoted`, () => {
      assert.deepEqual(ofFact({ [text]: 1 }), names);
      assert.deepEqual(learned(seenHit({ first: text })), names);
    });
  }

  test('texts to 4096 characters are looked through, and values to a depth', () => {
    const name = 'eksctl-zebra-cluster';
    assert.deepEqual(ofFact(`${' '.repeat(4096 - name.length)}${name}`), ['zebra cluster']);
    assert.deepEqual(ofFact(`${' '.repeat(4097 - name.length)}${name}`), []);
    const deep = (levels: number): Json =>
      Array.from({ length: levels }).reduce<Json>((value) => [value], { RoleName: 'zebra' });
    assert.deepEqual(ofFact(deep(40)), ['zebra role']);
    assert.deepEqual(ofFact(deep(41)), []);
    const inObjects = Array.from({ length: 41 }).reduce<Json>((a) => ({ a }), {
      RoleName: 'zebra',
    });
    assert.deepEqual(ofFact(inObjects), []);
    assert.deepEqual(ofFact([]), []);
    assert.deepEqual(ofFact(null), []);
  });
});

describe('objects', () => {
  for (const [kind, value, names] of [
    ['aws/cluster', { name: 'zebra' }, ['zebra cluster']],
    ['kube/Namespace', { name: 'zebra' }, ['zebra namespace']],
    [
      'kube/Pod',
      { name: 'okapi-7d9f8b6c5d-x2x9z', namespace: 'zebra' },
      ['okapi workload', 'zebra namespace'],
    ],
    ['kube/Pod', { name: 'okapi', namespace: 'zebra' }, ['okapi workload', 'zebra namespace']],
    ['kube/Pod', { namespace: 'zebra' }, ['zebra namespace']],
    ['kube/Pod', { name: 'okapi' }, []],
    ['kube/NodeClaim', { name: 'okapi-x2x9z' }, ['okapi group']],
    ['kube/NodePool', { name: 'okapi' }, ['okapi group']],
    ['kube/EC2NodeClass', { name: 'okapi' }, ['okapi group']],
    ['kube/ENIConfig', { name: 'okapi' }, ['okapi group']],
    ['kube/Machine', { name: 'okapi' }, ['okapi group']],
    ['kube/Machines', { name: 'okapi' }, []],
    ['kube/Node', { name: 'okapi' }, []],
    ['kube/Node', 'okapi', []],
  ] as const)
    test(`${kind} ${JSON.stringify(value)}`, () => {
      assert.deepEqual(ofFact(value as Json, kind), names);
    });

  for (const namespace of [
    'kube-system',
    'openshift-dns',
    'default',
    'karpenter',
    'calico-system',
    'tigera-operator',
    'cilium',
    'amazon-cloudwatch',
    'aws-observability',
  ]) {
    test(`what runs in ${namespace} belongs to the system`, () => {
      assert.deepEqual(ofFact({ name: 'okapi', namespace }, 'kube/Pod'), []);
      assert.deepEqual(ofFact({ name: namespace }, 'kube/Namespace'), []);
    });
  }

  for (const namespace of ['my-kube-system', 'defaults', 'karpenter-shop'])
    test(`what runs in ${namespace} is somebody's`, () => {
      assert.deepEqual(ofFact({ namespace }, 'kube/Pod'), [`${namespace} namespace`]);
    });

  for (const [name, workload] of [
    ['web-7d9f8b6c5d-x2x9z', 'web'],
    ['web-7d9f8b6c-x2x9z', 'web'],
    ['web-7d9f8b6-x2x9z', 'web-7d9f8b6'],
    ['agent-x2x9z', 'agent'],
    ['agent-x2x9', 'agent-x2x9'],
    ['web-7d9f8b6c5d-x2x9z-0', 'web-7d9f8b6c5d-x2x9z-0'],
    ['x2x9z', 'x2x9z'],
  ] as const)
    test(`the workload of ${name} is ${workload}`, () => assert.equal(workloadOf(name), workload));
});

describe('machines', () => {
  const HOST = 'zebra.rack.okapi.dev';

  for (const kind of ['node', 'host', 'private-dns'] as const)
    test(`the ${kind} name has a host and a domain, wherever the machine is named`, () => {
      const machine = { kind, value: HOST };
      for (const seen of seenMachine(machine))
        assert.deepEqual(learned(seen), ['rack.okapi.dev domain', 'zebra node']);
    });

  test('a certificate names a node', () => {
    const [seen = seenNothing()] = seenMachine({
      kind: 'certificate',
      value: `system:node:${HOST}`,
    });
    assert.deepEqual(learned(seen), ['rack.okapi.dev domain', 'zebra node']);
  });

  for (const kind of ['instance-id', 'ip', 'provider-id', 'node-claim', 'pod'] satisfies NameKind[])
    test(`the ${kind} is no name of a host`, () => {
      const [seen = seenNothing()] = seenMachine({ kind, value: HOST });
      assert.deepEqual(learned(seen), []);
    });

  for (const [value, names] of [
    ['zebra', ['zebra node']],
    ['zebra.dev', ['zebra node']],
    ['ip-10-0-1-2.okapi.dev', ['okapi.dev domain']],
    ['i-0123456789abcdef0.okapi.dev', ['okapi.dev domain']],
    ['i-x.okapi.dev', ['i-x node', 'okapi.dev domain']],
    ['my-ip-1.okapi.dev', ['my-ip-1 node', 'okapi.dev domain']],
    ['zebra.okapi.dev.', ['okapi.dev domain', 'zebra node']],
    ['zebra.ok_api.dev', ['zebra node']],
    ['zebra.okapi.d1', ['zebra node']],
    [`zebra.${'a'.repeat(64)}.dev`, ['zebra node']],
    [`zebra.${'a.'.repeat(9)}dev`, ['zebra node']],
    ['zebra.eu-west-1.compute.internal', ['zebra node']],
    ['zebra.ec2.internal', ['zebra node']],
  ] as const)
    test(`of ${value.slice(0, 40)}`, () => {
      const [seen = seenNothing()] = seenMachine({ kind: 'node', value });
      assert.deepEqual(learned(seen), names);
    });

  for (const domain of `eks.amazonaws.com eks.amazonaws.com.cn aws.dev x.k8s.io x.kubernetes.io
    x.cluster.local a.svc a.local a.localdomain x.docker.io k8s.gcr.io x.ghcr.io x.quay.io
    x.public.ecr.aws x.amazontrust.com x.example.com x.example.net x.example.org x.github.com
    x.karpenter.sh x.k8s.aws sigs.k8s.io x.openshift.io`.split(/\s+/))
    test(`${domain} is everybody's`, () => {
      const [seen = seenNothing()] = seenMachine({ kind: 'node', value: `zebra.${domain}.` });
      assert.deepEqual(learned(seen), ['zebra node']);
    });

  for (const domain of ['my-ec2.internal', 'github.com.okapi.dev', 'notexample.com'])
    test(`${domain} is somebody's`, () => {
      const [seen = seenNothing()] = seenMachine({ kind: 'node', value: `zebra.${domain}` });
      assert.deepEqual(learned(seen), [`${domain} domain`, 'zebra node']);
    });

  test('a line may name the node: first, last and in between', () => {
    for (const place of ['first', 'last', 'between'] as const)
      assert.deepEqual(learned(seenHit({ [place]: '', node: 'zebra.okapi.dev', at: place })), [
        'okapi.dev domain',
        'zebra node',
      ]);
  });
});

describe('what a network and a collection tell', () => {
  for (const kind of ['host/dhcp-lease', 'aws/dhcp-options'])
    test(`domains of ${kind}, several in one text`, () => {
      const lease = { domain: 'Okapi.dev. rack.zebra.dev', other: 'ec2.internal lone words' };
      assert.deepEqual(ofFact(lease, kind), ['Okapi.dev domain', 'rack.zebra.dev domain']);
    });

  test('domains of other facts are no domain names of a network', () => {
    assert.deepEqual(ofFact({ domain: 'okapi.dev' }), []);
  });

  test('the cluster that was collected', () => {
    const collection = { atMs: 0, cluster: 'zebra', asked: [], refusals: [], shortened: [] };
    assert.deepEqual(learned({ ...seenNothing(), collection }), ['zebra cluster']);
    assert.deepEqual(learned(seenNothing()), []);
  });
});
