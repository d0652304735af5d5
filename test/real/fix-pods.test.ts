/** `rollcall fix pods` on a real API server with scheduler and controllers: budgets and replacements. */
import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fixPods } from '../../src/controllers/fix/pods/fix-pods.ts';
import { type PodTarget, podsNamedIn } from '../../src/controllers/fix/pods/target.ts';
import type { FixStep } from '../../src/controllers/fix/fix.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { findingOf } from '../../src/diagnosis/testing.ts';
import { at, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { fixToolsAt, type OpenedTools } from './fix-tools.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE, 'kube-scheduler', 'kube-controller-manager');
const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const LOOK_MS = 200;

let plane: ControlPlane;
let opened: OpenedTools;

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane({ controllers: true, scheduler: true });
  opened = await fixToolsAt(plane);
  const { client } = plane;
  await until('the account of Pods', async () =>
    client.find('/api/v1/namespaces/default/serviceaccounts/default'),
  );
  await client.create('/api/v1/nodes', { metadata: { name: 'n1' } });
  const room = { cpu: '4', memory: '4Gi', pods: '20' };
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: now() };
  const status = { capacity: room, allocatable: room, conditions: [ready] };
  await client.patch('/api/v1/nodes/n1/status', { status });
});
after(async () => {
  if (skip !== false) return;
  await opened.close();
  await plane.stop();
});

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

async function pods(): Promise<readonly JsonObject[]> {
  return (await plane.client.list(PODS)) as unknown as readonly JsonObject[];
}

/** What the kubelet does: bound Pods run, and those that leave are gone. */
async function serve(pod: JsonObject): Promise<void> {
  const path = `${PODS}/${textAt(pod, 'metadata.name') ?? ''}`;
  if (at(pod, 'metadata.deletionTimestamp') !== undefined) {
    await plane.client.remove(`${path}?gracePeriodSeconds=0`);
    return;
  }
  if (textAt(pod, 'spec.nodeName') === null || textAt(pod, 'status.phase') === 'Running') return;
  const container = { name: 'c', image: 'c', imageID: 'c', ready: true, restartCount: 0 };
  const containerStatuses = [{ ...container, state: { running: { startedAt: now() } } }];
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: now() };
  const conditions = [...listAt(pod, 'status.conditions'), ready];
  await plane.client.patch(`${path}/status`, {
    status: { phase: 'Running', conditions, containerStatuses },
  });
}

async function serveAll(): Promise<void> {
  for (const pod of await pods()) await serve(pod).catch(() => undefined);
}

/** Its last look ends before the server that it asks. */
function startKubelet(t: TestContext): void {
  const over = new AbortController();
  const looks = (async (): Promise<void> => {
    while (!over.signal.aborted) {
      await serveAll();
      await sleep(LOOK_MS);
    }
  })();
  t.after(async () => {
    over.abort();
    await looks;
  });
}

async function runningPods(): Promise<readonly JsonObject[]> {
  return await until('two Pods to run', async () => {
    const running = (await pods()).filter((pod) => textAt(pod, 'status.phase') === 'Running');
    return running.length === 2 ? running : null;
  });
}

function namedIn(all: readonly JsonObject[]): readonly PodTarget[] {
  const repairs = all.map((pod) => ({
    kind: 'replace-pod' as const,
    namespace: 'default',
    name: textAt(pod, 'metadata.name') ?? '',
    uid: textAt(pod, 'metadata.uid') ?? '',
    by: 'new-pod' as const,
    since: null,
    says: 'it works with the role of its node',
  }));
  const finding = findingOf('irsa-webhook-did-not-mutate', 'credentialed', { repairs });
  const subject = { findings: [finding] };
  return podsNamedIn({ subjects: [subject] } as unknown as DiagnosisDocument);
}

async function fixed(targets: readonly PodTarget[], isDryRun = false): Promise<readonly FixStep[]> {
  const order = { id: 'pods-1', isDryRun, targets, most: 20, waitMs: 30_000 };
  return await fixPods(order, opened.tools(isDryRun));
}

describe('Pods that a finding names', { skip, timeout: 180_000 }, () => {
  test('stay while a budget forbids it, and are replaced one by one then', async (t) => {
    startKubelet(t);
    const labels = { app: 'cart' };
    const spec = { containers: [{ name: 'c', image: 'example.org/c' }] };
    await plane.client.create('/apis/apps/v1/namespaces/default/replicasets', {
      metadata: { name: 'cart' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
      },
    });
    const first = await runningPods();
    const targets = namedIn(first);
    await plane.client.create(BUDGETS, {
      metadata: { name: 'cart' },
      spec: { minAvailable: 2, selector: { matchLabels: labels } },
    });
    await until('the budget to be counted', async () => {
      const budget = (await plane.client.find(`${BUDGETS}/cart`)) as unknown as JsonObject;
      return textAt(budget, 'status.currentHealthy') === '2' || null;
    });
    const outcomes = (steps: readonly FixStep[]) => steps.map(({ outcome }) => outcome);
    assert.deepEqual(outcomes(await fixed(targets)), [
      'forbidden-by-budget',
      'forbidden-by-budget',
    ]);
    assert.equal((await runningPods()).length, 2);

    await plane.client.remove(`${BUDGETS}/cart`);
    assert.deepEqual(outcomes(await fixed(targets, true)), ['would-write', 'would-write']);
    const steps = await fixed(targets);
    assert.deepEqual(outcomes(steps), ['written', 'written'], JSON.stringify(steps, null, 1));
    for (const { diff } of steps) assert.match(diff.at(-1) ?? '', /^\+ .* on n1, ready$/);
    const left = new Set((await runningPods()).map((pod) => textAt(pod, 'metadata.uid')));
    assert.ok(first.every((pod) => !left.has(textAt(pod, 'metadata.uid'))));
    assert.deepEqual(outcomes(await fixed(targets)), ['not-needed', 'not-needed']);
  });
});
