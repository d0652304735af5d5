import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import { POD } from './pods.ts';
import { cell, cells, madeBefore } from './testing.ts';

const RUNNING = { ready: true, started: true, state: { running: { startedAt: 'x' } } };
const DONE = { state: { terminated: { exitCode: 0, reason: 'Completed' } } };

function waits(reason: string): JsonObject {
  return { state: { waiting: { reason } } };
}

function ended(exitCode: number, more: JsonObject = {}): JsonObject {
  return { state: { terminated: { exitCode, ...more } } };
}

function restarted(restartCount: number, finishedAt: string): JsonObject {
  return { restartCount, lastState: { terminated: { exitCode: 1, finishedAt } } };
}

function holds(type: string, status = 'True', more: JsonObject = {}): JsonObject {
  return { type, status, ...more };
}

interface Shape {
  /** States of the init containers by their names; `side-…` are sidecars. */
  readonly init?: Readonly<Record<string, JsonObject>>;
  readonly main?: readonly JsonObject[];
  readonly status?: JsonObject;
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
}

function pod({ init = {}, main = [], status = {}, metadata = {}, spec = {} }: Shape): JsonObject {
  const initContainers = Object.keys(init).map((name) => ({
    name,
    ...(name.startsWith('side') ? { restartPolicy: 'Always' } : {}),
  }));
  return {
    metadata: madeBefore(90, metadata),
    spec: { initContainers, containers: main.map((_, index) => ({ name: `c${index}` })), ...spec },
    status: {
      phase: 'Pending',
      initContainerStatuses: Object.entries(init).map(([name, state]) => ({ name, ...state })),
      containerStatuses: main.map((state, index) => ({ name: `c${index}`, ...state })),
      ...status,
    },
  };
}

function seen(shape: Shape): readonly Json[] {
  const { Ready = null, Status = null, Restarts = null } = cells(POD, pod(shape));
  return [Ready, Status, Restarts];
}

function statusOf(shape: Shape): Json {
  return cell(POD, 'Status', pod(shape));
}

describe('the status of a pod', () => {
  test('is its own reason, else its phase', () => {
    assert.equal(statusOf({ status: { phase: 'Failed', reason: 'Evicted' } }), 'Evicted');
    assert.equal(statusOf({ status: { phase: 'Running' } }), 'Running');
    assert.equal(statusOf({ status: { phase: '' } }), '');
  });

  test('is SchedulingGated only by the condition PodScheduled with that reason', () => {
    const gated = holds('PodScheduled', 'False', { reason: 'SchedulingGated' });
    assert.equal(statusOf({ status: { conditions: [gated] } }), 'SchedulingGated');
    const late = holds('PodScheduled', 'False', { reason: 'Unschedulable' });
    assert.equal(statusOf({ status: { conditions: [late] } }), 'Pending');
    const other = holds('Other', 'False', { reason: 'SchedulingGated' });
    assert.equal(statusOf({ status: { conditions: [late, other] } }), 'Pending');
    assert.equal(statusOf({ status: { conditions: [late, gated] } }), 'SchedulingGated');
  });

  test('is why its container waits or has ended, of several that of the first', () => {
    const phase = { phase: 'Running' };
    const waiting = waits('CrashLoopBackOff');
    assert.equal(statusOf({ status: phase, main: [waiting] }), 'CrashLoopBackOff');
    assert.equal(statusOf({ status: phase, main: [waiting, ended(3)] }), 'CrashLoopBackOff');
    assert.equal(statusOf({ status: phase, main: [ended(3), waiting] }), 'ExitCode:3');
    assert.equal(statusOf({ status: phase, main: [RUNNING, waiting] }), 'CrashLoopBackOff');
    assert.equal(statusOf({ status: phase, main: [RUNNING] }), 'Running');
  });

  test('of an ended container is its reason, else its signal, else its code', () => {
    const cases: readonly (readonly [JsonObject, string])[] = [
      [ended(137, { reason: 'OOMKilled', signal: 9 }), 'OOMKilled'],
      [ended(137, { signal: 9 }), 'Signal:9'],
      [ended(137, { signal: 0, reason: '' }), 'ExitCode:137'],
      [ended(0), 'ExitCode:0'],
    ];
    for (const [state, text] of cases) assert.equal(statusOf({ main: [state] }), text);
  });

  test('of a completed container beside a running one follows the condition Ready', () => {
    const main = [DONE, RUNNING];
    const ready = { conditions: [holds('Initialized', 'False'), holds('Ready')] };
    assert.equal(statusOf({ main, status: ready }), 'Running');
    const not = { conditions: [holds('Ready', 'False'), holds('Initialized')] };
    assert.equal(statusOf({ main, status: not }), 'NotReady');
    assert.equal(statusOf({ main: [DONE], status: ready }), 'Completed');
    const unready = { ...RUNNING, ready: false };
    assert.equal(statusOf({ main: [DONE, unready], status: ready }), 'Completed');
    assert.equal(statusOf({ main: [DONE, { ready: true }], status: ready }), 'Completed');
    assert.equal(statusOf({ main: [ended(3), RUNNING], status: ready }), 'ExitCode:3');
  });

  test('under deletion is Terminating, unless it has ended or its node is lost', () => {
    const metadata = { deletionTimestamp: '2026-01-02T00:00:00Z' };
    const main = [waits('CrashLoopBackOff')];
    assert.equal(statusOf({ metadata, main }), 'Terminating');
    for (const phase of ['Succeeded', 'Failed'])
      assert.equal(statusOf({ metadata, main: [DONE], status: { phase } }), 'Completed');
    const lost = { reason: 'NodeLost', phase: 'Failed' };
    assert.equal(statusOf({ metadata, status: lost }), 'Unknown');
    assert.equal(statusOf({ status: lost }), 'NodeLost');
    assert.equal(statusOf({ metadata, status: { phase: null } }), 'Terminating');
  });
});

describe('the status of a pod that initializes', () => {
  const main = [waits('PodInitializing')];

  test('says how many init containers are done', () => {
    assert.equal(statusOf({ main, init: { a: waits('PodInitializing'), b: {} } }), 'Init:0/2');
    assert.equal(statusOf({ main, init: { a: DONE, b: RUNNING, c: {} } }), 'Init:1/3');
    assert.equal(statusOf({ main, init: { a: DONE, b: DONE, c: {} } }), 'Init:2/3');
    assert.equal(statusOf({ main, init: { a: DONE, b: DONE } }), 'PodInitializing');
  });

  test('says why an init container waits or failed', () => {
    assert.equal(statusOf({ main, init: { a: waits('ErrImagePull') } }), 'Init:ErrImagePull');
    assert.equal(statusOf({ main, init: { a: ended(2, { reason: 'Error' }) } }), 'Init:Error');
    assert.equal(statusOf({ main, init: { a: ended(2, { signal: 6 }) } }), 'Init:Signal:6');
    assert.equal(statusOf({ main, init: { a: DONE, b: ended(2) } }), 'Init:ExitCode:2');
    const first = { a: ended(2), b: waits('ErrImagePull') };
    assert.equal(statusOf({ main, init: first }), 'Init:ExitCode:2');
  });

  test('passes a sidecar as soon as it has started, and no other container', () => {
    assert.equal(statusOf({ main, init: { 'side-a': RUNNING } }), 'PodInitializing');
    const unstarted = { ...RUNNING, started: false };
    assert.equal(statusOf({ main, init: { 'side-a': unstarted, b: {} } }), 'Init:0/2');
    assert.equal(statusOf({ main, init: { a: RUNNING } }), 'Init:0/1');
    assert.equal(statusOf({ main, init: { a: RUNNING, 'side-b': RUNNING } }), 'Init:0/2');
    assert.equal(statusOf({ main, init: { 'side-a': RUNNING, b: RUNNING } }), 'Init:1/2');
  });

  test('is that of its containers once it counts as initialized', () => {
    const initialized = { conditions: [holds('Initialized')] };
    const init = { a: ended(2, { reason: 'Error' }) };
    const crash = [waits('CrashLoopBackOff')];
    assert.equal(statusOf({ init, main: crash, status: initialized }), 'CrashLoopBackOff');
    assert.equal(statusOf({ init, main: [RUNNING], status: initialized }), 'Init:Error');
    const not = { conditions: [holds('Initialized', 'False'), holds('Ready')] };
    assert.equal(statusOf({ init, main: crash, status: not }), 'Init:Error');
  });
});

describe('ready containers and restarts of a pod', () => {
  test('a container is ready when it says so and runs', () => {
    const main = [RUNNING, { ...RUNNING, ready: false }, { ready: true }];
    assert.deepEqual(seen({ main, status: { phase: 'Running' } }), ['1/3', 'Running', '0']);
  });

  test('restarts of all containers are counted, with the latest one', () => {
    const early = { ...RUNNING, ...restarted(2, '2026-01-01T22:00:00Z') };
    const late = { ...RUNNING, ...restarted(3, '2026-01-01T23:55:00Z') };
    const phase = { phase: 'Running' };
    for (const main of [
      [early, late, RUNNING],
      [late, early],
    ])
      assert.equal(cell(POD, 'Restarts', pod({ main, status: phase })), '5 (5m ago)');
    const unknown = { ...RUNNING, restartCount: 2 };
    assert.equal(cell(POD, 'Restarts', pod({ main: [unknown] })), '2');
    const never = { ...late, restartCount: 0 };
    assert.equal(cell(POD, 'Restarts', pod({ main: [never] })), '0');
  });

  test('a pod that initializes counts the init containers up to the present one', () => {
    const init = {
      a: { ...DONE, ...restarted(1, '2026-01-01T23:58:00Z') },
      b: { ...waits('CrashLoopBackOff'), ...restarted(4, '2026-01-01T23:50:00Z') },
      c: restarted(16, '2026-01-01T23:59:00Z'),
    };
    const main = [{ ...waits('PodInitializing'), restartCount: 32 }];
    assert.deepEqual(seen({ init, main }), ['0/1', 'Init:CrashLoopBackOff', '5 (2m ago)']);
  });

  test('an initialized pod counts its sidecars and not what ran before', () => {
    const init = {
      a: { ...DONE, ...restarted(1, '2026-01-01T23:59:00Z') },
      'side-b': { ...RUNNING, ...restarted(2, '2026-01-01T23:58:00Z') },
    };
    const main = [{ ...RUNNING, ...restarted(4, '2026-01-01T23:50:00Z') }];
    const running = { phase: 'Running' };
    assert.deepEqual(seen({ init, main, status: running }), ['2/2', 'Running', '6 (2m ago)']);
    const late = [{ ...RUNNING, ...restarted(4, '2026-01-01T23:59:00Z') }];
    assert.deepEqual(seen({ init, main: late, status: running }), [
      '2/2',
      'Running',
      '6 (60s ago)',
    ]);
  });

  test('a sidecar is ready when it says so, has started and its turn has come', () => {
    const ready = (init: Readonly<Record<string, JsonObject>>): Json =>
      cell(POD, 'Ready', pod({ init, main: [RUNNING], status: { phase: 'Running' } }));
    assert.equal(ready({ 'side-a': RUNNING }), '2/2');
    assert.equal(ready({ 'side-a': { ...RUNNING, ready: false } }), '1/2');
    assert.equal(ready({ 'side-a': { ...RUNNING, started: false } }), '0/2');
    assert.equal(ready({ a: RUNNING, 'side-b': RUNNING }), '0/2');
    assert.equal(ready({ a: DONE, 'side-b': RUNNING }), '2/2');
    assert.equal(ready({ a: { ...DONE, ready: true, started: true } }), '1/1');
  });
});

test('the wide columns say where a pod is, and what is missing there', () => {
  const wide = (shape: Shape): Readonly<Record<string, Json>> => {
    const { Name: _name, Ready: _ready, Restarts: _restarts, ...rest } = cells(POD, pod(shape));
    return rest;
  };
  assert.deepEqual(wide({}), {
    Status: 'Pending',
    Age: '90s',
    IP: '<none>',
    Node: '<none>',
    'Nominated Node': '<none>',
    'Readiness Gates': '<none>',
  });
  const placed = {
    phase: 'Running',
    podIP: '10.0.0.8',
    podIPs: [{ ip: '10.0.0.9' }, { ip: 'fd00::9' }],
    nominatedNodeName: 'node-b',
    conditions: [holds('open'), holds('shut', 'False')],
  };
  const readinessGates = ['open', 'shut', 'missing'].map((conditionType) => ({ conditionType }));
  assert.deepEqual(wide({ status: placed, spec: { nodeName: 'node-a', readinessGates } }), {
    Status: 'Running',
    Age: '90s',
    IP: '10.0.0.9',
    Node: 'node-a',
    'Nominated Node': 'node-b',
    'Readiness Gates': '1/3',
  });
  assert.equal(cell(POD, 'IP', pod({ status: { podIP: '10.0.0.8' } })), '10.0.0.8');
  assert.equal(cell(POD, 'IP', pod({ status: { podIP: '' } })), '<none>');
});
