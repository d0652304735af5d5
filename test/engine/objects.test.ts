import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Observations } from '../../src/evidence/observations.ts';
import { factsOf, machinesOf, read, row } from './read.ts';

describe('kubectl output', () => {
  test('rows of get nodes become Nodes, aligned or not, with cells missing', () => {
    const text = [
      'NAME                       STATUS                        ROLES    AGE     VERSION',
      'ip-10-0-0-1.ec2.internal   Ready,SchedulingDisabled      <none>   2d4h    v1.29.1',
      'ip-10-0-0-2.ec2.internal  NotReady  <none>  31s  v1.29.1',
      'i-0abc1234def567890        NotReady                      <none>   4h32m',
    ].join('\n');
    const nodes = factsOf(read({ 'n.txt': text }), 'kube/Node');
    assert.deepEqual(
      nodes.map((node) => [
        node.name,
        node.ready,
        node.unschedulable,
        node.ageMs,
        node.kubeletVersion,
      ]),
      [
        ['ip-10-0-0-1.ec2.internal', true, true, 187_200_000, 'v1.29.1'],
        ['ip-10-0-0-2.ec2.internal', false, false, 31_000, 'v1.29.1'],
        ['i-0abc1234def567890', false, false, 16_320_000, null],
      ],
    );
    assert.ok(
      nodes.every((node) => node.taints === null),
      'a table without taints does not say that there are none',
    );
  });
});

describe('kubectl describe and events', () => {
  test('describe node gives taints, conditions, addresses and its events', () => {
    const text = [
      'Name:               ip-10-0-0-1.ec2.internal',
      'Roles:              <none>',
      'Labels:             topology.kubernetes.io/zone=us-east-1a',
      '                    node.kubernetes.io/instance-type=m5.large',
      'Taints:             node.kubernetes.io/not-ready:NoExecute',
      '                    dedicated=gpu:NoSchedule',
      'Unschedulable:      false',
      'Conditions:',
      '  Type    Status  LastHeartbeatTime                 LastTransitionTime                Reason           Message',
      '  ----    ------  -----------------                 ------------------                ------           -------',
      '  Ready   False   Thu, 02 Apr 2020 11:02:38 +0000   Thu, 02 Apr 2020 10:16:02 +0000   KubeletNotReady  deciding words',
      'Addresses:',
      '  InternalIP:  10.0.0.1',
      '  Hostname:    ip-10-0-0-1.ec2.internal',
      'ProviderID:                   aws:///us-east-1a/i-0abc1234def567890',
      'Events:',
      '  Type     Reason  Age    From     Message',
      '  Warning  Oops    5m3s   kubelet  deciding words',
    ].join('\n');
    const observations = read({ 'd.txt': text }, [
      row({ in: ['event'], name: 'event' }),
      row({ in: ['node-status'], name: 'condition' }),
    ]);
    const [node] = factsOf(observations, 'kube/Node');
    assert.deepEqual(
      node?.taints?.map((taint) => `${taint.key}=${taint.value}:${taint.effect}`),
      ['node.kubernetes.io/not-ready=:NoExecute', 'dedicated=gpu:NoSchedule'],
    );
    assert.equal(node.labels['node.kubernetes.io/instance-type'], 'm5.large');
    assert.deepEqual(
      [node.ready, node.internalIp, node.providerId],
      [false, '10.0.0.1', 'aws:///us-east-1a/i-0abc1234def567890'],
    );
    assert.deepEqual(observations.hits.map((hit) => hit.sign).toSorted(), ['condition', 'event']);
    assert.equal(
      observations.hits.find((hit) => hit.sign === 'event')?.first.moment.when?.ms,
      -303_000,
    );
  });
});

describe('kubectl describe in pieces', () => {
  test('conditions are known without the line above them', () => {
    const text = [
      'Name:               ip-10-0-0-1.ec2.internal',
      'Roles:              master',
      '  Type    Status  LastHeartbeatTime                 LastTransitionTime                Reason           Message',
      '  Ready   False   Mon, 03 Jun 2019 13:54:18 +0000   Sun, 02 Jun 2019 21:39:37 +0000   KubeletNotReady  PLEG is not healthy',
    ].join('\n');
    const [node] = factsOf(read({ 'd.txt': text }), 'kube/Node');
    assert.deepEqual(
      node?.conditions.map((entry) => [entry.type, entry.status, entry.message]),
      [['Ready', 'False', 'PLEG is not healthy']],
    );
  });
});

describe('events and objects', () => {
  test('events of each age are lines with the machine they are about', () => {
    const modern =
      'LAST SEEN   TYPE      REASON   OBJECT                          MESSAGE\n47m         Warning   Oops     node/ip-10-0-0-1.ec2.internal   deciding words\n';
    const old =
      'LASTSEEN   FIRSTSEEN   COUNT     NAME      KIND      SUBOBJECT   TYPE      REASON    SOURCE                            MESSAGE\n2m         3m          4         web.14    Pod                   Warning   Oops      kubelet, ip-10-0-0-2.ec2.internal   deciding words\n';
    const rows = [row({ in: ['event'], strict: true })];
    assert.equal(read({ 'e.txt': modern }, rows).hits[0]?.about?.value, 'ip-10-0-0-1.ec2.internal');
    assert.equal(read({ 'e.txt': old }, rows).hits[0]?.about?.value, 'ip-10-0-0-2.ec2.internal');
  });

  test('a Node, an Event and a Pod as JSON or YAML are the same evidence', () => {
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1', uid: 'u' },
      spec: {
        providerID: 'aws:///a/i-0abc1234def567890',
        taints: [{ key: 'k', effect: 'NoSchedule' }],
      },
      status: {
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
        conditions: [{ type: 'Ready', status: 'Unknown' }],
      },
    };
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      type: 'Warning',
      reason: 'Oops',
      involvedObject: { kind: 'Node', name: 'n1' },
      message: 'deciding words',
      lastTimestamp: '2024-01-01T00:00:00Z',
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { nodeName: 'n1' },
      status: {
        containerStatuses: [
          { name: 'c', state: { waiting: { reason: 'Oops', message: 'deciding words' } } },
        ],
      },
    };
    const observations = read(
      { 'l.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [node, event, pod] }) },
      [row({ in: ['event'], name: 'event' }), row({ in: ['pod-status'], name: 'pod' })],
    );
    assert.deepEqual(
      observations.hits.map((hit) => [hit.sign, hit.about?.value]),
      [
        ['event', 'n1'],
        ['pod', 'n1'],
      ],
    );
    const [seen] = factsOf(observations, 'kube/Node');
    assert.deepEqual(
      [seen?.ready, seen?.taints?.[0]?.key, seen?.unschedulable],
      [null, 'k', false],
    );
    assert.deepEqual(machinesOf(observations), ['n1']);
  });
});

describe('aws-auth', () => {
  const map = (mapRoles: string): Observations =>
    read({
      'a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: aws-auth\n  namespace: kube-system\ndata:\n  mapRoles: |\n${mapRoles
        .split('\n')
        .map((text) => `    ${text}`)
        .join('\n')}\n`,
    });

  test('entries are read as the authenticator reads them', () => {
    const [auth] = factsOf(
      map(
        '- rolearn: arn:aws:iam::111122223333:role/n\n  username: system:node:{{EC2PrivateDNSName}}\n  groups: [system:nodes]',
      ),
      'kube/aws-auth',
    );
    assert.deepEqual(auth, {
      roles: [
        {
          arn: 'arn:aws:iam::111122223333:role/n',
          username: 'system:node:{{EC2PrivateDNSName}}',
          groups: ['system:nodes'],
        },
      ],
      users: [],
      malformed: null,
    });
  });

  const ENTRY = '- rolearn: arn:aws:iam::111122223333:role/n\n  username: system:node:x';
  const PASTED = {
    'kubectl describe': `Name:         aws-auth\nNamespace:    kube-system\n\nData\n====\nmapRoles:\n----\n${ENTRY}\n\nEvents:  <none>\n`,
    'a snippet': `mapRoles: |\n${ENTRY.replace(/^/gm, '  ')}\n`,
    'an indented snippet': `  mapRoles: |\n${ENTRY.replace(/^/gm, '    ')}\n`,
  };
  for (const [form, text] of Object.entries(PASTED)) {
    test(`is read from ${form}`, () => {
      const [auth] = factsOf(read({ 'a.txt': text }), 'kube/aws-auth');
      assert.deepEqual(
        auth?.roles.map((entry) => entry.arn),
        ['arn:aws:iam::111122223333:role/n'],
      );
    });
  }

  test('reports what cannot be parsed', () => {
    assert.match(
      factsOf(map('- rolearn: [broken'), 'kube/aws-auth')[0]?.malformed ?? '',
      /mapRoles/,
    );
    assert.match(factsOf(map('rolearn: x'), 'kube/aws-auth')[0]?.malformed ?? '', /not a list/);
    assert.match(
      factsOf(map('- username: x'), 'kube/aws-auth')[0]?.malformed ?? '',
      /without rolearn/,
    );
  });
});

describe('AWS answers', () => {
  test('instances carry their names, in reservations or alone', () => {
    const instance = {
      InstanceId: 'i-0abc1234def567890',
      PrivateDnsName: 'ip-10-0-0-1.ec2.internal',
      PrivateIpAddress: '10.0.0.1',
    };
    const observations = read({
      'i.json': JSON.stringify({ Reservations: [{ Instances: [instance] }] }),
    });
    assert.deepEqual(machinesOf(observations), ['ip-10-0-0-1.ec2.internal']);
    assert.deepEqual(
      observations.listings.map((listing) => listing.kind),
      ['aws/instance'],
    );
  });

  test('sentences of activities and health are lines', () => {
    const rows = [row({ in: ['aws-message'], strict: true })];
    const activity = {
      Activities: [
        {
          StatusCode: 'Failed',
          StatusMessage: 'deciding words',
          StartTime: '2024-01-01T00:00:00Z',
        },
      ],
    };
    const health = {
      nodegroup: {
        nodegroupName: 'gpu',
        health: { issues: [{ code: 'C', message: 'deciding words' }] },
      },
    };
    assert.equal(
      read({ 'a.json': JSON.stringify(activity, null, 2) }, rows).hits[0]?.first.moment.when?.ms,
      Date.UTC(2024, 0, 1),
    );
    assert.match(
      read({ 'h.json': JSON.stringify(health) }, rows).hits[0]?.first.excerpt ?? '',
      /^node group gpu issue C deciding words/,
    );
  });
});
