import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { readKubeObject } from './object.ts';
import { factOf, namesOf, type Written, writtenBy } from '../testing.ts';

const ID = 'i-0123456789abcdef0';
const STAMP = '2026-11-22T08:00:00Z';
const STAMP_MS = Date.parse(STAMP);

function read(value: JsonObject, line = 7): Written {
  return writtenBy((passage) => void readKubeObject(passage, value, line));
}

/** What a fact of an object is about, and what its lines are about. */
function machines(value: JsonObject): readonly (readonly string[])[] {
  return read(value).facts.map(({ about }) => namesOf(about));
}

test('a Node is a fact, links its names, and says its state', () => {
  const node = {
    kind: 'Node',
    metadata: { name: 'a' },
    spec: { providerID: `aws:///eu-west-1a/${ID}` },
    status: { nodeInfo: { kubeletVersion: 'v1.30.4' } },
  };
  const { facts, links, said } = read(node);
  assert.deepEqual(
    facts.map(({ kind, by, extent, locator, moment, about }) => [
      `${kind} ${by} ${extent} ${locator} ${moment.at.line}`,
      namesOf(about),
    ]),
    [
      [
        'kube/Node kubectl get -o json|yaml whole file#Node/a 7',
        ['node a', `provider-id aws:///eu-west-1a/${ID}`],
      ],
    ],
  );
  assert.deepEqual(
    links.map(({ proof, locator }) => [proof, locator]),
    [['Node a shows them together', 'file#Node/a']],
  );
  assert.deepEqual(said, [
    {
      text: 'Node a version v1.30.4',
      sinceMs: null,
      source: 'node-status',
      line: 7,
      lineEnd: 7,
      when: null,
      host: null,
      about: { kind: 'node', value: 'a' },
      isState: true,
    },
  ]);
});

test('an audit record is the line that the API server printed', () => {
  for (const [stamps, ms] of [
    [{ stageTimestamp: STAMP, requestReceivedTimestamp: '2026-11-22T07:00:00Z' }, STAMP_MS],
    [{ requestReceivedTimestamp: STAMP }, STAMP_MS],
    [{}, undefined],
  ] as const) {
    const record = { kind: 'Event', apiVersion: 'audit.k8s.io/v1', verb: 'get', ...stamps };
    const { said, facts } = read(record);
    assert.equal(facts.length, 0);
    const [{ text, source, when, isState, about, host, line } = assert.fail()] = said;
    assert.deepEqual(JSON.parse(text), record);
    assert.deepEqual(
      [source, when?.ms, isState, about, host, line],
      ['audit', ms, false, null, null, 7],
    );
  }
  assert.equal(read({ kind: 'Event', apiVersion: 'x/audit.k8s.io/v1' }).said[0]?.source, 'event');
});

describe('an event', () => {
  const event = (fields: JsonObject): ReturnType<typeof read>['said'][number] =>
    read({ kind: 'Event', ...fields }).said[0] ?? assert.fail();

  test('reads as a row of kubectl get events', () => {
    const { text, source, when, isState, host } = event({
      type: 'Warning',
      reason: 'Failed',
      message: 'no room',
      lastTimestamp: STAMP,
      eventTime: '2026-11-22T07:00:00Z',
      involvedObject: { kind: 'Pod', name: 'web', namespace: 'shop' },
    });
    assert.equal(text, `${STAMP} Warning Failed pod/web no room`);
    assert.deepEqual([source, when?.ms, isState, host], ['event', STAMP_MS, false, null]);
  });

  test('of the newer API has other fields', () => {
    const { text, when } = event({
      type: 'Normal',
      reason: 'Started',
      note: 'it runs',
      eventTime: STAMP,
      regarding: { kind: 'Node', name: 'a' },
    });
    assert.equal(text, `${STAMP} Normal Started node/a it runs`);
    assert.equal(when?.ms, STAMP_MS);
    assert.equal(event({ metadata: { creationTimestamp: STAMP } }).when?.ms, STAMP_MS);
    assert.equal(event({}).text.trim(), '/');
  });

  for (const [title, fields, about] of [
    ['of a Node', { involvedObject: { kind: 'Node', name: 'a' }, source: { host: 'b' } }, 'node a'],
    [
      'that a kubelet reported',
      { involvedObject: { kind: 'Pod', name: 'p' }, source: { host: 'b' } },
      'node b',
    ],
    [
      'that a kubelet reported, newer',
      { regarding: { kind: 'Pod', name: 'p' }, deprecatedSource: { host: 'b' } },
      'node b',
    ],
    [
      'of a pod',
      { involvedObject: { kind: 'Pod', name: 'p', namespace: 'shop' }, source: { host: '' } },
      'pod shop/p',
    ],
    ['of a pod, newer', { regarding: { kind: 'Pod', name: 'p', namespace: 'shop' } }, 'pod shop/p'],
    ['of a pod without a namespace', { regarding: { kind: 'Pod', name: 'p' } }, null],
    ['of anything else', { regarding: { kind: 'Job', name: 'j', namespace: 'shop' } }, null],
  ] as const)
    test(`${title} is about ${about ?? 'no machine'}`, () => {
      const { about: machine } = event(fields);
      assert.equal(machine === null ? null : `${machine.kind} ${machine.value}`, about);
    });
});

describe('what an object is about', () => {
  for (const [kind, fields, about] of [
    ['Pod', { spec: { nodeName: 'a' } }, ['node a']],
    ['Pod', {}, []],
    ['Lease', { metadata: { name: 'a', namespace: 'kube-node-lease' } }, ['node a']],
    ['Lease', { metadata: { name: 'a', namespace: 'kube-system' } }, []],
    ['CSINode', { metadata: { name: 'a' } }, ['node a']],
    ['CNINode', { metadata: { name: 'a' } }, ['node a']],
    [
      'NodeClaim',
      { metadata: { name: 'c' }, status: { nodeName: 'a', providerID: `aws:///z/${ID}` } },
      ['node a', `provider-id aws:///z/${ID}`, 'node-claim c'],
    ],
    ['NodeClaim', { metadata: { name: 'c' } }, ['node-claim c']],
    [
      'Machine',
      { status: { nodeRef: { name: 'a' } }, spec: { providerID: `aws:///z/${ID}` } },
      ['node a', `provider-id aws:///z/${ID}`],
    ],
    ['Deployment', { metadata: { name: 'a' }, status: { nodeName: 'a' } }, []],
    ['Machine', { metadata: { name: 'm' } }, []],
  ] as const)
    test(`${kind} ${JSON.stringify(fields).slice(0, 60)}`, () => {
      assert.deepEqual(machines({ kind, ...fields }), [about]);
    });
});

describe('facts of other kinds', () => {
  test('have their identity and the fields of their kind', () => {
    const { facts } = read({
      kind: 'Lease',
      metadata: {
        name: 'a',
        namespace: 'kube-node-lease',
        uid: 'u',
        labels: { l: '1' },
        annotations: { notes: '2' },
      },
      spec: { holderIdentity: 'a' },
    });
    const [fact = assert.fail()] = facts;
    const { kind, namespace, name, uid, labels, annotations } = fact.value as never;
    assert.deepEqual(
      [fact.kind, fact.locator, kind, namespace, name, uid, labels, annotations],
      [
        'kube/Lease',
        'file#Lease/kube-node-lease/a',
        'Lease',
        'kube-node-lease',
        'a',
        'u',
        { l: '1' },
        { notes: '2' },
      ],
    );
    assert.equal((fact.value as { spec?: { holderIdentity?: string } }).spec?.holderIdentity, 'a');
  });

  test('a Pod keeps the annotations that AWS, its agents and Karpenter read', () => {
    const kept = {
      'eks.amazonaws.com/role-arn': '1',
      'vpc.k8s.aws/eni': '1',
      'karpenter.sh/do-not-disrupt': '1',
      'cluster-autoscaler.kubernetes.io/safe-to-evict': '1',
      'vpc-resource': '1',
    };
    const annotations = { ...kept, notes: 'long' };
    const pod = factOf(read({ kind: 'Pod', metadata: { annotations } }), 'kube/Pod');
    assert.deepEqual(pod?.annotations, kept);
    const same = factOf(read({ kind: 'Pod', metadata: { annotations: kept } }), 'kube/Pod');
    assert.deepEqual(same?.annotations, kept);
  });
});

describe('ConfigMaps', () => {
  test('aws-auth and cluster-info are read for what they mean', () => {
    const map = (name: string, namespace: string, entries: JsonObject): Written =>
      read({ kind: 'ConfigMap', metadata: { name, namespace }, data: entries });
    const roles = { mapRoles: '- rolearn: arn:r\n' };
    assert.equal(factOf(map('aws-auth', 'kube-system', roles), 'kube/aws-auth')?.roles.length, 1);
    assert.equal(factOf(map('other', 'kube-system', roles), 'kube/aws-auth'), undefined);
    const signed = {
      'jws-kubeconfig-abc123': 'x',
      'jws-kubeconfig-ABC123': 'x',
      kubeconfig: 'x',
      'x-jws-kubeconfig-abc124': 'x',
      'jws-kubeconfig-abc1234': 'x',
    };
    const signedBy = (one: Written): unknown => factOf(one, 'kube/cluster-info')?.signedBy;
    assert.deepEqual(signedBy(map('cluster-info', 'kube-public', signed)), ['abc123']);
    assert.equal(signedBy(map('cluster-info', 'kube-system', signed)), undefined);
    assert.equal(signedBy(map('other', 'kube-public', signed)), undefined);
    const secret = { kind: 'Secret', metadata: { name: 'cluster-info', namespace: 'kube-public' } };
    assert.deepEqual(read(secret).facts, []);
    const other = { kind: 'Secret', metadata: { name: 'aws-auth' } };
    assert.deepEqual(read(other).facts, []);
    const none = { kind: 'ConfigMap', metadata: secret.metadata };
    assert.deepEqual(signedBy(read(none)), []);
  });
});

describe('facts that are prepared', () => {
  test('a kind keeps its fields under the name that it had', () => {
    const rule = { kind: 'NodeReadinessGateRule', metadata: { name: 'r' } };
    assert.deepEqual(
      read(rule).facts.map(({ kind }) => kind),
      ['kube/NodeReadinessRule'],
    );
    assert.deepEqual(read({ kind: 'Widget', metadata: { name: 'w' } }).facts, []);
    assert.deepEqual(read({ metadata: { name: 'w' } }).facts, []);
  });

  test('a volume of the old plug-in has the driver that took its place', () => {
    const driver = (spec: JsonObject | null): string | null | undefined =>
      factOf(read({ kind: 'PersistentVolume', spec }), 'kube/PersistentVolume')?.spec?.csi?.driver;
    assert.equal(driver({ awsElasticBlockStore: { volumeID: 'v' } }), 'ebs.csi.aws.com');
    assert.equal(driver({ csi: { driver: 'efs' }, awsElasticBlockStore: {} }), 'efs');
    assert.equal(driver({ nfs: {} }), null);
    assert.equal(driver(null), undefined);
  });

  test('a certificate request names its user', () => {
    const user = (der: string): unknown => {
      const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${btoa(der)}\n-----END CERTIFICATE REQUEST-----`;
      const request = { kind: 'CertificateSigningRequest', spec: { request: btoa(pem) } };
      const fact = factOf(read(request), 'kube/CertificateSigningRequest');
      return (fact as { requestedUser?: unknown } | undefined)?.requestedUser;
    };
    const name = 'system:node:a.b-1';
    assert.equal(user(`0\u0082\u0011${name}more`), name);
    for (const der of [
      name,
      `\u0011system:nodes:a.b-1x`,
      `\u0011system:node:A.b-1`,
      `\u000csystem:node:`,
      `\u0011system:node:a.b_1`,
    ])
      assert.equal(user(der) ?? null, null, JSON.stringify(der));
    assert.equal(user(`${'\u0000'.repeat(64 * 1024)}\u0011${name}`) ?? null, null);
    const broken = { kind: 'CertificateSigningRequest', spec: { request: '%%%' } };
    assert.equal(read(broken).facts.length, 1);
  });

  test('a slice of endpoints is counted', () => {
    const slice = { kind: 'EndpointSlice', endpoints: [{}, { conditions: { ready: false } }] };
    const fact = factOf(read(slice), 'kube/EndpointSlice');
    assert.deepEqual([fact?.ready, fact?.notReady], [1, 1]);
  });
});

function linesOf(value: JsonObject): readonly string[] {
  return read(value).said.map(({ text, source }) => `${source}: ${text}`);
}

describe('lines of objects', () => {
  for (const [kind, source] of [
    ['NodeClaim', 'node-claim'],
    ['NodePool', 'node-claim'],
    ['EC2NodeClass', 'node-claim'],
    ['Machine', 'node-claim'],
    ['AWSNodeTemplate', 'node-claim'],
    ['Deployment', 'object'],
  ] as const)
    test(`conditions of a ${kind} are lines, and since when`, () => {
      const conditions = [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Why',
          message: 'words',
          lastTransitionTime: STAMP,
        },
        {},
      ];
      const value = { kind, metadata: { name: 'x' }, status: { conditions } };
      assert.deepEqual(linesOf(value), [
        `${source}: ${kind} x condition Ready=False Why words`,
        `${source}: ${kind} x condition =  `,
      ]);
      assert.deepEqual(
        read(value).said.map(({ sinceMs, isState }) => [sinceMs, isState]),
        [
          [STAMP_MS, true],
          [null, true],
        ],
      );
    });
});

describe('lines of a Pod', () => {
  test('of a Pod leave out what is fulfilled, and have its containers', () => {
    const pod = {
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { nodeName: 'a' },
      status: {
        conditions: [
          { type: 'Initialized', status: 'True' },
          { type: 'PodScheduled', status: 'True' },
          { type: 'Ready', status: 'False' },
          { type: 'Other', status: 'True', reason: 'Why' },
        ],
        initContainerStatuses: [
          {
            name: 'init',
            state: { terminated: { reason: 'Error', message: 'words', finishedAt: STAMP } },
          },
        ],
        containerStatuses: [
          { name: 'web', state: { waiting: { reason: 'CrashLoopBackOff' } } },
          { name: 'run', state: { running: {} } },
          {},
        ],
      },
    };
    assert.deepEqual(linesOf(pod), [
      'pod-status: Pod p condition Initialized=True  ',
      'pod-status: Pod p condition Ready=False  ',
      'pod-status: Pod p condition Other=True Why ',
      'pod-status: Pod p container init terminated Error words',
      'pod-status: Pod p container web waiting CrashLoopBackOff ',
    ]);
    const said = read(pod).said;
    assert.deepEqual(
      said.map(({ sinceMs }) => sinceMs),
      [null, null, null, STAMP_MS, null],
    );
    assert.ok(said.every(({ about }) => about?.value === 'a'));
  });
});
