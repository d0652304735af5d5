import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeCondition } from '../../evidence/kinds.ts';
import { linesOfNode, namesOfNode, projectNode, readyOf } from './node.ts';

const CREATED = '2026-11-22T08:00:00Z';
const CREATED_MS = Date.parse(CREATED);
const NODE = {
  metadata: {
    name: 'ip-10-0-1-5.ec2.internal',
    uid: 'uid-1',
    labels: { role: 'web' },
    annotations: { note: 'a' },
    creationTimestamp: CREATED,
    deletionTimestamp: '2026-11-22T09:30:00Z',
    managedFields: [
      {
        manager: 'cloud',
        time: '2026-11-22T08:00:01Z',
        fieldsV1: { 'f:spec': { 'f:taints': {} } },
      },
      { fieldsV1: { 'f:spec': { 'f:taints': {} } } },
      { manager: 'kubelet', fieldsV1: { 'f:spec': {} } },
      {
        manager: 'kubectl-cordon',
        time: '2026-11-22T09:00:00Z',
        fieldsV1: { 'f:spec': { 'f:unschedulable': {} } },
      },
    ],
  },
  spec: {
    providerID: 'aws:///eu-west-1a/i-0123456789abcdef0',
    podCIDR: '10.1.0.0/24',
    unschedulable: true,
    taints: [{ key: 'a', value: 'b', effect: 'NoSchedule', timeAdded: '2026-11-22T08:00:02Z' }, {}],
  },
  status: {
    addresses: [
      { type: 'ExternalIP', address: '8.8.8.8' },
      { type: 'InternalIP', address: '10.0.1.5' },
      { type: 'Hostname', address: 'web-1' },
      { type: 'InternalDNS', address: 'ip-10-0-1-5.ec2.internal' },
    ],
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'kubelet is ready',
        lastTransitionTime: '2026-11-22T08:00:03Z',
        lastHeartbeatTime: '2026-11-22T08:00:04Z',
      },
      {},
    ],
    nodeInfo: { kubeletVersion: 'v1.30.4', machineID: 'ec2abc', osImage: 'Amazon Linux 2023' },
    allocatable: { pods: '29' },
    capacity: { pods: '30' },
  },
};

const NOTHING = {
  name: '',
  uid: null,
  providerId: null,
  internalIp: null,
  hostname: null,
  internalDns: null,
  labels: {},
  annotations: {},
  taints: [],
  unschedulable: false,
  conditions: [],
  ready: null,
  kubeletVersion: null,
  ageMs: null,
  createdMs: null,
  allocatable: {},
  capacity: {},
  podCidr: null,
  machineId: null,
  osImage: null,
  taintWriters: [],
  cordonWriters: [],
  deletionAskedMs: null,
};

describe('a Node', () => {
  test('is read with its names, state, taints and who wrote them', () => {
    assert.deepEqual(projectNode(NODE), {
      name: 'ip-10-0-1-5.ec2.internal',
      uid: 'uid-1',
      providerId: 'aws:///eu-west-1a/i-0123456789abcdef0',
      internalIp: '10.0.1.5',
      hostname: 'web-1',
      internalDns: 'ip-10-0-1-5.ec2.internal',
      labels: { role: 'web' },
      annotations: { note: 'a' },
      taints: [
        { key: 'a', value: 'b', effect: 'NoSchedule', addedMs: CREATED_MS + 2000 },
        { key: '', value: '', effect: '', addedMs: null },
      ],
      unschedulable: true,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'kubelet is ready',
          changedMs: CREATED_MS + 3000,
          heartbeatMs: CREATED_MS + 4000,
        },
        {
          type: '',
          status: 'Unknown',
          reason: '',
          message: '',
          changedMs: null,
          heartbeatMs: null,
        },
      ],
      ready: true,
      kubeletVersion: 'v1.30.4',
      ageMs: null,
      createdMs: CREATED_MS,
      allocatable: { pods: '29' },
      capacity: { pods: '30' },
      podCidr: '10.1.0.0/24',
      machineId: 'ec2abc',
      osImage: 'Amazon Linux 2023',
      taintWriters: [
        { manager: 'cloud', atMs: CREATED_MS + 1000 },
        { manager: '', atMs: null },
      ],
      cordonWriters: [{ manager: 'kubectl-cordon', atMs: CREATED_MS + 3_600_000 }],
      deletionAskedMs: CREATED_MS + 5_400_000,
    });
  });
});

describe('what a Node does not say', () => {
  test('without any field yields nothing', () => {
    assert.deepEqual(projectNode({}), NOTHING);
    assert.equal(projectNode({ spec: { unschedulable: 'true' } }).unschedulable, false);
    const odd = { metadata: { creationTimestamp: 'yesterday' }, status: { addresses: [{}] } };
    assert.deepEqual(projectNode(odd), NOTHING);
  });

  for (const [status, ready] of [
    ['True', true],
    ['False', false],
    ['Unknown', null],
  ] as const)
    test(`is ready: ${ready}, where Ready is ${status}`, () => {
      const other = { type: 'MemoryPressure', status: ready === true ? 'False' : 'True' };
      assert.equal(readyOf([other, { type: 'Ready', status }] as KubeCondition[]), ready);
    });

  test('has the names that it shows', () => {
    const names = namesOfNode(projectNode(NODE)).map((name) => name?.kind);
    assert.deepEqual(names, ['node', 'provider-id', 'ip', 'host', 'private-dns']);
    assert.deepEqual(
      namesOfNode(projectNode({})).filter((name) => name !== null),
      [],
    );
  });
});

describe('the lines of a Node', () => {
  test('say its version, its conditions and its taints, and since when', () => {
    const node = projectNode({ ...NODE, metadata: { name: 'a', creationTimestamp: CREATED } });
    assert.deepEqual(linesOfNode(node).slice(0, 2), [
      { text: 'Node a version v1.30.4', sinceMs: CREATED_MS },
      {
        text: 'Node a condition Ready=True KubeletReady kubelet is ready',
        sinceMs: CREATED_MS + 3000,
      },
    ]);
    assert.deepEqual(linesOfNode(node)[3], {
      text: 'Node a taint a=b:NoSchedule',
      sinceMs: CREATED_MS + 2000,
    });
  });

  test('a taint is as old as the Node only where the kubelet registers with it', () => {
    const taints = ['node.cloudprovider.kubernetes.io/uninitialized', 'other'].map((key) => ({
      key,
    }));
    const node = projectNode({ metadata: { creationTimestamp: CREATED }, spec: { taints } });
    assert.deepEqual(
      linesOfNode(node).map(({ sinceMs }) => sinceMs),
      [CREATED_MS, null],
    );
  });

  test('are unknown where nothing was shown', () => {
    assert.deepEqual(linesOfNode({ ...projectNode({}), taints: null }), []);
  });
});
