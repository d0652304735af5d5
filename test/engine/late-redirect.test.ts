/** Pods that began before the agent which would have given them their role. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubjectReport } from '../../src/diagnosis/document.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import {
  ago,
  COLLECTION,
  DAEMON,
  instance,
  instances,
  listOf,
  machine,
  NODE,
  pod,
  READY,
  stateOf,
} from './live-scene.ts';

/** The agent, whose container runs for so many minutes. */
function agent(minutes: number): JsonObject {
  const state = { running: { startedAt: ago(minutes) } };
  const containerStatuses = [{ name: 'agent', state }];
  return pod('kiam-agent-x7f2k', 59, { phase: 'Running', conditions: READY, containerStatuses });
}

/** A pod that asks for a role and began so many minutes ago. */
function asking(minutes: number): JsonObject {
  const one = pod('shop-1', minutes, { phase: 'Running', podIP: '10.0.1.9', conditions: READY });
  const metadata = { name: 'shop-1', namespace: 'shop' };
  return { ...one, metadata: { ...metadata, annotations: { 'iam.amazonaws.com/role': 'shop' } } };
}

async function seen(node: JsonObject, ...pods: readonly JsonObject[]): Promise<SubjectReport> {
  const nodes = listOf('Node', [node]);
  return machine(COLLECTION, nodes, instances(instance(70)), listOf('Pod', [DAEMON, ...pods]));
}

test('a pod older than the agent of a young Node may work with the role of the Node', async () => {
  const report = await seen(NODE, agent(50), asking(58));
  assert.deepEqual([report.verdict, stateOf(report, 'credentialed')], ['cannot-tell', 'unknown']);
  const lack = report.notObservable.find(({ stage }) => stage === 'credentialed');
  assert.match(lack?.why ?? '', /^pod shop-1 began before the agent that gives it the role shop/);
  assert.equal(lack?.collect, 'kubectl -n shop logs shop-1 --all-containers');
});

test('a pod younger than the agent got the right role', async () => {
  const report = await seen(NODE, agent(59), asking(58));
  assert.deepEqual([report.verdict, stateOf(report, 'credentialed')], ['usable', 'passed']);
});

test('an agent that was restarted long after the boot found pods that had their roles', async () => {
  const report = await seen(NODE, agent(5), asking(58));
  assert.equal(report.verdict, 'usable');
});

test('credentials of the Node that a pod once got have ended after hours', async () => {
  const metadata = { ...NODE.metadata, creationTimestamp: ago(480) };
  const late = await seen({ ...NODE, metadata }, agent(470), asking(479));
  assert.equal(late.verdict, 'usable');
});
