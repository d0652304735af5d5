import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTexts } from '../../src/engine/pile.ts';
import type { DiagnosisDocument, SubjectReport } from '../../src/diagnosis/document.ts';
import { representatives } from '../../src/diagnosis/representatives.ts';
import type { DetailTarget } from '../../src/evidence/detail-target.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import {
  diagnosis,
  dnsName,
  instance,
  instanceId,
  machine,
  node,
  subject,
  tags,
} from '../roll-call/fixtures.ts';

interface Scene {
  readonly subjects?: readonly SubjectReport[];
  readonly instances?: readonly object[];
  readonly pods?: readonly object[];
  readonly cluster?: JsonObject;
  readonly isDeep?: boolean;
}

const FAILED = { verdict: 'not-usable' } as const;

/** Who is asked one by one in a scene, by default one failed machine with a Node. */
async function targetOf(scene: Scene): Promise<DetailTarget> {
  const { subjects = [machine(1, FAILED)], instances = [], pods = [], cluster } = scene;
  const texts: readonly object[] = [
    { Reservations: [{ Instances: instances }] },
    { apiVersion: 'v1', kind: 'NodeList', items: [node(1)] },
    ...pods,
    ...(cluster === undefined ? [] : [{ cluster }]),
  ];
  const observations = await readTexts(
    texts.map((value, rank) => ({ name: `${rank}.json`, text: JSON.stringify(value) })),
  );
  const document: DiagnosisDocument = diagnosis(subjects);
  return representatives(document, observations, scene.isDeep ?? false);
}

function pod(name: string, status: object = {}, change: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'kube-system' },
    spec: { nodeName: dnsName(1), ...change },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        { name: 'main', state: { running: { startedAt: '2026-03-01T09:00:00Z' } } },
      ],
      ...status,
    },
  };
}

const NOT_READY = { conditions: [{ type: 'Ready', status: 'False' }] };

function namesOf({ logs }: DetailTarget): readonly string[] {
  return logs.map((one) => `${one.pod}/${one.container}${one.previous ? ' before' : ''}`);
}

describe('machines that are asked one by one', () => {
  const ids = async (scene: Scene): Promise<readonly string[]> =>
    (await targetOf(scene)).instanceIds;
  const many = (count: number, change: Partial<SubjectReport> = {}): readonly SubjectReport[] =>
    Array.from({ length: count }, (_, rank) => machine(rank + 1, { ...FAILED, ...change }));

  test('are three machines at one stage, or all with --deep', async () => {
    assert.deepEqual(await ids({ subjects: many(4) }), [1, 2, 3].map(instanceId));
    assert.equal((await ids({ subjects: many(4), isDeep: true })).length, 4);
    const low = machine(9, { ...FAILED, stage: 'launched' });
    assert.equal((await ids({ subjects: [...many(4), low] })).length, 4);
  });

  test('are the same whichever answer came first', async () => {
    const nodeless = machine(1, { ...FAILED, instanceId: null });
    const subjects = [...many(4), nodeless];
    const [one, other] = [subjects, subjects.toReversed()];
    const instances = [1, 2, 3, 4].map((n) =>
      instance(n, tags({ 'aws:autoscaling:groupName': 'blue' })),
    );
    assert.deepEqual(await ids({ subjects: one, instances }), [1, 2, 3].map(instanceId));
    assert.deepEqual(await ids({ subjects: other, instances }), [1, 2, 3].map(instanceId));
  });

  test('are three of each group, by the first tag that names one', async () => {
    for (const key of [
      'aws:autoscaling:groupName',
      'eks:nodegroup-name',
      'karpenter.sh/nodepool',
    ]) {
      const instances = [1, 2, 3, 4, 5, 6].map((n) =>
        instance(n, tags({ other: `${n}`, [key]: n > 2 ? 'blue' : 'green' })),
      );
      const expected = [1, 2, 3, 4, 5].map(instanceId);
      assert.deepEqual(await ids({ subjects: many(6), instances }), expected, key);
    }
    const both = [1, 2, 3, 4].map((n) =>
      instance(n, tags({ 'aws:autoscaling:groupName': 'one', 'eks:nodegroup-name': `${n}` })),
    );
    assert.equal((await ids({ subjects: many(4), instances: both })).length, 3);
  });

  test('are forty at most', async () => {
    const instances = Array.from({ length: 45 }, (_, rank) =>
      instance(rank + 1, tags({ 'aws:autoscaling:groupName': `g${rank}` })),
    );
    assert.equal((await ids({ subjects: many(45), instances })).length, 40);
  });

  test('reject unusable cluster names and missing instances', async () => {
    const subjects = [
      machine(1),
      machine(2, { verdict: 'cannot-tell' }),
      machine(3, { ...FAILED, instanceId: null }),
      subject({ kind: 'Cluster', name: 'c', ...FAILED, instanceId: instanceId(7) }),
    ];
    assert.deepEqual(await ids({ subjects }), [instanceId(2)]);
  });
});

describe('logs that are asked for', () => {
  test('are of the programs of a node, of pods that are not Ready, and of controllers', async () => {
    const elsewhere = { nodeName: 'other' };
    const pods = [
      pod('aws-node-x2x4p'),
      pod('kube-proxy'),
      pod('web-1', NOT_READY),
      pod('web-2'),
      pod('my-aws-node-1'),
      pod('coredns2'),
      pod('aws-node-far', NOT_READY, elsewhere),
      pod('karpenter-abc', {}, elsewhere),
      pod('cloud-controller-manager', {}, elsewhere),
      pod('my-karpenter-abc', {}, elsewhere),
    ];
    assert.deepEqual(namesOf(await targetOf({ pods })), [
      'aws-node-x2x4p/main',
      'kube-proxy/main',
      'web-1/main',
      'karpenter-abc/main',
      'cloud-controller-manager/main',
    ]);
  });

  test('are of the last run where a container has crashed, and of both where it runs again', async () => {
    const terminated = { exitCode: 1 };
    const containerStatuses = [
      { name: 'runs', state: { running: { startedAt: '2026-03-01T09:00:00Z' } } },
      {
        name: 'again',
        state: { running: { startedAt: '2026-03-01T09:00:00Z' } },
        lastState: { terminated },
      },
      { name: 'waits', state: { waiting: {} }, lastState: { terminated } },
      { name: 'young', state: { waiting: {} }, lastState: {} },
      { state: { waiting: {} } },
    ];
    const target = await targetOf({ pods: [pod('aws-node-1', { containerStatuses })] });
    assert.deepEqual(namesOf(target), [
      'aws-node-1/runs',
      'aws-node-1/again',
      'aws-node-1/again before',
      'aws-node-1/waits before',
      'aws-node-1/young',
    ]);
    assert.deepEqual(target.logs[0], {
      namespace: 'kube-system',
      pod: 'aws-node-1',
      container: 'runs',
      node: dnsName(1),
      previous: false,
    });
  });
});

describe('how many logs are asked for', () => {
  test('are of twelve pods of a Node and of eight controllers at most, each once', async () => {
    const count = (length: number, name: string, change: object): readonly object[] =>
      Array.from({ length }, (_, rank) => pod(`${name}-${rank}`, {}, change));
    const here = await targetOf({ pods: count(13, 'aws-node', {}) });
    assert.equal(here.logs.length, 12);
    const far = await targetOf({ pods: count(9, 'karpenter', { nodeName: 'other' }) });
    assert.equal(far.logs.length, 8);
    const both = await targetOf({ pods: [pod('karpenter-1', NOT_READY)] });
    assert.deepEqual(namesOf(both), ['karpenter-1/main']);
  });

  test('are of controllers alone where only the cluster has trouble, and none where nothing has', async () => {
    const pods = [pod('karpenter-1'), pod('aws-node-1', NOT_READY)];
    const cluster = subject({ kind: 'Cluster', name: 'c', ...FAILED });
    assert.deepEqual(namesOf(await targetOf({ subjects: [cluster], pods })), ['karpenter-1/main']);
    const nothing = await targetOf({ subjects: [machine(1)], pods });
    assert.deepEqual([nothing.logs, nothing.isDiscoveryRead], [[], false]);
  });
});

describe('roles that are asked for', () => {
  const asking = (name: string, arn: string, status: object = NOT_READY): object => {
    const env = [{ name: 'AWS_ROLE_ARN', value: arn }];
    return pod(name, status, { containers: [{ name: 'main', env }] });
  };

  test('are those of pods that are not Ready, by their last part, each once', async () => {
    const arn = (role: string): string => `arn:aws:iam::123456789012:role/path/${role}`;
    const pods = [
      asking('a', arn('one')),
      asking('b', arn('one')),
      asking('c', arn('two')),
      asking('aws-node-1', arn('three'), {}),
      pod('plain', NOT_READY),
    ];
    assert.deepEqual((await targetOf({ pods })).roleNames, ['one', 'two']);
  });
});

describe('what else is asked of machines', () => {
  const lonely = (n: number): SubjectReport => machine(n, { ...FAILED, node: null });
  const endpoints = (endpointPrivateAccess: boolean): JsonObject => ({
    name: 'lab',
    arn: 'arn:aws:eks:eu-west-1:123456789012:cluster/lab',
    resourcesVpcConfig: { endpointPrivateAccess, endpointPublicAccess: false },
  });

  test('the VPCs of machines without a Node, where the API server has a private name', async () => {
    const instances = [1, 2, 3].map((n) => instance(n, { VpcId: n === 3 ? 'vpc-b' : 'vpc-a' }));
    const vpcs = async (isPrivate: boolean, subjects: readonly SubjectReport[]) =>
      (await targetOf({ subjects, instances, cluster: endpoints(isPrivate) })).vpcIds;
    assert.deepEqual(await vpcs(true, [lonely(1), lonely(2), lonely(3)]), ['vpc-a', 'vpc-b']);
    assert.deepEqual(await vpcs(true, [lonely(1), machine(3, FAILED)]), ['vpc-a']);
    assert.deepEqual(await vpcs(false, [lonely(1)]), []);
    assert.deepEqual((await targetOf({ subjects: [lonely(1)], instances })).vpcIds, []);
  });

  test('three VPCs at most, and none that has no name', async () => {
    const stages = ['launched', 'bootstrapped', 'reachable', 'registered', 'usable'] as const;
    const subjects = stages.map((stage, rank) => ({ ...lonely(rank + 1), stage }));
    const instances = stages.map((_, rank) =>
      instance(rank + 1, rank === 0 ? {} : { VpcId: `vpc-${rank}` }),
    );
    const { vpcIds } = await targetOf({ subjects, instances, cluster: endpoints(true) });
    assert.deepEqual(vpcIds, ['vpc-1', 'vpc-2', 'vpc-3']);
  });

  test('who ended an instance, five at most, when asked to look deep', async () => {
    const states = ['stopped', 'stopping', 'terminated', 'shutting-down', 'running', 'pending'];
    const all = [...states, 'stopped', 'stopped'];
    const instances = all.map((Name, rank) => instance(rank + 1, { State: { Name } }));
    const subjects = all.map((_, rank) => machine(rank + 1, FAILED));
    const deep = await targetOf({ subjects, instances, isDeep: true });
    assert.deepEqual(deep.trailIds, [1, 2, 3, 4, 7].map(instanceId));
    assert.deepEqual((await targetOf({ subjects, instances })).trailIds, []);
  });

  test('how kubeadm lets machines in, where one has no Node and no EKS answers', async () => {
    const asked = async (scene: Scene): Promise<boolean> => (await targetOf(scene)).isDiscoveryRead;
    assert.equal(await asked({ subjects: [lonely(1)] }), true);
    assert.equal(await asked({ subjects: [lonely(1)], cluster: endpoints(true) }), false);
    assert.equal(await asked({}), false);
    assert.equal(await asked({ subjects: [{ ...lonely(1), instanceId: null }] }), false);
  });
});
