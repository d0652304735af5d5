import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import type { Json } from '../../src/evidence/json.ts';

const NODE = 'ip-10-0-0-1.eu-west-1.compute.internal';
const FAILED = 'Failed to create pod sandbox: rpc error: code = DeadlineExceeded';

/** An event of a pod as `kubectl get events -o json` gives it: the list is in order of names. */
function event(name: string, reason: string, message: string, at: string): Json {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${reason}.${at}`, namespace: 'shop' },
    involvedObject: { kind: 'Pod', namespace: 'shop', name },
    source: { component: 'kubelet', host: NODE },
    type: reason === 'Started' ? 'Normal' : 'Warning',
    reason,
    message,
    lastTimestamp: `2026-03-02T09:${at}Z`,
  };
}

function started(name: string, at: string): Json {
  return event(name, 'Started', 'Started container web', at);
}

function failed(name: string, at: string): Json {
  return event(name, 'FailedCreatePodSandBox', FAILED, at);
}

function pod(name: string, ready: 'True' | 'False', runningSince: string | null): Json {
  const state = runningSince === null ? {} : { running: { startedAt: runningSince } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop' },
    spec: { nodeName: NODE, containers: [{ name: 'web' }] },
    status: {
      phase: 'Running',
      podIP: '10.0.0.77',
      conditions: [{ type: 'Ready', status: ready }],
      containerStatuses: [{ name: 'web', state, restartCount: 0 }],
    },
  };
}

/** Whether the machine is seen to fail at the stage of the pod network. */
async function fails(...items: readonly Json[]): Promise<boolean> {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { subjects } = await diagnoseTexts([{ name: 'objects.json', text }]);
  const machine = subjects.find(({ node, name }) => node === NODE || name === NODE);
  assert.ok(machine !== undefined, 'the Node is a subject');
  return machine.ladder.some(({ stage, state }) => stage === 'networked' && state === 'failed');
}

describe('events of pods that are over', () => {
  test('the latest event counts, not the one that is listed last', async () => {
    const all = [failed('a', '01:00'), started('b', '01:30'), started('c', '00:30')];
    assert.equal(await fails(...all), false);
    const stillFailing = [failed('a', '02:00'), failed('d', '00:10'), started('b', '01:30')];
    assert.equal(await fails(...stillFailing), true);
  });

  test('a pod that is Ready by now has its sandbox', async () => {
    const since = '2026-03-02T09:00:50Z';
    assert.equal(await fails(failed('a', '01:00'), pod('a', 'True', since)), false);
    assert.equal(await fails(failed('a', '01:00'), pod('a', 'False', null)), true);
  });

  test('a pod that began to run later shows that the network works again', async () => {
    const later = pod('b', 'True', '2026-03-02T09:05:00Z');
    const earlier = pod('b', 'True', '2026-03-02T08:05:00Z');
    assert.equal(await fails(failed('a', '01:00'), later), false);
    assert.equal(await fails(failed('a', '01:00'), earlier), true);
  });

  test('programs of the control plane start without a pod network', async () => {
    const notReady = 'network is not ready: cni plugin not initialized';
    const events = ['a', 'b', 'c'].map((name) => event(name, 'NetworkNotReady', notReady, '01:00'));
    assert.equal(await fails(...events, started('web-1', '02:00')), false);
    for (const name of ['kube-apiserver-x', 'etcd-x', 'aws-cloud-controller-manager-x'])
      assert.equal(await fails(...events, started(name, '02:00')), true);
  });
});
