import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import { cell, cells, madeBefore } from './testing.ts';
import {
  AUTOSCALER,
  CONTROLLER_REVISION,
  CRON_JOB,
  DAEMON_SET,
  DEPLOYMENT,
  DISRUPTION_BUDGET,
  JOB,
  POD_TEMPLATE,
  PRIORITY_CLASS,
  REPLICA_SET,
  REPLICATION_CONTROLLER,
  STATEFUL_SET,
} from './workloads.ts';

const metadata = madeBefore(3600 * 5);
const containers = [
  { name: 'app', image: 'shop/app:1' },
  { name: 'log', image: 'shop/log:2' },
];
const template = { spec: { containers } };
const selector = { matchLabels: { tier: 'web', app: 'shop' } };
const SHOWN = { Containers: 'app,log', Images: 'shop/app:1,shop/log:2' };
const SELECTED = { Selector: 'app=shop,tier=web' };
const NAMED = { Name: 'one', Age: '5h' };

describe('sets of pods show their counts, containers, images and selector', () => {
  test('of a DaemonSet', () => {
    const spec = { selector, template: { spec: { containers, nodeSelector: { gpu: 'yes' } } } };
    const status = {
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      numberReady: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
    };
    assert.deepEqual(cells(DAEMON_SET, { metadata, spec, status }), {
      ...NAMED,
      Desired: 5,
      Current: 4,
      Ready: 3,
      'Up-to-date': 2,
      Available: 1,
      'Node Selector': 'gpu=yes',
      ...SHOWN,
      ...SELECTED,
    });
    assert.equal(cell(DAEMON_SET, 'Node Selector', { metadata }), '<none>');
  });

  test('of a Deployment', () => {
    const status = { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 };
    const spec = { replicas: 4, selector, template };
    assert.deepEqual(cells(DEPLOYMENT, { metadata, spec, status }), {
      ...NAMED,
      Ready: '2/4',
      'Up-to-date': 3,
      Available: 1,
      ...SHOWN,
      ...SELECTED,
    });
    assert.equal(cell(DEPLOYMENT, 'Ready', { spec: { replicas: '4' } }), '0/0');
  });

  test('of a ReplicaSet', () => {
    const status = { replicas: 3, readyReplicas: 2 };
    const spec = { replicas: 4, selector, template };
    const counts = { Desired: 4, Current: 3, Ready: 2 };
    const shown = { ...NAMED, ...counts, ...SHOWN, ...SELECTED };
    assert.deepEqual(cells(REPLICA_SET, { metadata, spec, status }), shown);
  });

  test('of a ReplicationController, whose selector is of labels alone', () => {
    const status = { replicas: 3, readyReplicas: 2 };
    const spec = { replicas: 4, selector: selector.matchLabels, template };
    const counts = { Desired: 4, Current: 3, Ready: 2 };
    const shown = { ...NAMED, ...counts, ...SHOWN, ...SELECTED };
    assert.deepEqual(cells(REPLICATION_CONTROLLER, { metadata, spec, status }), shown);
  });

  test('of a StatefulSet', () => {
    const spec = { replicas: 3, template };
    const shown = { ...NAMED, Ready: '1/3', ...SHOWN };
    assert.deepEqual(cells(STATEFUL_SET, { metadata, spec, status: { readyReplicas: 1 } }), shown);
  });

  test('of a PodTemplate', () => {
    const object = { metadata, template: { ...template, metadata: { labels: { a: 'b' } } } };
    assert.deepEqual(cells(POD_TEMPLATE, object), { Name: 'one', ...SHOWN, 'Pod Labels': 'a=b' });
  });
});

test('a ControllerRevision names the controller that owns it', () => {
  const controllerOf = (...ownerReferences: readonly JsonObject[]): Json =>
    cell(CONTROLLER_REVISION, 'Controller', { metadata: { ...metadata, ownerReferences } });
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'proxy', controller: true };
  const other = { ...owner, name: 'other', controller: false };
  assert.equal(controllerOf(other, owner), 'daemonset.apps/proxy');
  assert.equal(controllerOf(other), '<none>');
  assert.equal(controllerOf({ ...owner, apiVersion: 'v1', kind: 'Pod' }), 'pod/proxy');
  assert.deepEqual(cells(CONTROLLER_REVISION, { metadata, revision: 7 }), {
    ...NAMED,
    Controller: '<none>',
    Revision: '7',
  });
});

describe('a Job', () => {
  const status = (...types: readonly string[]): JsonObject => ({
    conditions: types.map((type) => ({ type, status: 'True' })),
  });

  test('is what its conditions make it, the final ones first', () => {
    const order = ['Complete', 'Failed', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'];
    for (const [index, type] of order.entries())
      assert.equal(
        cell(JOB, 'Status', { status: status(...order.slice(index).toReversed()) }),
        type,
      );
    assert.equal(cell(JOB, 'Status', {}), 'Running');
    const not = { conditions: [{ type: 'Complete', status: 'False' }] };
    assert.equal(cell(JOB, 'Status', { status: not }), 'Running');
  });

  test('under deletion is Terminating until it has ended', () => {
    const leaving = { metadata: { deletionTimestamp: 'x' } };
    assert.equal(cell(JOB, 'Status', { ...leaving, status: status('Suspended') }), 'Terminating');
    assert.equal(cell(JOB, 'Status', { ...leaving, status: status('Failed') }), 'Failed');
  });

  test('counts completions against what it wants, or against its parallelism', () => {
    const completions = (spec: JsonObject): Json =>
      cell(JOB, 'Completions', { spec, status: { succeeded: 2 } });
    assert.equal(completions({ completions: 5, parallelism: 3 }), '2/5');
    assert.equal(completions({ parallelism: 3 }), '2/1 of 3');
    assert.equal(completions({ parallelism: 1 }), '2/1');
    assert.equal(completions({}), '2/1');
  });

  test('lasts from its start to its end, or until now', () => {
    const duration = (times: JsonObject): Json => cell(JOB, 'Duration', { status: times });
    const startTime = '2026-01-01T23:00:00Z';
    assert.equal(duration({}), '');
    assert.equal(duration({ startTime }), '60m');
    assert.equal(duration({ startTime, completionTime: '2026-01-01T23:02:05Z' }), '2m5s');
  });

  test('shows its containers, images and selector', () => {
    const { Status: _status, ...shown } = cells(JOB, { metadata, spec: { selector, template } });
    const counts = { Completions: '0/1', Duration: '' };
    assert.deepEqual(shown, { ...NAMED, ...counts, ...SHOWN, ...SELECTED });
  });
});

test('a CronJob shows its schedule, what runs and when it last ran', () => {
  const spec = {
    schedule: '*/5 * * * *',
    timeZone: 'Etc/UTC',
    suspend: true,
    jobTemplate: { spec: { selector, template } },
  };
  const status = { active: [{}, {}], lastScheduleTime: '2026-01-01T23:57:00Z' };
  assert.deepEqual(cells(CRON_JOB, { metadata, spec, status }), {
    ...NAMED,
    Schedule: '*/5 * * * *',
    Timezone: 'Etc/UTC',
    Suspend: 'True',
    Active: 2,
    'Last Schedule': '3m',
    ...SHOWN,
    ...SELECTED,
  });
  const { Timezone, Suspend, 'Last Schedule': last } = cells(CRON_JOB, { metadata, spec: {} });
  assert.deepEqual([Timezone, Suspend, last], ['<none>', 'False', '<none>']);
});

test('a PodDisruptionBudget shows its limits as numbers or shares', () => {
  const spec = { minAvailable: '50%', maxUnavailable: 1 };
  const shown = { ...NAMED, 'Min Available': '50%', 'Max Unavailable': '1' };
  assert.deepEqual(
    cells(DISRUPTION_BUDGET, { metadata, spec, status: { disruptionsAllowed: 2 } }),
    {
      ...shown,
      'Allowed Disruptions': 2,
    },
  );
  const { 'Min Available': min, 'Max Unavailable': max } = cells(DISRUPTION_BUDGET, { metadata });
  assert.deepEqual([min, max], ['N/A', 'N/A']);
});

test('a PriorityClass preempts unless it says otherwise', () => {
  const object = { metadata, value: 1000, globalDefault: true };
  assert.deepEqual(cells(PRIORITY_CLASS, object), {
    ...NAMED,
    Value: 1000,
    'Global-Default': true,
    PreemptionPolicy: 'PreemptLowerPriority',
  });
  const never = { ...object, preemptionPolicy: 'Never' };
  assert.equal(cell(PRIORITY_CLASS, 'PreemptionPolicy', never), 'Never');
});

test('a HorizontalPodAutoscaler shows what it scales, its metric and its bounds', () => {
  const scaleTargetRef = { kind: 'Deployment', name: 'shop' };
  const resource = { name: 'cpu', target: { averageUtilization: 80 } };
  const spec = { scaleTargetRef, minReplicas: 2, maxReplicas: 9, metrics: [{ resource }] };
  assert.deepEqual(cells(AUTOSCALER, { metadata, spec, status: { currentReplicas: 3 } }), {
    ...NAMED,
    Reference: 'Deployment/shop',
    Targets: 'cpu: <unknown>/80%',
    MinPods: '2',
    MaxPods: 9,
    Replicas: 3,
  });
  const targets = (...metrics: readonly JsonObject[]): Json =>
    cell(AUTOSCALER, 'Targets', { spec: { metrics } });
  assert.equal(targets(), '<none>');
  assert.equal(targets({ type: 'Pods' }, { resource }), 'pods: <unknown>');
  assert.equal(cell(AUTOSCALER, 'MinPods', {}), '<unset>');
});
