import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeNode } from '../../evidence/kinds.ts';
import { readDescribe, readEventLine } from './describe.ts';
import { factOf, namesOf, type Written, writtenBy } from '../testing.ts';
import { NOT_KNOWN } from '../line/origin.ts';

function read(text: string): Written {
  const lines = text.split('\n');
  return writtenBy((passage) => readDescribe(passage, { line: 10, lines }, NOT_KNOWN));
}

const nodeOf = (text: string): KubeNode => factOf(read(text), 'kube/Node') ?? assert.fail();

const NODE = `Name:               web-1
Roles:              <none>
Labels:             role=web
                    zone=
                    odd
Annotations:        note: a: b
CreationTimestamp:  Sun, 22 Nov 2026 08:00:00 +0000
Taints:             a=b:NoSchedule
                    c:NoExecute
                    broken
                    x y:NoSchedule
                    long=value:NoSchedule more
Unschedulable:      true
Conditions:
  Type             Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message
  ----             ------    -----------------                 ------------------                ------              -------
  Ready            False     Sun, 22 Nov 2026 08:10:00 +0000   Sun, 22 Nov 2026 08:05:00 +0100   KubeletNotReady     cni plugin not initialized
  MemoryPressure   Unknown   Sun, 22 Nov 2026 08:10:00 +0000   Sun, 22 Nov 2026 08:05:00 +0000   NodeStatusUnknown
Addresses:
  InternalIP:   10.0.1.5
  Hostname:     web
  InternalDNS:  ip-10-0-1-5.ec2.internal
Capacity:
  pods:  30
Allocatable:
  pods:  29
System Info:
  Machine ID:       ec2abc
  Kubelet Version:  v1.30.4
  OS Image:         inner
Machine ID:         ec2own
OS Image:           Amazon Linux 2023
PodCIDR:            10.1.0.0/24
ProviderID:         aws:///eu-west-1a/i-0123456789abcdef0
Non-terminated Pods:  (1 in total)
Events:
  Type     Reason   Age                From     Message
  ----     ------   ----               ----     -------
  Warning  Failed   5m                 kubelet  no room
  Normal   Starting 2m (x3 over 10m)   kubelet, web-2  words`;
const DAY_MS = Date.parse('2026-11-22T00:00:00Z');

describe('kubectl describe node', () => {
  test('has what its sections say', () => {
    assert.deepEqual(nodeOf(NODE), {
      name: 'web-1',
      uid: null,
      providerId: 'aws:///eu-west-1a/i-0123456789abcdef0',
      internalIp: '10.0.1.5',
      hostname: 'web',
      internalDns: 'ip-10-0-1-5.ec2.internal',
      labels: { role: 'web', zone: '' },
      annotations: { note: 'a' },
      taints: [
        { key: 'a', value: 'b', effect: 'NoSchedule', addedMs: null },
        { key: 'c', value: '', effect: 'NoExecute', addedMs: null },
      ],
      unschedulable: true,
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'KubeletNotReady',
          message: 'cni plugin not initialized',
          heartbeatMs: DAY_MS + 490 * 60_000,
          changedMs: DAY_MS + 425 * 60_000,
        },
        {
          type: 'MemoryPressure',
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: '',
          heartbeatMs: DAY_MS + 490 * 60_000,
          changedMs: DAY_MS + 485 * 60_000,
        },
      ],
      ready: false,
      kubeletVersion: 'v1.30.4',
      ageMs: null,
      createdMs: DAY_MS + 480 * 60_000,
      allocatable: { pods: '29' },
      capacity: { pods: '30' },
      podCidr: '10.1.0.0/24',
      machineId: 'ec2own',
      osImage: 'Amazon Linux 2023',
      taintWriters: [],
      cordonWriters: [],
      deletionAskedMs: null,
    });
  });
});

describe('what kubectl describe shows of a node', () => {
  test('is a part of the object, links its names and says its state', () => {
    const { facts, links, sources, said } = read(NODE);
    const [fact = assert.fail()] = facts;
    assert.deepEqual(
      [fact.by, fact.extent, fact.locator, fact.moment.at.line],
      ['kubectl describe node', 'part', 'file:10', 10],
    );
    assert.deepEqual(namesOf(fact.about), [
      'node web-1',
      'provider-id aws:///eu-west-1a/i-0123456789abcdef0',
      'ip 10.0.1.5',
      'host web',
      'private-dns ip-10-0-1-5.ec2.internal',
    ]);
    assert.deepEqual(
      links.map(({ proof, locator }) => [proof, locator]),
      [['kubectl describe shows them for Node web-1', 'file:10']],
    );
    assert.deepEqual(sources, ['node-status']);
    const states = said.filter(({ isState }) => isState);
    assert.ok(states.some(({ text }) => text.startsWith('Node web-1 condition Ready=False')));
    for (const { source, line, about, when, host } of states)
      assert.deepEqual(
        [source, line, about?.value, when, host],
        ['node-status', 10, 'web-1', null, null],
      );
  });

  test('has events as old as they say, about the Node or the kubelet that reported them', () => {
    const events = read(NODE).said.filter(({ source }) => source === 'event');
    assert.deepEqual(
      events.map(({ line, when, about, isState }) => [line, when?.ms, about?.value, isState]),
      [
        [10 + NODE.split('\n').length - 2, -300_000, 'web-1', false],
        [10 + NODE.split('\n').length - 1, -120_000, 'web-2', false],
      ],
    );
  });

  test('without its sections leaves them unknown', () => {
    const node = nodeOf('Name: a\nRoles: worker\nProviderID: <none>\nLabels: <none>');
    assert.deepEqual(
      [node.taints, node.providerId, node.kubeletVersion, node.createdMs, node.internalIp],
      [null, null, null, null, null],
    );
    assert.deepEqual([node.labels, node.conditions, node.unschedulable], [{}, [], false]);
    assert.deepEqual(nodeOf('Roles: a\nTaints: <none>').taints, []);
    assert.equal(nodeOf('Roles: a').name, '');
  });
});

describe('parts of kubectl describe', () => {
  test('conditions are seen without the line above them', () => {
    const row = NODE.split('\n').find((line) => line.includes('KubeletNotReady'));
    assert.equal(nodeOf(`Name: a\nPodCIDR: x\n${row}`).ready, false);
    const elsewhere = `Name: a\nPodCIDR: x\nConditions:\n  none\nOther:\n${row}`;
    assert.equal(nodeOf(elsewhere).ready, null);
  });

  test('conditions are seen without their dates below the line that names them', () => {
    const rows =
      '  Type   Status  Reason        Message\n  Ready  True    KubeletReady  is posting';
    assert.equal(nodeOf(`Name: a\nPodCIDR: x\nConditions:\n${rows}`).ready, true);
    assert.equal(nodeOf(`Name: a\nPodCIDR: x\n${rows}`).ready, null);
  });

  for (const key of [
    'Roles',
    'Unschedulable',
    'ProviderID',
    'PodCIDR',
    'Non-terminated Pods',
    'Lease',
  ])
    test(`a block with ${key}: is one of a Node`, () => {
      assert.equal(read(`Name: a\n${key}: x`).facts.length, 1);
      assert.equal(read(`Name: a\n  ${key}: x\nMy${key}: x\n${key} x`).facts.length, 0);
    });
});

describe('kubectl describe of anything else', () => {
  test('is its lines, about the Node that it is on', () => {
    const { said, facts } = read(
      `Name:  web\nNode:  web-1/10.0.1.5\n\nStatus: Failed\n  Warning  Failed  5m  kubelet  words`,
    );
    assert.deepEqual(facts, []);
    assert.deepEqual(
      said.map(({ text, line, about, source }) => [
        text.trim().split(/ +/)[0],
        line,
        about?.value,
        source,
      ]),
      [
        ['Name:', 10, 'web-1', 'unknown'],
        ['Node:', 11, 'web-1', 'unknown'],
        ['Status:', 13, 'web-1', 'unknown'],
        ['Warning', 14, 'web-1', 'event'],
      ],
    );
  });

  test('that is on no Node is about none', () => {
    for (const text of ['Name: web', 'Name: web\nNode: <none>'])
      assert.ok(read(text).said.every(({ about }) => about === null));
  });
});

describe('a row of events', () => {
  const event = (text: string): unknown => {
    const { said } = writtenBy((passage) =>
      readEventLine(passage, text, 3, { kind: 'node', value: 'a' }),
    );
    return said.map(({ when, about, line, source }) => [when?.ms, about?.value, line, source]);
  };

  for (const [text, ms] of [
    ['  Warning  Failed  2d4h5m6s  kubelet  words', -187_506_000],
    ['  Warning  Failed  2m (x3 over 10m)  kubelet  words', -120_000],
    ['  Warning  Failed  47h12m  kubelet  words', -169_920_000],
    ['  Warning  Failed  words', undefined],
    ['  Warning  Failed  2m3', undefined],
  ] as const)
    test(text.trim(), () => assert.deepEqual(event(text), [[ms, 'a', 3, 'event']]));

  for (const [text, isEvent] of [
    [' Warning Failed x', true],
    ['  5m  Normal  Pulled  x', true],
    ['  NotNormal  Pulled  x', false],
    ['  Warning  failed x', false],
    ['  Normal words', false],
  ] as const)
    test(`"${text}" is ${isEvent ? 'one' : 'none'}`, () => {
      assert.equal(
        read(text).said.some(({ source }) => source === 'event'),
        isEvent,
      );
    });
});
