/** What every KubeWrites does to Pods, their budgets, and parts of objects. */
import assert from 'node:assert/strict';
import { at, type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { KubeResource } from '../../src/ports/kube-api.ts';
import {
  type CheckOne,
  failureOf,
  type KubeWritesHarness,
  uidOf,
  versionOf,
} from './kube-writes.harness.ts';

export const PODS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};
export const ACCOUNTS = { ...PODS, plural: 'serviceaccounts', kind: 'ServiceAccount' };
export const BUDGETS = {
  ...PODS,
  group: 'policy',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
};
export const DEPLOYMENTS = { ...PODS, group: 'apps', plural: 'deployments', kind: 'Deployment' };

const LABELS = { app: 'web' };
const SPEC = {
  automountServiceAccountToken: false,
  containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }],
};

/** A Pod that runs, as a kubelet says. */
async function runningPod(harness: KubeWritesHarness, name: string): Promise<JsonObject> {
  const { namespace, writes } = harness;
  await accountIn(harness);
  const metadata = { namespace, name, labels: LABELS };
  await writes.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec: SPEC });
  const conditions = [{ type: 'Ready', status: 'True' }];
  const change = { status: { phase: 'Running', conditions } };
  const place = { namespace, name };
  const patch = { type: 'merge', change } as const;
  return await writes.patch(PODS, place, patch, { subresource: 'status' });
}

/** The account that Pods are given, where no controller makes it. */
async function accountIn({ writes, namespace }: KubeWritesHarness): Promise<void> {
  const metadata = { namespace, name: 'default' };
  const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
  await writes.patch(ACCOUNTS, metadata, { type: 'apply', object, isForced: false });
}

async function budget(harness: KubeWritesHarness, disruptionsAllowed: number): Promise<void> {
  const { namespace, writes } = harness;
  const metadata = { namespace, name: 'web' };
  const spec = { minAvailable: 1, selector: { matchLabels: LABELS } };
  const made = await writes.create(BUDGETS, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec,
  });
  const status = {
    observedGeneration: at(made, 'metadata.generation') ?? 1,
    disruptionsAllowed,
    currentHealthy: 1 + disruptionsAllowed,
    desiredHealthy: 1,
    expectedPods: 1 + disruptionsAllowed,
  };
  await writes.update(BUDGETS, { ...made, status }, { subresource: 'status' });
}

export function evicting(check: CheckOne): void {
  const name = 'web-1';

  check('an eviction takes the Pod that was seen, and no other', async (harness) => {
    const pod = await runningPod(harness, name);
    const { namespace, writes, api } = harness;
    const evict = async (preconditions: object, isDryRun = false): Promise<JsonObject> =>
      await writes.evict({ namespace, name }, { preconditions, isDryRun, gracePeriodSeconds: 0 });
    const uid = '00000000-0000-4000-8000-000000000000';
    assert.equal(await failureOf(evict({ uid })), 'conflict');
    await evict({ uid: uidOf(pod) }, true);
    const kept = await api.get(PODS, { namespace, name });
    assert.equal(textAt(kept, 'metadata.deletionTimestamp'), null);
    await evict({ uid: uidOf(pod) });
    assert.equal(await failureOf(api.get(PODS, { namespace, name })), 'not-found');
  });

  check('a budget that forbids an eviction is an answer of its own', async (harness) => {
    const pod = await runningPod(harness, name);
    await budget(harness, 0);
    const { namespace, writes, api } = harness;
    for (const isDryRun of [true, false]) {
      const options = { preconditions: { uid: uidOf(pod) }, isDryRun };
      assert.equal(await failureOf(writes.evict({ namespace, name }, options)), 'budget');
    }
    const kept = await api.get(PODS, { namespace, name });
    assert.equal(textAt(kept, 'metadata.deletionTimestamp'), null);
  });

  check('a budget that allows one disruption lets one Pod go', async (harness) => {
    for (const one of ['web-1', 'web-2']) await runningPod(harness, one);
    await budget(harness, 1);
    const { namespace, writes } = harness;
    const evict = async (one: string): Promise<unknown> =>
      await writes.evict({ namespace, name: one }, { preconditions: {} });
    await evict('web-1');
    assert.equal(await failureOf(evict('web-2')), 'budget');
  });
}

export function subresources(check: CheckOne): void {
  check('a patch of the status leaves the rest alone', async (harness) => {
    const { namespace, writes, api } = harness;
    await runningPod(harness, 'p');
    const change = { status: { message: 'well' }, spec: { priorityClassName: 'high' } };
    const patch = { type: 'merge', change } as const;
    const place = { namespace, name: 'p' };
    await writes.patch(PODS, place, patch, { subresource: 'status' });
    const pod = await api.get(PODS, place);
    assert.equal(textAt(pod, 'status.message'), 'well');
    assert.equal(textAt(pod, 'status.phase'), 'Running');
    assert.equal(textAt(pod, 'spec.priorityClassName'), null);
  });

  check('a status with an old version is a conflict', async (harness) => {
    const pod = await runningPod(harness, 'p');
    const update = async (message: string): Promise<JsonObject> =>
      await harness.writes.update(
        PODS,
        { ...pod, status: { ...(pod['status'] as JsonObject), message } },
        { subresource: 'status' },
      );
    assert.notEqual(versionOf(await update('one')), versionOf(pod));
    assert.equal(await failureOf(update('two')), 'conflict');
  });

  check('a workload is scaled', async (harness) => {
    const { namespace, writes, api } = harness;
    const place = { namespace, name: 'web' };
    const template = { metadata: { labels: LABELS }, spec: { containers: SPEC.containers } };
    await writes.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: place,
      spec: { replicas: 1, selector: { matchLabels: LABELS }, template },
    });
    const patch = { type: 'merge', change: { spec: { replicas: 3 } } } as const;
    await writes.patch(DEPLOYMENTS, place, patch, { subresource: 'scale' });
    assert.equal(at(await api.get(DEPLOYMENTS, place), 'spec.replicas'), 3);
  });
}
