import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import { NODE } from './nodes.ts';
import { cell, cells, madeBefore } from './testing.ts';

test('a Node shows its versions and addresses', () => {
  const status = {
    conditions: [{ type: 'Ready', status: 'True' }],
    addresses: [
      { type: 'Hostname', address: 'node-a' },
      { type: 'ExternalIP', address: '192.0.2.1' },
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'InternalIP', address: '10.0.0.2' },
    ],
    nodeInfo: {
      architecture: 'arm64',
      containerRuntimeVersion: 'containerd://2.1.4',
      kernelVersion: '6.1.0',
      kubeletVersion: 'v1.36.3',
      osImage: 'Bottlerocket',
    },
  };
  assert.deepEqual(cells(NODE, { metadata: madeBefore(60), status }), {
    Name: 'one',
    Status: 'Ready',
    Roles: '<none>',
    Age: '60s',
    Version: 'v1.36.3',
    'Internal-IP': '10.0.0.1',
    'External-IP': '192.0.2.1',
    'OS-Image': 'Bottlerocket',
    'Kernel-Version': '6.1.0 (arm64)',
    'Container-Runtime': 'containerd://2.1.4',
  });
});

test('a Node about which little is known says so', () => {
  assert.deepEqual(cells(NODE, { metadata: { name: 'one' } }), {
    Name: 'one',
    Status: 'Unknown',
    Roles: '<none>',
    Age: '<unknown>',
    Version: '',
    'Internal-IP': '<none>',
    'External-IP': '<none>',
    'OS-Image': '<unknown>',
    'Kernel-Version': '<unknown>',
    'Container-Runtime': '<unknown>',
  });
});

test('the status of a Node is that of its condition Ready, and whether it is cordoned', () => {
  const status = (value: string, spec: JsonObject = {}): Json => {
    const conditions = [
      { type: 'MemoryPressure', status: value === 'True' ? 'False' : 'True' },
      { type: 'Ready', status: value },
    ];
    return cell(NODE, 'Status', { spec, status: { conditions } });
  };
  assert.equal(status('True'), 'Ready');
  assert.equal(status('False'), 'NotReady');
  assert.equal(status('Unknown'), 'NotReady');
  assert.equal(status('False', { unschedulable: true }), 'NotReady,SchedulingDisabled');
  assert.equal(status('True', { unschedulable: false }), 'Ready');
});

test('roles come from both labels, sorted and each once', () => {
  const roles = (labels: JsonObject): Json => cell(NODE, 'Roles', { metadata: { labels } });
  const role = 'node-role.kubernetes.io';
  assert.equal(
    roles({ [`${role}/worker`]: '', [`${role}/control-plane`]: '' }),
    'control-plane,worker',
  );
  assert.equal(roles({ 'kubernetes.io/role': 'worker', [`${role}/worker`]: 'true' }), 'worker');
  assert.equal(roles({ 'kubernetes.io/role': 'etcd', [`${role}/worker`]: '' }), 'etcd,worker');
  assert.equal(roles({ 'kubernetes.io/role': '', [`${role}/`]: 'x' }), '<none>');
  assert.equal(roles({ other: 'worker', [`x-${role}/y`]: '' }), '<none>');
});
