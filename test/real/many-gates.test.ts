/** Thousands of NodeGates on a real API server, of which one cannot be followed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadAll } from 'js-yaml';
import type { JsonObject } from '../../src/evidence/json.ts';
import { nodeGate } from '../controllers/gate/node-gate-table.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { GateSite } from './gate-site.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const MANIFEST = join(import.meta.dirname, '../../deploy/node-gates.yaml');
const GATES = '/apis/rollcall.dev/v1alpha1/nodegates';
const GATES_COUNT = 5000;
const AT_ONCE = 50;
const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 300_000 };

let plane: ControlPlane;
let site: GateSite;

function gateOf(index: number): JsonObject {
  return nodeGate(`gate-${index}`, {
    nodeSelector: { matchLabels: { pool: `pool-${index}` } },
    taint: { key: `example.com/gate-${index}`, effect: 'NoSchedule' },
  });
}

/** Its selector is refused by the reader alone. */
const BROKEN = nodeGate('broken', {
  nodeSelector: {
    matchExpressions: [
      { key: 'pool', operator: 'In', values: ['a'] },
      { key: 'pool', operator: 'NotIn', values: ['a'] },
    ],
  },
});

// 5,000 writes take longer than a hook is given.
before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  site = new GateSite(plane);
  for (const object of loadAll(readFileSync(MANIFEST, 'utf8')) as JsonObject[])
    await site.define(object, GATES);
  await site.create('/api/v1/namespaces', { metadata: { name: 'rollcall' } });
  await site.create(GATES, BROKEN);
  for (let first = 0; first < GATES_COUNT; first += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, index) => gateOf(first + index));
    await Promise.all(some.map((gate) => site.create(GATES, gate)));
  }
}, WITH_PARTS);
after(async () => {
  if (skip === false) await plane.stop();
});

test('5,000 gates are followed beside one that cannot be', WITH_PARTS, async (t) => {
  const gate = await site.startGate(t);
  for (const index of [0, 4321, GATES_COUNT - 1])
    await site.node(`node-${index}`, { labels: { pool: `pool-${index}` } });
  for (const index of [0, 4321, GATES_COUNT - 1])
    await site.untilTaints(`node-${index}`, [`example.com/gate-${index}:NoSchedule`], gate);
  assert.match(gate.said(), /NodeGate broken: spec\.nodeSelector selects no node/);
  await gate.stop();
});
