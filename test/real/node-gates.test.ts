/** deploy/node-gates.yaml on a real API server: what it refuses, defaults and takes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadAll } from 'js-yaml';
import { readNodeGate } from '../../src/controllers/gate/policies/node-gate.ts';
import { at, type JsonObject } from '../../src/evidence/json.ts';
import { BAD_GATES, GOOD_GATES, nodeGate } from '../controllers/gate/node-gate-table.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { GateSite } from './gate-site.ts';
import { KubeRefusal } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const MANIFEST = join(import.meta.dirname, '../../deploy/node-gates.yaml');
const GATES = '/apis/rollcall.dev/v1alpha1/nodegates';

const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 180_000 };
let plane: ControlPlane;

async function created(path: string, object: object): Promise<JsonObject> {
  return (await plane.client.create(path, object)) as unknown as JsonObject;
}

/** What the server said when it refused; null when it accepted. */
async function refusalOf(write: Promise<unknown>): Promise<string | null> {
  try {
    await write;
    return null;
  } catch (error) {
    if (error instanceof KubeRefusal && error.status === 422)
      return error.message.replaceAll('\\"', '"');
    throw error;
  }
}

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  for (const object of loadAll(readFileSync(MANIFEST, 'utf8')) as JsonObject[])
    await new GateSite(plane).define(object, GATES);
});
after(async () => {
  if (skip === false) await plane.stop();
});

describe('the API server refuses a NodeGate with', WITH_PARTS, () => {
  for (const [index, { what, spec, server, reader }] of BAD_GATES.entries())
    if (server !== null)
      test(what, async () => {
        const refusal = await refusalOf(created(GATES, nodeGate(`bad-${index}`, spec)));
        assert.match(refusal ?? 'it was accepted', server);
      });
    else
      test(`${what}: only its reader does`, async () => {
        const stored = await created(GATES, nodeGate(`bad-${index}`, spec));
        const { refusals } = readNodeGate(stored);
        assert.match(refusals[0]?.why ?? 'it was accepted', reader ?? /never/);
      });
});

describe('the API server accepts', WITH_PARTS, () => {
  for (const [index, [what, spec]] of GOOD_GATES.entries())
    test(`${what}, and the reader what it stored`, async () => {
      const stored = await created(GATES, nodeGate(`good-${index}`, spec));
      assert.deepEqual(readNodeGate(stored).refusals, []);
    });
});

test(
  'what the API server writes where nothing is given is what the reader takes',
  WITH_PARTS,
  async () => {
    const plain = nodeGate('defaults', {});
    const stored = await created(GATES, plain);
    const [asStored] = readNodeGate(stored).policies;
    const [asGiven] = readNodeGate({ ...stored, spec: plain['spec'] ?? {} }).policies;
    assert.deepEqual(asStored, asGiven);
    const { mode, dwell, dryRun } = at(stored, 'spec') as JsonObject;
    assert.deepEqual({ mode, dwell, dryRun }, { mode: 'continuous', dwell: '5s', dryRun: false });
  },
);

test('the taint of a NodeGate stays as it is', WITH_PARTS, async () => {
  await created(GATES, nodeGate('fixed', {}));
  const path = `${GATES}/fixed`;
  const taint = { key: 'example.com/other' };
  const refusal = await refusalOf(plane.client.patch(path, { spec: { taint } }));
  assert.match(refusal ?? 'it was accepted', /key and effect are immutable/);
  assert.equal(await refusalOf(plane.client.patch(path, { spec: { dryRun: true } })), null);
});

test('a field that no version has is not stored', WITH_PARTS, async () => {
  const stored = await created(GATES, nodeGate('unknown-field', { blast: 3 }));
  assert.equal(at(stored, 'spec.blast'), undefined);
});

test('an object of a version that is not served is refused', WITH_PARTS, async () => {
  const newer = { ...nodeGate('newer', {}), apiVersion: 'rollcall.dev/v1' };
  await assert.rejects(
    created(GATES, newer),
    /v1 does not match the expected API version|in the data .* does not match/,
  );
});
