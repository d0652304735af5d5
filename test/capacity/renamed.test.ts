/** A machine that changed its name, or will: the verdict, and the workloads that ask for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  expectedName,
  namedMachine,
  namingDocument,
  verdictOfNaming,
} from '../../src/capacity/naming/document.ts';
import { machineNamed } from '../../src/domain/naming/machines.ts';
import type { NamesSeen } from '../../src/domain/naming/names-table.ts';
import { pinnedWorkloads } from '../../src/domain/naming/pinned-workloads.ts';
import type { FactKind } from '../../src/evidence/kinds.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { observed, type Thing } from './observed.ts';

const OLD = 'node00.k8s.internal';
const NEW = 'ip-10-20-1-50.eu-west-1.compute.internal';

function workload(kind: FactKind, name: string, spec: JsonObject): Thing {
  return [kind, { metadata: { name, namespace: 'shop' }, spec: { template: { spec } } }];
}

function pod(owner: JsonObject | null, spec: JsonObject): Thing {
  const ownerReferences = owner === null ? [] : [owner];
  return ['kube/Pod', { metadata: { name: 'db-0', namespace: 'shop', ownerReferences }, spec }];
}

const AFFINITY = {
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'kubernetes.io/hostname', operator: 'In', values: ['other', OLD] },
            ],
          },
        ],
      },
    },
  },
};

const BY_NAME = { nodeSelector: { 'kubernetes.io/hostname': 'node00' } };
const DB = { kind: 'StatefulSet', name: 'db' };

const PINS: readonly (readonly [string, Thing, string | null])[] = [
  ['a selector by the host part', workload('kube/Deployment', 'web', BY_NAME), 'node00'],
  ['an affinity', workload('kube/DaemonSet', 'agent', AFFINITY), OLD],
  ['nodeName in a template', workload('kube/Deployment', 'web', { nodeName: NEW }), NEW],
  ['a StatefulSet by its pod', pod(DB, BY_NAME), 'node00'],
  ['the Node on which a pod runs', pod(DB, { nodeName: OLD }), null],
  ['a pod that nobody made', pod(null, BY_NAME), null],
  ['another machine', workload('kube/Deployment', 'web', { nodeName: 'node01' }), null],
];

for (const [title, thing, value] of PINS)
  test(`${title} ${value === null ? 'is no pin' : 'pins'}`, () => {
    const pins = pinnedWorkloads(observed([thing]), [OLD, NEW], OLD);
    assert.deepEqual(
      pins.map((one) => one.value),
      value === null ? [] : [value],
    );
  });

test('a workload is named once, with the patch that moves it', () => {
  const [pin, ...more] = pinnedWorkloads(
    observed([pod(DB, BY_NAME), pod(DB, AFFINITY)]),
    [OLD],
    OLD,
  );
  assert.equal(more.length, 0);
  const [, patch = ''] = /--type=merge -p '(.*)'$/.exec(pin?.command ?? '') ?? [];
  assert.match(pin?.command ?? '', /^kubectl -n shop patch statefulset\/db /);
  assert.deepEqual(JSON.parse(patch), {
    spec: {
      template: {
        spec: {
          nodeName: null,
          nodeSelector: { 'kubernetes.io/hostname': null, 'rollcall.dev/machine': 'node00' },
        },
      },
    },
  });
});

function node(name: string, ready: string, created: string): Thing {
  return [
    'kube/Node',
    {
      metadata: { name, creationTimestamp: created },
      spec: {},
      status: {
        addresses: [{ type: 'InternalIP', address: '10.20.1.50' }],
        conditions: [{ type: 'Ready', status: ready }],
        nodeInfo: { kubeletVersion: 'v1.20.3', machineID: 'ec2b5c1d' },
      },
    },
  ];
}

const INSTANCE: Thing = [
  'aws/instance',
  {
    InstanceId: 'i-0aaaaaaaaaaaaaaa1',
    State: { Name: 'running' },
    PrivateIpAddress: '10.20.1.50',
    PrivateDnsName: NEW,
    Placement: { AvailabilityZone: 'eu-west-1a' },
    Tags: [{ Key: 'kubernetes.io/cluster/shop', Value: 'owned' }],
  },
];

function documentOf(things: readonly Thing[], seen: Partial<NamesSeen>) {
  const observations = observed(things, ['kube/Node']);
  const machine = machineNamed(observations, 'i-0aaaaaaaaaaaaaaa1');
  assert.ok(machine !== null);
  const named = namedMachine(observations, machine, { seen, options: {} }, undefined);
  return namingDocument(named, []);
}

const IN_TREE = { cloudProvider: { kind: 'in-tree' } } as const;
const NO_CLOUD = { cloudProvider: { kind: 'none' }, hostnameOverride: OLD } as const;
const TODAY = '2026-10-01T00:00:00Z';

const VERDICTS: readonly (readonly [string, readonly Thing[], Partial<NamesSeen>, string])[] = [
  ['its Node is called as the rules say', [node(NEW, 'True', TODAY)], IN_TREE, 'usable'],
  ['it will be called otherwise', [node(OLD, 'True', TODAY)], IN_TREE, 'not-usable'],
  ['nobody looks it up', [node(OLD, 'True', TODAY)], { ...NO_CLOUD, osHostname: OLD }, 'usable'],
  [
    'its old Node is still there',
    [node(OLD, 'Unknown', TODAY), node(NEW, 'True', TODAY)],
    IN_TREE,
    'not-usable',
  ],
  [
    'its certificate is of another name',
    [node(NEW, 'True', TODAY)],
    { ...IN_TREE, certificateName: `system:node:${OLD}` },
    'not-usable',
  ],
  ['nothing tells its name', [], {}, 'cannot-tell'],
];

for (const [title, nodes, seen, expected] of VERDICTS)
  test(`the verdict on its names is ${expected} when ${title}`, () => {
    assert.equal(verdictOfNaming(documentOf([INSTANCE, ...nodes], seen)), expected);
  });

test('reports the twin under the old name with what it broke', () => {
  const nodes = [node(OLD, 'Unknown', TODAY), node(NEW, 'True', TODAY)];
  const pinned = workload('kube/Deployment', 'web', BY_NAME);
  const document = documentOf([INSTANCE, ...nodes, pinned], IN_TREE);
  assert.deepEqual([document.node, document.twin?.node], [NEW, OLD]);
  assert.deepEqual(
    document.pinned.map(({ name }) => name),
    ['web'],
  );
  assert.ok(document.effects?.breaks.some(({ what }) => what === 'volume-attach'));
});

test('where the rules leave it open, the Node that its kubelet reports to proves the name', () => {
  const open = documentOf([INSTANCE, node(OLD, 'True', TODAY)], {});
  assert.equal(open.name.state, 'unknown');
  const machines = (ready: string) =>
    machineNamed(observed([INSTANCE, node(OLD, ready, TODAY)]), OLD)?.node ?? null;
  assert.equal(expectedName(open.name, machines('False')), OLD);
  assert.equal(expectedName(open.name, machines('Unknown')), null);
});
