import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assembleSubjects } from '../../src/diagnosis/subjects.ts';
import type { FactKind, FactTypes } from '../../src/evidence/kinds.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import { createReading } from '../../src/readers/reading.ts';
import { compileSigns, type SignRow } from '../../src/readers/sign-table.ts';

function row(change: Partial<SignRow>): SignRow {
  return {
    owner: 'a',
    name: 's',
    in: ['kubelet'],
    anchors: ['deciding words'],
    pattern: /deciding words(?: (?<object>\w+))?/,
    strict: false,
    per: [],
    ...change,
  };
}

function read(
  files: Readonly<Record<string, string>>,
  rows: readonly SignRow[] = [row({})],
  container: string | null = null,
): Observations {
  const reading = createReading(compileSigns(rows));
  for (const [name, text] of Object.entries(files)) {
    const reader = reading.open(name, container);
    reader.push(new TextEncoder().encode(text));
    reader.end();
  }
  return reading.finish();
}

function factsOf<K extends FactKind>(observations: Observations, kind: K): readonly FactTypes[K][] {
  return observations.facts
    .filter((fact) => fact.kind === kind)
    .map((fact) => fact.value as FactTypes[K]);
}

function machinesOf(observations: Observations): readonly string[] {
  return assembleSubjects(observations)
    .filter((subject) => subject.kind === 'Machine')
    .map((subject) => subject.name)
    .sort();
}

describe('lines and signs', () => {
  const kubelet =
    'Jun 06 19:42:03 ip-10-0-0-1 kubelet[9]: E0606 19:42:03.796478 9 kubelet.go:1] deciding words one';

  test('a hit has its locator, its moment and its machine', () => {
    const [hit] = read({ 'k.log': `first\n${kubelet}\n` }).hits;
    assert.equal(hit?.first.locator, 'k.log:2');
    assert.equal(hit?.about?.value, 'ip-10-0-0-1');
    assert.equal(hit?.first.moment.when?.yearless, true);
  });

  test('the same sighting is kept once, with first, last and count', () => {
    const { hits } = read({ 'k.log': `${kubelet}\n`.repeat(50) });
    assert.equal(hits.length, 1);
    assert.deepEqual(
      [hits[0]?.count, hits[0]?.first.locator, hits[0]?.last.locator],
      [50, 'k.log:1', 'k.log:50'],
    );
    assert.ok((hits[0]?.quotes.length ?? 99) <= 4);
  });

  test('objects named by `per` are kept apart', () => {
    const lines = `${kubelet}\n${kubelet.replace(' one', ' two')}\n`;
    assert.equal(read({ 'k.log': lines }, [row({ per: ['object'] })]).hits.length, 2);
    assert.equal(read({ 'k.log': lines }).hits.length, 1);
  });

  test('a line of another known program does not count', () => {
    assert.equal(
      read({ 'c.log': 'May 01 10:00:00 h containerd[9]: deciding words\n' }).hits.length,
      0,
    );
  });

  test('a line of unknown origin counts unless the sign is strict', () => {
    assert.equal(read({ 'x.txt': 'deciding words\n' }).hits.length, 1);
    assert.equal(read({ 'x.txt': 'deciding words\n' }, [row({ strict: true })]).hits.length, 0);
  });

  test('a captured node is the subject, and a kubelet’s host is the same machine', () => {
    const start =
      'Jun 06 19:42:03 node00 kubelet[9]: I0606 19:42:03.7 9 kubelet.go:1] deciding words';
    const observations = read(
      { 'k.log': `${start} "ip-172-12-4-2.compute.internal"\n${start}\n` },
      [row({ pattern: /deciding words(?: "(?<node>[^"]+)")?/ })],
    );
    assert.deepEqual(machinesOf(observations), ['ip-172-12-4-2.compute.internal']);
    assert.equal(
      observations.links[0]?.proof,
      'the kubelet on node00 registers as ip-172-12-4-2.compute.internal',
    );
  });

  test('a sentence that a page wrapped in the middle of a word is read', () => {
    assert.equal(
      read({ 'x.txt': '2024-01-01T00:00:00Z ERROR it says deciding wo\nrds again\n' }).hits.length,
      1,
    );
  });
});

describe('subjects', () => {
  const line = (host: string): string =>
    `Jun 06 19:42:03 ${host} kubelet[9]: E0606 19:42:03.7 9 kubelet.go:1] deciding words\n`;

  test('two machines in one pile are two', () => {
    assert.deepEqual(
      machinesOf(read({ 'a.log': line('ip-10-0-0-1'), 'b.log': line('ip-10-0-0-2') })),
      ['ip-10-0-0-1', 'ip-10-0-0-2'],
    );
    assert.deepEqual(machinesOf(read({ 'a.log': line('ip-10-0-0-1') + line('ip-10-0-0-2') })), [
      'ip-10-0-0-1',
      'ip-10-0-0-2',
    ]);
  });

  test('one machine under several names is one', () => {
    const nodes =
      'NAME                       STATUS     ROLES    AGE   VERSION\nip-10-0-0-1.ec2.internal   NotReady   <none>   9m    v1.29.1\n';
    assert.deepEqual(machinesOf(read({ 'a.log': line('ip-10-0-0-1'), 'n.txt': nodes })), [
      'ip-10-0-0-1.ec2.internal',
    ]);
  });

  test('names that a log merely mentions are none', () => {
    const text =
      'I0606 19:42:03.7 1 node_lifecycle_controller.go:9] Node ip-10-0-0-7.ec2.internal is healthy\n'.repeat(
        3,
      );
    assert.deepEqual(machinesOf(read({ 'kcm.log': text })), []);
  });

  test('evidence that names no machine is the cluster’s', () => {
    const subjects = assembleSubjects(read({ 'x.txt': 'deciding words\n' }));
    assert.deepEqual(
      subjects.map((subject) => [subject.kind, subject.hits.length]),
      [['Cluster', 1]],
    );
  });

  test('a nameless log of the only machine is that machine’s', () => {
    const ipamd =
      '{"level":"error","ts":"2022-01-19T15:36:50.585Z","caller":"ipamd/ipamd.go:4","msg":"deciding words"}\n';
    const rows = [row({ in: ['ipamd', 'kubelet'] })];
    const subjects = assembleSubjects(
      read({ 'a.log': line('ip-10-0-0-1'), 'ipamd.log': ipamd }, rows),
    );
    assert.equal(subjects.find((subject) => subject.kind === 'Machine')?.hits.length, 2);
    const two = assembleSubjects(
      read(
        { 'a.log': line('ip-10-0-0-1'), 'b.log': line('ip-10-0-0-2'), 'ipamd.log': ipamd },
        rows,
      ),
    );
    assert.equal(two.find((subject) => subject.kind === 'Cluster')?.hits.length, 1);
  });

  test('an archive with an instance id of its own is that machine’s', () => {
    const subjects = assembleSubjects(
      read(
        {
          'eks.tar.gz!system/instance-id.txt': 'i-0abc1234def567890\n',
          'eks.tar.gz!kubelet.log': 'E0606 19:42:03.7 9 kubelet.go:1] deciding words\n',
        },
        [row({})],
        'eks.tar.gz',
      ),
    );
    assert.deepEqual(
      subjects
        .filter((subject) => subject.kind === 'Machine')
        .map((subject) => [subject.instanceId, subject.hits.length]),
      [['i-0abc1234def567890', 1]],
    );
  });
});

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
    assert.equal(node?.labels['node.kubernetes.io/instance-type'], 'm5.large');
    assert.deepEqual(
      [node?.ready, node?.internalIp, node?.providerId],
      [false, '10.0.0.1', 'aws:///us-east-1a/i-0abc1234def567890'],
    );
    assert.deepEqual(observations.hits.map((hit) => hit.sign).sort(), ['condition', 'event']);
    assert.equal(
      observations.hits.find((hit) => hit.sign === 'event')?.first.moment.when?.ms,
      -303_000,
    );
  });

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

  test('what cannot be parsed is said, not dropped', () => {
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
