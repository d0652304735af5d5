import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import type { Pod } from '../../evidence/kube/pod.ts';
import {
  complaintOf,
  environmentOf,
  isCrashing,
  isOfAnyDaemonSet,
  isOfDaemonSet,
  isOnNode,
  isPodReady,
  isSettled,
  podCondition,
  podName,
  readyChangedMs,
  runningSinceMs,
  serviceAccountOf,
  tokenAudience,
  waitingReason,
  waitsForSandbox,
} from './pods.ts';
import { ago, NOW_MS, podOf, readyIs, waitingPod } from '../../evidence/testing.ts';

function withStatus(status: Readonly<Record<string, Json>>): Pod {
  return podOf({ status });
}

function crashing(entry: Json, ready = 'False'): boolean {
  return isCrashing(withStatus({ conditions: [readyIs(ready)], containerStatuses: [entry] }));
}

test('a pod is on its Node until it has ended', () => {
  assert.equal(isOnNode(podOf(), 'node00'), true);
  assert.equal(isOnNode(podOf(), 'node01'), false);
  assert.equal(isOnNode(withStatus({ phase: 'Succeeded' }), 'node00'), false);
  assert.equal(isOnNode(withStatus({ phase: 'Failed' }), 'node00'), false);
});

describe('conditions of a pod', () => {
  test('only Ready=True is ready', () => {
    assert.equal(isPodReady(podOf()), true);
    assert.equal(isPodReady(withStatus({ conditions: [readyIs('False')] })), false);
    const other = { type: 'Initialized', status: 'True' };
    assert.equal(isPodReady(withStatus({ conditions: [other] })), false);
    assert.equal(isPodReady(withStatus({})), false);
  });

  test('reports the time of its last change, or that it is unknown', () => {
    assert.equal(readyChangedMs(podOf()), NOW_MS - 60_000);
    assert.equal(readyChangedMs(withStatus({})), null);
  });

  test('a field is that of the condition asked for', () => {
    const pod = withStatus({ conditions: [{ type: 'A', message: 'one' }, readyIs('True')] });
    assert.equal(podCondition(pod, 'A', 'message'), 'one');
    assert.equal(podCondition(pod, 'Ready', 'message'), null);
    assert.equal(podCondition(pod, 'B', 'message'), null);
  });
});

test('a pod without namespace and service account has the default ones', () => {
  assert.equal(podName(podOf()), 'shop/web-x7k2p');
  assert.equal(podName(podOf({}, { namespace: null })), 'default/web-x7k2p');
  assert.equal(serviceAccountOf(podOf()), 'default');
  assert.equal(serviceAccountOf(podOf({ spec: { serviceAccountName: 'web' } })), 'web');
});

test('a variable is that of the first container which has it, init containers first', () => {
  const variable = (value?: string): Json => ({
    env: [
      { name: 'AWS_ROLE_ARN', value: 'no' },
      value === undefined ? { name: 'AWS_REGION' } : { name: 'AWS_REGION', value },
    ],
  });
  const pod = (spec: Readonly<Record<string, Json>>): Pod => podOf({ spec });
  const both = pod({ initContainers: [variable('init')], containers: [variable('main')] });
  assert.equal(environmentOf(both, 'AWS_REGION'), 'init');
  assert.equal(
    environmentOf(pod({ containers: [{}, variable('second')] }), 'AWS_REGION'),
    'second',
  );
  assert.equal(environmentOf(pod({ containers: [variable()] }), 'AWS_REGION'), '');
  assert.equal(environmentOf(pod({ containers: [variable('main')] }), 'MAX_ENI'), null);
});

test('a pod is of the DaemonSet that owns it', () => {
  const owned = (kind: string, name: string): Pod =>
    podOf({
      metadata: {
        ownerReferences: [
          { kind: 'Other', name: 'x' },
          { kind, name },
        ],
      },
    });
  assert.equal(isOfDaemonSet(owned('DaemonSet', 'aws-node'), 'aws-node'), true);
  assert.equal(isOfDaemonSet(owned('DaemonSet', 'kube-proxy'), 'aws-node'), false);
  assert.equal(isOfDaemonSet(owned('ReplicaSet', 'aws-node'), 'aws-node'), false);
  assert.equal(isOfAnyDaemonSet(owned('DaemonSet', 'kube-proxy')), true);
  assert.equal(isOfAnyDaemonSet(owned('ReplicaSet', 'kube-proxy')), false);
});

describe('what a container waits for or says', () => {
  const waits = (reason: string): Json => ({ state: { waiting: { reason } } });

  test('the first that waits tells why, init containers first', () => {
    const running = { state: { running: {} } };
    const second = withStatus({ containerStatuses: [running, waits('ErrImagePull')] });
    assert.equal(waitingReason(second), 'ErrImagePull');
    const init = { initContainerStatuses: [waits('A')], containerStatuses: [waits('B')] };
    assert.equal(waitingReason(withStatus(init)), 'A');
    assert.equal(waitingReason(withStatus({ containerStatuses: [running] })), null);
  });

  test('its last words are those of the run before, of this one, or of the wait', () => {
    const said = (entry: Json): string =>
      complaintOf(withStatus({ containerStatuses: [{}, entry] }));
    const all = {
      lastState: { terminated: { message: 'before' } },
      state: { terminated: { message: 'now' }, waiting: { message: 'wait' } },
    };
    assert.equal(said(all), 'before');
    assert.equal(said({ state: all.state }), 'now');
    assert.equal(said({ state: { waiting: { message: 'wait' } } }), 'wait');
    assert.equal(said({}), '');
  });
});

test('a container that ends again and again crashes, unless its pod is Ready', () => {
  const loops = { state: { waiting: { reason: 'CrashLoopBackOff' } } };
  assert.equal(crashing(loops), true);
  assert.equal(crashing(loops, 'True'), false);
  assert.equal(crashing({ restartCount: 3 }), true);
  assert.equal(crashing({ restartCount: 2 }), false);
  assert.equal(crashing({ state: { terminated: {} } }), true);
  assert.equal(crashing({ state: { waiting: { reason: 'ContainerCreating' } } }), false);
});

test('a pod runs since its first container that runs', () => {
  const running = (seconds: number): Json => ({ state: { running: { startedAt: ago(seconds) } } });
  const statuses = [{ state: { waiting: {} } }, running(30), running(90)];
  assert.equal(runningSinceMs(withStatus({ containerStatuses: statuses })), NOW_MS - 30_000);
  assert.equal(runningSinceMs(withStatus({ containerStatuses: [{}] })), null);
});

describe('a pod that waits for its sandbox', () => {
  const status = {
    phase: 'Pending',
    startTime: ago(300),
    conditions: [readyIs('False')],
    containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
  };
  const waits = (more: Readonly<Record<string, Json>>): boolean =>
    waitsForSandbox(podOf({ status: { ...status, ...more } }));

  test('has no address and nothing started', () => {
    assert.equal(waits({}), true);
    const init = [{ state: { waiting: { reason: 'PodInitializing' } } }];
    assert.equal(waits({ containerStatuses: init }), true);
    assert.equal(waits({ podIP: '10.0.0.1' }), false);
    const started = { type: 'PodReadyToStartContainers', status: 'True' };
    assert.equal(waits({ conditions: [started] }), false);
    assert.equal(waits({ conditions: [{ ...started, status: 'False' }] }), true);
    assert.equal(waits({ containerStatuses: [{ state: { running: {} } }] }), false);
    const pulls = [{ state: { waiting: { reason: 'ErrImagePull' } } }];
    assert.equal(waits({ containerStatuses: pulls }), false);
  });

  test('is not on the network of its Node, nor being deleted', () => {
    const host = podOf({ status, spec: { hostNetwork: true } });
    assert.equal(waitsForSandbox(host), false);
    const deleted = { deletionTimestamp: ago(1) };
    assert.equal(waitsForSandbox(podOf({ status, metadata: deleted })), false);
  });
});

test('a pod is settled after more than two minutes on its Node', () => {
  const settled = (seconds: number): boolean => isSettled(waitingPod(seconds), NOW_MS);
  assert.deepEqual([119, 120, 121].map(settled), [false, false, true]);
  assert.equal(isSettled(withStatus({}), NOW_MS), false);
});

test('a token is for STS unless a volume says for whom', () => {
  const sources = [{ secret: {} }, { serviceAccountToken: { audience: 'pods.eks.amazonaws.com' } }];
  const volumes = [{ emptyDir: {} }, { projected: { sources } }];
  assert.equal(tokenAudience(podOf({ spec: { volumes } })), 'pods.eks.amazonaws.com');
  assert.equal(tokenAudience(podOf()), 'sts.amazonaws.com');
});
