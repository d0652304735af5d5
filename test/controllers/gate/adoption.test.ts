/** Startup taints of other programs that a gate removes once their owner is gone. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { explanationPage } from '../../../src/apps/cli/pages/gate-explanation.ts';
import { explained } from '../../../src/apps/gate/explain.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { NODE_READINESS_RULES } from '../../../src/controllers/gate/policies/node-readiness-rule.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import {
  DAEMON_SETS,
  DWELL_MS,
  FOREIGN,
  gateObject,
  type GateScene,
  nodeObject,
  type SceneOptions,
  setTaints,
  startScene,
  STARTUP,
  taintKeys,
} from './scene.ts';

const EBS = { key: 'ebs.csi.aws.com/agent-not-ready', effect: 'NoExecute' };
const OTHER_EFFECT = { ...EBS, effect: 'NoSchedule' };
const SHUT = { key: STARTUP, effect: 'NoSchedule' };
const ADOPTS = { adoptTaints: [EBS] };
const ALL = [FOREIGN, EBS, OTHER_EFFECT, SHUT];
const KEYS = ALL.map(({ key }) => key);
const LEFT = [FOREIGN.key, OTHER_EFFECT.key, STARTUP];

function scene(
  t: TestContext,
  spec: JsonObject = ADOPTS,
  more: SceneOptions = {},
): Promise<GateScene> {
  const nodes = [nodeObject('n1', { taints: ALL })];
  return startScene(t, { gates: [gateObject(spec)], nodes, ...more });
}

function putOwner({ api }: GateScene): void {
  api.put(DAEMON_SETS, {
    metadata: { name: 'ebs-csi-node', namespace: 'kube-system' },
    spec: { selector: { matchLabels: { app: 'ebs' } }, template: { spec: {} } },
  });
}

function removeOwner({ api }: GateScene): void {
  api.remove(DAEMON_SETS, { namespace: 'kube-system', name: 'ebs-csi-node' });
}

describe('a startup taint that a gate adopts', () => {
  test('goes once its owner has been gone for the dwell, by key and effect', async (t) => {
    const own = await scene(t);
    await own.clock.advance(DWELL_MS - 2_000);
    assert.deepEqual(taintKeys(own, 'n1'), KEYS);
    await own.clock.advance(2_000);
    assert.deepEqual(taintKeys(own, 'n1'), LEFT);
    assert.deepEqual(own.done, ['n1 GateAdoptedTaint done']);
  });

  test('stays while its owner is there', async (t) => {
    const own = await scene(t);
    putOwner(own);
    await own.clock.advance(60_000);
    assert.deepEqual(taintKeys(own, 'n1'), KEYS);
  });

  test('waits again when its owner was there for a moment', async (t) => {
    const own = await scene(t);
    await own.clock.advance(DWELL_MS - 2_000);
    putOwner(own);
    await own.clock.advance(10);
    removeOwner(own);
    await own.clock.advance(DWELL_MS - 1_000);
    assert.deepEqual(taintKeys(own, 'n1'), KEYS);
    await own.clock.advance(2_000);
    assert.deepEqual(taintKeys(own, 'n1'), LEFT);
  });

  test('goes again when something puts it back', async (t) => {
    const own = await scene(t);
    await own.clock.advance(2 * DWELL_MS);
    setTaints(own, 'n1', (taints) => [...taints, EBS]);
    await own.clock.advance(2 * DWELL_MS);
    assert.deepEqual(taintKeys(own, 'n1'), LEFT);
    assert.equal(own.done.length, 2);
  });

  test('stays where DaemonSets cannot be read', async (t) => {
    const own = await scene(t, ADOPTS, { nodes: [] });
    for (const verb of ['watch', 'list']) own.api.forbid(`${verb} daemonsets.apps`);
    own.api.cut();
    await own.clock.advance(60_000);
    own.api.put(NODES, nodeObject('n1', { taints: ALL }));
    await own.clock.advance(60_000);
    assert.deepEqual(taintKeys(own, 'n1'), KEYS);
  });
});

describe('a startup taint that no gate may adopt', () => {
  for (const [what, spec] of [
    ['without a list', {}],
    [
      'of a gate that lists another effect',
      { adoptTaints: [{ ...EBS, effect: 'PreferNoSchedule' }] },
    ],
    ['of a gate in a dry run', { ...ADOPTS, dryRun: true }],
    ['of a gate that cannot be followed', { ...ADOPTS, mode: 'sometimes' }],
    ['of a gate for other nodes', { ...ADOPTS, nodeSelector: { matchLabels: { pool: 'x' } } }],
  ] as const)
    test(`stays ${what}`, async (t) => {
      const own = await scene(t, spec);
      await own.clock.advance(60_000);
      assert.deepEqual(taintKeys(own, 'n1'), KEYS);
    });

  test('stays in a dry run of the controller, which checks the write', async (t) => {
    const own = await scene(t, ADOPTS, { isDryRun: true });
    await own.clock.advance(60_000);
    assert.deepEqual(taintKeys(own, 'n1'), KEYS);
    assert.deepEqual(own.done, ['n1 GateAdoptedTaint done']);
  });

  test('is explained with the gate that removes it', async (t) => {
    const own = await scene(t);
    own.api.serve(NODE_READINESS_RULES);
    const page = explanationPage(await explained(own.api, 'n1')).join('\n');
    assert.match(page, /the EBS CSI driver is not installed; NodeGate workers removes it/);
    assert.match(page, /kubectl taint node n1 ebs\.csi\.aws\.com\/agent-not-ready:NoSchedule-/);
  });
});
