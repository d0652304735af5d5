import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  diagnosis,
  dnsName,
  finding,
  instance,
  instanceId,
  machine,
  node,
  NOW_MS,
  rollCall,
  subject,
  tags,
} from './fixtures.ts';

const WORKERS = { 'eks:nodegroup-name': 'workers', 'aws:autoscaling:groupName': 'eks-workers-1' };

describe('rows', () => {
  test('an instance and its Node are one row with what both say', async () => {
    const { rows } = await rollCall({ instances: [instance(1, tags(WORKERS))], nodes: [node(1)] }, [
      machine(1),
    ]);
    assert.deepEqual(rows, [
      {
        name: dnsName(1),
        instanceId: instanceId(1),
        node: dnsName(1),
        group: { kind: 'NodeGroup', name: 'workers' },
        instanceType: 'm5.large',
        zone: 'eu-west-1a',
        image: 'ami-0aaaaaaaaaaaaaaa1',
        launchedAt: '2026-03-01T09:00:00Z',
        stage: null,
        verdict: 'usable',
        headline: null,
        risks: [],
        note: null,
      },
    ]);
  });

  test('an instance without a Node stays, with what its subject says', async () => {
    const failed = machine(2, {
      node: null,
      verdict: 'not-usable',
      stage: 'bootstrapped',
      findings: [finding('user-data-failed', { stage: 'bootstrapped' })],
    });
    const { rows } = await rollCall({ instances: [instance(2)], nodes: [] }, [failed]);
    const { node: present, stage, headline } = rows[0] ?? {};
    assert.deepEqual([present, stage], [null, 'bootstrapped']);
    assert.deepEqual(headline, {
      cause: 'user-data-failed',
      stage: 'bootstrapped',
      confidence: 'definite',
      subject: instanceId(2),
    });
  });

  test('a machine without a subject is unknown', async () => {
    const { rows } = await rollCall({ instances: [instance(1)] }, []);
    assert.deepEqual([rows[0]?.verdict, rows[0]?.stage], ['cannot-tell', null]);
  });
});

describe('Nodes and their machines', () => {
  test('two Nodes of one machine are one row: the Ready one, and both named', async () => {
    const renamed = node(1, { name: 'node00.k8s.internal', providerID: null, ready: 'False' });
    const { rows } = await rollCall({ instances: [instance(1)], nodes: [renamed, node(1)] }, [
      machine(1),
    ]);
    assert.deepEqual(
      rows.map((row) => row.node),
      [dnsName(1)],
    );
    assert.match(
      rows.map((row) => row.note).join(),
      /^2 Nodes belong to this machine: node00\.k8s\.internal, ip-10/,
    );
  });

  test('a Node whose instance is gone has a row that says so, when EC2 listed all', async () => {
    const sources = { instances: [instance(1)], nodes: [node(1), node(2)] };
    const live = await rollCall(sources, [machine(1), machine(2)]);
    const files = await rollCall(sources, [machine(1), machine(2)], { nowMs: null });
    const noteIn = ({ rows }: typeof live): string | null =>
      rows.find((row) => row.instanceId === instanceId(2))?.note ?? null;
    assert.equal(noteIn(live), `The Node exists, but EC2 has no instance ${instanceId(2)}.`);
    assert.equal(noteIn(files), null);
  });

  test('a providerID decides whose Node it is, even when the address is used again', async () => {
    const { rows } = await rollCall(
      {
        instances: [instance(1)],
        nodes: [node(1, { name: 'other', providerID: 'aws:///a/i-0123456789abcdef0' })],
      },
      [],
    );
    const pairs = rows.map((row) => `${row.instanceId ?? ''} ${row.node ?? ''}`);
    assert.deepEqual(new Set(pairs), new Set([`${instanceId(1)} `, 'i-0123456789abcdef0 other']));
  });
});

describe('all rows', () => {
  test('the worst come first, then names in natural order', async () => {
    const numbers = [10, 2, 1, 3];
    const subjects = numbers.map((n) =>
      machine(n, { verdict: n === 3 ? 'not-usable' : n === 1 ? 'cannot-tell' : 'usable' }),
    );
    const { rows } = await rollCall(
      { instances: numbers.map((n) => instance(n)), nodes: numbers.map((n) => node(n)) },
      subjects,
    );
    assert.deepEqual(
      rows.map((row) => row.name),
      [3, 1, 2, 10].map(dnsName),
    );
  });

  test('group, type and zone come from labels where EC2 did not answer', async () => {
    const labels = {
      'karpenter.sh/nodepool': 'spot',
      'node.kubernetes.io/instance-type': 'c6g.xlarge',
      'topology.kubernetes.io/zone': 'eu-west-1c',
    };
    const { rows } = await rollCall({ nodes: [node(1, { labels })] }, [machine(1)]);
    const { group, instanceType, zone, image } = rows[0] ?? {};
    assert.deepEqual(
      [group, instanceType, zone, image],
      [{ kind: 'NodePool', name: 'spot' }, 'c6g.xlarge', 'eu-west-1c', null],
    );
  });

  test('names are shown without control characters or secrets', async () => {
    const bad = node(1, { name: 'ip\u001b[31m-\u202ex', providerID: null, ip: null });
    const { rows } = await rollCall({ nodes: [bad] }, []);
    assert.equal(rows[0]?.name, 'ip-x');
  });
});

describe('expected machines', () => {
  const claim = (name: string, status: object, metadata: object = {}): object => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, labels: { 'karpenter.sh/nodepool': 'spot' }, ...metadata },
    status,
  });

  test('a NodeClaim without an instance is a row that says why', async () => {
    const condition = { type: 'Launched', status: 'False', reason: 'LaunchFailed', message: 'ICE' };
    const { rows } = await rollCall(
      { objects: [claim('spot-x1', { conditions: [condition] })] },
      [],
    );
    assert.equal(rows.length, 1);
    const { name, instanceId: id, group, note } = rows[0] ?? {};
    assert.deepEqual([name, id, group], ['spot-x1', null, { kind: 'NodePool', name: 'spot' }]);
    assert.equal(note, 'NodeClaim spot-x1 has no instance (LaunchFailed: ICE).');
  });

  test('shows a NodeClaim with an instance as that instance and no deleted one without', async () => {
    const { rows } = await rollCall(
      {
        instances: [instance(1)],
        objects: [
          claim('spot-x1', { providerID: `aws:///eu-west-1a/${instanceId(1)}` }),
          claim('spot-x2', {}, { deletionTimestamp: '2026-03-01T11:00:00Z' }),
        ],
      },
      [],
    );
    assert.deepEqual(
      rows.map((row) => row.instanceId),
      [instanceId(1)],
    );
    assert.deepEqual(rows[0]?.group, { kind: 'NodePool', name: 'spot' });
  });

  test('finds expected hosts by name or gives them a row', async () => {
    const { rows } = await rollCall({ nodes: [node(1)] }, [machine(1)], {
      expected: [{ name: dnsName(1).split('.')[0] ?? '' }, { name: 'node-9' }],
    });
    assert.deepEqual(
      rows.map((row) => [row.name, row.note]),
      [
        ['node-9', 'Expected, but not found in any source.'],
        [dnsName(1), null],
      ],
    );
  });

  test('reports a kubelet without a Node that renews its Lease', async () => {
    const lease = (renewTime: string): object => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: dnsName(1), namespace: 'kube-node-lease' },
      spec: { renewTime },
    });
    const noteAt = async (renewTime: string): Promise<string> => {
      const sources = { instances: [instance(1)], nodes: [], objects: [lease(renewTime)] };
      return (await rollCall(sources, [])).rows[0]?.note ?? '';
    };
    assert.match(await noteAt('2026-03-01T11:59:30.000000Z'), /kubelet still renews its Lease/);
    assert.equal(await noteAt('2026-03-01T11:50:00.000000Z'), '');
  });
});

describe('the headline of a row', () => {
  test('a cause of the cluster is named with its subject', async () => {
    const cluster = subject({
      kind: 'Cluster',
      name: 'cluster',
      verdict: 'not-usable',
      findings: [finding('aws-auth-missing')],
    });
    const repeated = finding('aws-auth-missing', {
      role: 'consequence',
      explainedBy: 'aws-auth-missing',
    });
    const failed = machine(1, { verdict: 'not-usable', findings: [repeated] });
    const { rows } = await rollCall({ instances: [instance(1)] }, [failed, cluster]);
    assert.equal(rows[0]?.headline?.subject, 'cluster');
  });

  test('reports cluster trouble beside the rows, once and when it is known', async () => {
    const findings = [
      finding('aws-auth-missing', { confidence: 'likely' }),
      finding('webhook-blocks', { confidence: 'possible' }),
    ];
    const cluster = subject({ kind: 'Cluster', name: 'c', verdict: 'not-usable', findings });
    const well = await rollCall({ instances: [instance(1)] }, [machine(1), cluster]);
    assert.deepEqual(
      well.cluster.map(({ name, cause, confidence }) => [name, cause, confidence]),
      [['c', 'aws-auth-missing', 'likely']],
    );
    const failed = machine(1, { verdict: 'not-usable', findings: [finding('aws-auth-missing')] });
    assert.deepEqual((await rollCall({ instances: [instance(1)] }, [failed, cluster])).cluster, []);
  });

  test('shows possible causes as a note, not a headline', async () => {
    const findings = ['a', 'b', 'c', 'd'].map((cause) =>
      finding(cause, { confidence: 'possible' }),
    );
    const { rows } = await rollCall({ instances: [instance(1)] }, [
      machine(1, { verdict: 'not-usable', findings }),
    ]);
    const { headline, note } = rows[0] ?? {};
    assert.deepEqual([headline, note], [null, 'Could be a, b, c, 1 more.']);
  });

  test('lowest stage, then most explained, then definite, then id', async () => {
    const causeOf = async (
      ...findings: ReturnType<typeof finding>[]
    ): Promise<string | undefined> =>
      (
        await rollCall({ instances: [instance(1), instance(2)] }, [
          machine(1, { verdict: 'not-usable', findings }),
          machine(2, { verdict: 'not-usable', findings: [finding('wide')] }),
        ])
      ).rows.find((row) => row.instanceId === instanceId(1))?.headline?.cause;
    assert.equal(await causeOf(finding('wide'), finding('low', { stage: 'launched' })), 'low');
    assert.equal(await causeOf(finding('a'), finding('wide')), 'wide');
    assert.equal(await causeOf(finding('a', { confidence: 'likely' }), finding('b')), 'b');
    assert.equal(await causeOf(finding('b'), finding('a')), 'a');
  });
});

test('a selector chooses by labels and tags, and suppresses gaps', async () => {
  const document = await rollCall(
    {
      instances: [instance(1, tags({ team: 'x' })), instance(2)],
      scaling: [{ AutoScalingGroupName: 'a', DesiredCapacity: 1, Instances: [] }],
    },
    [],
    { selects: (labels) => labels['team'] === 'x' },
  );
  assert.deepEqual(
    document.rows.map((row) => row.instanceId),
    [instanceId(1)],
  );
  assert.deepEqual(document.gaps, []);
});

test('reports what was not seen once for all machines, last', async () => {
  const unseen = {
    stage: 'registered',
    why: 'no list of Nodes',
    collect: 'kubectl get nodes',
  } as const;
  const given = {
    stage: 'launched',
    why: 'EC2 refused',
    collect: 'aws ec2 describe-instances',
  } as const;
  const subjects = [1, 2].map((n) =>
    machine(n, { verdict: 'cannot-tell', stage: 'registered', notObservable: [unseen] }),
  );
  const document = await rollCall({ instances: [instance(1), instance(2)] }, subjects, {
    notObservable: [given],
  });
  assert.deepEqual(document.notObservable, [given, unseen]);
  assert.equal(document.rows[0]?.note, 'Not seen: no list of Nodes.');
});

test('an empty pile is an empty roll call', async () => {
  const document = await rollCall({}, [], { document: diagnosis([]), nowMs: NOW_MS });
  assert.deepEqual([document.rows, document.shared, document.gaps], [[], [], []]);
});
