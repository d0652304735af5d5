/** When the node lifecycle controller gives a kubelet up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  graceTimesOf,
  isSilent,
  type Probe,
  probed,
} from '../../../src/sim/platform/nodes/health.ts';
import { nodeView } from '../../../src/sim/platform/objects/node.ts';

const CREATED_MS = Date.parse('2026-01-01T00:00:00Z');
const SEEN: Probe = { noticedMs: 1000, renewTime: 'r1', heartbeat: 'h1', hadCondition: true };

function nodeHeard(heartbeat: string | null): ReturnType<typeof nodeView> {
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: heartbeat };
  const creationTimestamp = new Date(CREATED_MS).toISOString();
  return nodeView({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', creationTimestamp },
    status: { conditions: heartbeat === null ? [] : [ready] },
  });
}

test('the grace is 40 s before Kubernetes 1.32 and 50 s from then on', () => {
  assert.deepEqual(
    [28, 31, 32, 34].map((minor) => graceTimesOf(minor).graceMs),
    [40_000, 40_000, 50_000, 50_000],
  );
});

test('a kubelet is silent after its grace, to the millisecond', () => {
  const times = graceTimesOf(34);
  assert.ok(!isSilent(SEEN, times, 1000 + 50_000));
  assert.ok(isSilent(SEEN, times, 1000 + 50_001));
});

test('a Node that never had a status gets 1 min', () => {
  const never = { ...SEEN, hadCondition: false };
  assert.ok(!isSilent(never, graceTimesOf(34), 1000 + 60_000));
  assert.ok(isSilent(never, graceTimesOf(34), 1000 + 60_001));
});

test('a status or a Lease that is new counts from when it was noticed', () => {
  assert.equal(probed(SEEN, nodeHeard('h2'), 'r1', 9000).noticedMs, 9000);
  assert.equal(probed(SEEN, nodeHeard('h1'), 'r2', 9000).noticedMs, 9000);
  assert.equal(
    probed({ ...SEEN, hadCondition: false }, nodeHeard('h1'), 'r1', 9000).noticedMs,
    9000,
  );
});

test('a status and a Lease as before count for nothing, nor does a Lease that is gone', () => {
  assert.equal(probed(SEEN, nodeHeard('h1'), 'r1', 9000), SEEN);
  assert.equal(probed(SEEN, nodeHeard('h1'), null, 9000), SEEN);
});

test('a Node without a status counts from its creation when it is first seen, else from the look', () => {
  assert.equal(probed(undefined, nodeHeard(null), null, CREATED_MS + 9000).noticedMs, CREATED_MS);
  const later = CREATED_MS + 9000;
  assert.equal(probed(undefined, nodeHeard('h1'), null, later).noticedMs, later);
});
