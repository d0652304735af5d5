/** Somebody writes whole lists of taints, without a version, while a gate opens and shuts nodes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadAll } from 'js-yaml';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { nodeGate } from '../controllers/gate/node-gate-table.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { GateSite, type Taint } from './gate-site.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const MANIFEST = join(import.meta.dirname, '../../deploy/node-gates.yaml');
const GATES = '/apis/rollcall.dev/v1alpha1/nodegates';
const NODE_COUNT = 8;
const TURNS = 12;
const TURN_MS = 300;
const PROOF = 'example.com/Ready';
const OURS = 'example.com/starts';
const AGAIN = 'example.org/again';
const THEIRS = 'other.example/count';
const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 240_000 };

let plane: ControlPlane;
let site: GateSite;

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  site = new GateSite(plane);
  for (const object of loadAll(readFileSync(MANIFEST, 'utf8')) as JsonObject[])
    await site.define(object, GATES);
  await site.create('/api/v1/namespaces', { metadata: { name: 'rollcall' } });
  await site.create(
    GATES,
    nodeGate('race', {
      nodeSelector: { matchLabels: { pool: 'race' } },
      taint: { key: OURS, effect: 'NoSchedule' },
      proofs: [{ condition: { type: PROOF } }],
      dwell: '0s',
      regress: { after: '0s', maxPercent: 100, taint: { key: AGAIN, effect: 'NoSchedule' } },
    }),
  );
});
after(async () => {
  if (skip === false) await plane.stop();
});

function taintsIn(node: JsonObject): readonly Taint[] {
  return listAt(node, 'spec.taints') as unknown as readonly Taint[];
}

/** Reads the list, changes its own taint in it, and writes the list as it was then. */
async function clobber(name: string, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const taints = taintsIn(await site.get(`/api/v1/nodes/${name}`));
    const own = taints.find(({ key }) => key === THEIRS);
    assert.equal(Number(own?.value ?? '0'), count, `${name}: ${JSON.stringify(taints)}`);
    await sleep(count % 5);
    count++;
    const others = taints.filter(({ key }) => key !== THEIRS);
    const mine = { key: THEIRS, value: String(count), effect: 'NoSchedule' };
    await site.setTaints(name, [...others, mine]);
  }
  return count;
}

test('the gate wins, and takes no taint of theirs with its own', WITH_PARTS, async (t) => {
  const gate = await site.startGate(t);
  const names = Array.from({ length: NODE_COUNT }, (_, index) => `race-${index}`);
  for (const name of names)
    await site.node(name, {
      labels: { pool: 'race' },
      taints: [{ key: OURS, effect: 'NoSchedule' }],
    });
  const stop = new AbortController();
  const clobberers = names.map((name) => clobber(name, stop.signal));
  for (let turn = 0; turn < TURNS; turn++) {
    const status = turn % 2 === 0 ? 'True' : 'False';
    await Promise.all(names.map((name) => site.setCondition(name, PROOF, status)));
    await sleep(TURN_MS);
  }
  stop.abort();
  const counts = await Promise.all(clobberers);
  assert.ok(
    counts.every((count) => count > TURNS),
    counts.join(),
  );
  // The last turn was a loss: each node is shut, by either taint, with theirs beside it.
  for (const name of names) {
    const keys = await until(`${name} to be shut`, async () => {
      const seen = taintsIn(await site.get(`/api/v1/nodes/${name}`)).map(({ key }) => key);
      return seen.includes(AGAIN) || seen.includes(OURS) ? seen : null;
    });
    assert.ok(keys.includes(THEIRS), `${name}: ${keys.join()}`);
    await site.setCondition(name, PROOF, 'True');
    await site.untilTaints(name, [`${THEIRS}:NoSchedule`], gate);
    const own = taintsIn(await site.get(`/api/v1/nodes/${name}`));
    assert.equal(textAt(own[0] as unknown as JsonObject, 'value'), String(counts.shift()));
  }
  await gate.stop();
});
