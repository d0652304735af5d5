import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageOf, humanDuration } from '../../../src/doors/kubernetes/table/age.ts';
import type { Column } from '../../../src/doors/kubernetes/table/column.ts';
import { stepsOf } from '../../../src/doors/kubernetes/table/custom.ts';
import { EVENT } from '../../../src/doors/kubernetes/table/events.ts';
import { NODE } from '../../../src/doors/kubernetes/table/nodes.ts';
import { POD } from '../../../src/doors/kubernetes/table/pods.ts';
import type { Json, JsonObject } from '../../../src/evidence/json.ts';

const NOW_MS = Date.parse('2026-01-02T00:00:00Z');

function cells(columns: readonly Column[], object: JsonObject): Readonly<Record<string, Json>> {
  return Object.fromEntries(columns.map(({ name, cell }) => [name, cell(object, NOW_MS)]));
}

test('prints ages in readable units', () => {
  const told: readonly (readonly [number, string])[] = [
    [-5, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [190, '3m10s'],
    [599, '9m59s'],
    [600, '10m'],
    [179 * 60, '179m'],
    [180 * 60, '3h'],
    [200 * 60, '3h20m'],
    [8 * 3600, '8h'],
    [47 * 3600, '47h'],
    [48 * 3600, '2d'],
    [50 * 3600, '2d2h'],
    [8 * 86_400, '8d'],
    [729 * 86_400, '729d'],
    [730 * 86_400, '2y'],
    [800 * 86_400, '2y70d'],
    [8 * 365 * 86_400, '8y'],
  ];
  for (const [seconds, text] of told) assert.equal(humanDuration(seconds * 1000), text);
  assert.equal(ageOf(null, NOW_MS), '<unknown>');
  assert.equal(ageOf('never', NOW_MS), '<unknown>');
});

const STATE = { name: 'main', image: 'i', restartCount: 0, ready: false };

function podWith(status: JsonObject, more: JsonObject = {}): JsonObject {
  const spec = { containers: [{ name: 'main' }] };
  return { metadata: { name: 'p' }, spec, status: { phase: 'Pending', ...status }, ...more };
}

const CASES: readonly (readonly [string, JsonObject, string, string, string])[] = [
  ['nothing yet', podWith({}), '0/1', 'Pending', '0'],
  [
    'runs',
    podWith({
      phase: 'Running',
      containerStatuses: [{ ...STATE, ready: true, state: { running: {} } }],
    }),
    '1/1',
    'Running',
    '0',
  ],
  [
    'crashes again and again',
    podWith({
      phase: 'Running',
      containerStatuses: [
        {
          ...STATE,
          restartCount: 4,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T23:55:00Z' } },
        },
      ],
    }),
    '0/1',
    'CrashLoopBackOff',
    '4 (5m ago)',
  ],
  [
    'ended by a signal',
    podWith({
      phase: 'Failed',
      containerStatuses: [{ ...STATE, state: { terminated: { exitCode: 137, signal: 9 } } }],
    }),
    '0/1',
    'Signal:9',
    '0',
  ],
  [
    'ended with a code',
    podWith({
      phase: 'Failed',
      containerStatuses: [{ ...STATE, state: { terminated: { exitCode: 3 } } }],
    }),
    '0/1',
    'ExitCode:3',
    '0',
  ],
  ['is evicted', podWith({ phase: 'Failed', reason: 'Evicted' }), '0/1', 'Evicted', '0'],
  [
    'is being deleted',
    podWith({}, { metadata: { name: 'p', deletionTimestamp: '2026-01-02T00:00:00Z' } }),
    '0/1',
    'Terminating',
    '0',
  ],
  [
    'was on a node that is lost',
    podWith(
      { reason: 'NodeLost' },
      { metadata: { name: 'p', deletionTimestamp: '2026-01-02T00:00:00Z' } },
    ),
    '0/1',
    'Unknown',
    '0',
  ],
  [
    'waits for its gates',
    podWith({ conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] }),
    '0/1',
    'SchedulingGated',
    '0',
  ],
];

for (const [what, object, ready, status, restarts] of CASES) {
  test(`a pod that ${what}`, () => {
    const { Ready, Status, Restarts } = cells(POD, object);
    assert.deepEqual([Ready, Status, Restarts], [ready, status, restarts]);
  });
}

function initialising(states: readonly JsonObject[], policy?: string): JsonObject {
  const names = states.map((_, index) => `init-${index}`);
  const initContainers = names.map((name) => ({
    name,
    ...(policy === undefined ? {} : { restartPolicy: policy }),
  }));
  return {
    metadata: { name: 'p' },
    spec: { initContainers, containers: [{ name: 'main' }] },
    status: {
      phase: 'Pending',
      initContainerStatuses: states.map((state, index) => ({
        name: names[index] ?? '',
        restartCount: 1,
        ...state,
      })),
      containerStatuses: [{ ...STATE, state: { waiting: { reason: 'PodInitializing' } } }],
    },
  };
}

test('a pod whose init containers are under way tells how far they are', () => {
  const done = { state: { terminated: { exitCode: 0 } } };
  const status = (object: JsonObject): Json | undefined => cells(POD, object)['Status'];
  assert.equal(status(initialising([done, { state: { running: {} } }])), 'Init:1/2');
  const failed = { state: { terminated: { exitCode: 1, reason: 'Error' } } };
  assert.equal(status(initialising([done, failed])), 'Init:Error');
  const waits = { state: { waiting: { reason: 'ImagePullBackOff' } } };
  assert.equal(status(initialising([waits])), 'Init:ImagePullBackOff');
  assert.equal(status(initialising([done])), 'PodInitializing');
  const sidecar = { ready: true, started: true, state: { running: {} } };
  const told = cells(POD, initialising([sidecar], 'Always'));
  assert.deepEqual([told['Ready'], told['Status']], ['1/2', 'PodInitializing']);
});

test('a node tells its state, its roles and its addresses', () => {
  const condition = (status: string): JsonObject => ({ type: 'Ready', status });
  const object = (conditions: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
    metadata: {
      name: 'n',
      labels: { 'node-role.kubernetes.io/b': '', 'kubernetes.io/role': 'a', other: 'x' },
    },
    spec: more,
    status: { conditions, addresses: [{ type: 'ExternalIP', address: '1.2.3.4' }] },
  });
  const told = cells(NODE, object([condition('True')], { unschedulable: true }));
  assert.equal(told['Status'], 'Ready,SchedulingDisabled');
  assert.equal(told['Roles'], 'a,b');
  assert.deepEqual([told['Internal-IP'], told['External-IP']], ['<none>', '1.2.3.4']);
  assert.equal(cells(NODE, object([condition('Unknown')]))['Status'], 'NotReady');
  assert.equal(cells(NODE, object([]))['Status'], 'Unknown');
});

test('an event of a series counts by the series', () => {
  const event = {
    metadata: { name: 'e' },
    eventTime: '2026-01-01T23:00:00.000000Z',
    series: { count: 7, lastObservedTime: '2026-01-01T23:59:30.000000Z' },
    involvedObject: { kind: 'Node', name: 'n' },
    reportingComponent: 'kubelet',
    reportingInstance: 'n',
    reason: 'Ready',
    message: ' said \n',
    type: 'Normal',
  };
  const told = cells(EVENT, event);
  assert.deepEqual(
    ['Last Seen', 'First Seen', 'Count', 'Object', 'Source', 'Message'].map((name) => told[name]),
    ['30s', '60m', '7', 'node/n', 'kubelet, n', 'said'],
  );
});

test('paths of printer columns are followed or refused, never run', () => {
  assert.equal(stepsOf('.status.conditions[?(@.type=="Ready")].status')?.length, 4);
  assert.equal(stepsOf('.metadata.labels.a\\.b/c'), null);
  assert.equal(stepsOf(".metadata.labels['a.b/c']")?.length, 3);
  for (const path of ['..x', '.a[?(@.b>1)]', '{.a}', '.a['.repeat(500), '.a'.repeat(100)])
    assert.equal(stepsOf(path), null, path.slice(0, 40));
});
