/** deploy/node-gates.yaml on a real API server: what it refuses, defaults and takes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadAll } from 'js-yaml';
import { convert } from '../../src/controllers/gate/convert/convert.ts';
import { readNodeGate } from '../../src/controllers/gate/policies/node-gate.ts';
import { at, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { BAD_GATES, GOOD_GATES, nodeGate } from '../controllers/gate/node-gate-table.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { GateSite, type RunningGate } from './gate-site.ts';
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

const endings: (() => void)[] = [];
let site: GateSite;
let gate: RunningGate;

async function acceptance(name: string, message: RegExp): Promise<JsonObject> {
  return until(`Accepted of ${name} with ${message}`, async () => {
    const found = await site.get(`${GATES}/${name}`);
    const conditions = listAt(found, 'status.conditions') as readonly JsonObject[];
    const accepted = conditions.find((one) => one['type'] === 'Accepted');
    return accepted !== undefined && message.test(textAt(accepted, 'message') ?? '')
      ? accepted
      : null;
  }).catch((error: unknown) => {
    throw new Error(gate.said(), { cause: error });
  });
}

describe('the controller says in the status of a NodeGate', WITH_PARTS, () => {
  before(async () => {
    if (skip !== false) return;
    site = new GateSite(plane);
    await site.create('/api/v1/namespaces', { metadata: { name: 'rollcall' } });
    for (const pool of ['a', 'b']) await site.node(`node-${pool}`, { labels: { pool } });
    gate = await site.startGate({ after: (end: () => void) => void endings.push(end) });
  });
  after(() => {
    for (const end of endings) end();
  });

  for (const [index, { what, spec, server, reader }] of BAD_GATES.entries())
    if (server === null)
      test(`that it is not accepted for ${what}`, async () => {
        await created(GATES, nodeGate(`refused-${index}`, spec));
        const words = (reader ?? /never/).source.replace(/^\^|\$$/g, '');
        const accepted = await acceptance(`refused-${index}`, new RegExp(words));
        assert.equal(accepted['status'], 'False');
        assert.equal(accepted['reason'], 'InvalidSpec');
      });

  test('that it is accepted, and how many nodes it selects', async () => {
    const taint = { key: 'example.com/counted', effect: 'NoSchedule' };
    const nodeSelector = { matchLabels: { pool: 'a' } };
    await created(GATES, nodeGate('counted', { nodeSelector, taint }));
    const accepted = await acceptance('counted', /^It is followed\.$/);
    assert.equal(accepted['status'], 'True');
    const status = at(await site.get(`${GATES}/counted`), 'status.nodes');
    // Another gate holds the node since its start, so it is not in service yet.
    assert.deepEqual(status, { selected: 1, held: 1, expired: 0, notEnforced: 0 });
  });

  test('that it selects no node, or every one', async () => {
    const SELECTORS: readonly (readonly [string, JsonObject, RegExp, number])[] = [
      ['none', { matchLabels: { pool: 'z' } }, / It selects no node\.$/, 0],
      [
        'every',
        { matchExpressions: [{ key: 'pool', operator: 'Exists' }] },
        / It selects every node\.$/,
        2,
      ],
      ['empty', {}, / spec\.nodeSelector selects every node\.$/, 2],
    ];
    for (const [name, nodeSelector, words, selected] of SELECTORS) {
      const taint = { key: `example.com/${name}`, effect: 'NoSchedule' };
      await created(GATES, nodeGate(name, { nodeSelector, taint, dryRun: true }));
      await acceptance(name, words);
      assert.equal(at(await site.get(`${GATES}/${name}`), 'status.nodes.selected'), selected);
    }
  });

  test('that another one keeps the same taint on the same nodes', async () => {
    const taint = { key: 'example.com/shared', effect: 'NoSchedule' };
    const spec = { nodeSelector: { matchLabels: { pool: 'b' } }, taint, dryRun: true };
    await created(GATES, nodeGate('shared-1', spec));
    await created(GATES, nodeGate('shared-2', spec));
    await acceptance(
      'shared-1',
      /It shares the taint example\.com\/shared:NoSchedule with NodeGate shared-2; the taint goes/,
    );
  });
});

test('what convert makes of other configuration is accepted', WITH_PARTS, async () => {
  const file: JsonObject = {
    daemonsets: [{ name: 'cni', namespace: 'kube-system' }],
    nodeSelector: ['role=worker', 'zone in (a,b)', '!old'],
    taintRemovalDelayInSeconds: 5,
  };
  const rule: JsonObject = {
    kind: 'NodeReadinessRule',
    metadata: { name: 'converted-rule', uid: 'u-1' },
    spec: {
      conditions: [{ type: 'example.com/Ready', requiredStatus: 'True', defaultStatus: 'False' }],
      enforcementMode: 'bootstrap-only',
      taint: { key: 'readiness.k8s.io/converted', value: 'a', effect: 'NoExecute' },
      nodeSelector: { matchLabels: { a: 'b' } },
      conditionPolicy: 'anyOf',
      dryRun: true,
    },
  };
  const documents = [file, rule].map((value) => ({ value, path: 'x', lineOf: () => 1 }));
  const { gates } = convert(documents, () => null);
  assert.equal(gates.length, 2);
  for (const one of gates) {
    const stored = await created(GATES, one.gate);
    assert.deepEqual(readNodeGate(stored).policies.length, 1);
  }
});
