import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { NODE_GATES } from '../../../src/controllers/gate/policies/node-gate.ts';
import { type JsonObject, textAt, textsAt } from '../../../src/evidence/json.ts';
import { fault } from '../../ports/fake/kube-fault.ts';
import {
  DAEMON_SETS,
  DWELL_MS,
  FOREIGN,
  gateObject,
  isShut,
  layDaemonSet,
  nodeObject,
  PODS,
  REGRESS,
  setPod,
  setTaints,
  STARTUP,
  startKeeper,
  startScene,
  taintKeys,
} from './scene.ts';

const OURS = { key: STARTUP, effect: 'NoSchedule' };

function requests(scene: { readonly api: { requests(): ReadonlyMap<string, number> } }): number {
  return [...scene.api.requests()]
    .filter(([name]) => !/^(?:list|watch) /.test(name))
    .reduce((sum, [, count]) => sum + count, 0);
}

describe('the gate', () => {
  test('opens with one patch when the proof has held for the dwell', async (context) => {
    const scene = await startScene(context, {
      nodes: [nodeObject('n1', { taints: [FOREIGN, OURS] })],
    });
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS - 1);
    assert.equal(isShut(scene, 'n1'), true);
    await scene.clock.advance(1);
    assert.deepEqual(taintKeys(scene, 'n1'), [FOREIGN.key]);
    await scene.clock.advance(120_000);
    assert.deepEqual(scene.done, ['n1 GateOpened done']);
    assert.equal(requests(scene), 1);
  });

  test('begins the dwell again after a flap of 50 ms', async (context) => {
    const scene = await startScene(context);
    setPod(scene, 'n1', true);
    await scene.clock.advance(4_000);
    setPod(scene, 'n1', false);
    await scene.clock.advance(50);
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS - 1);
    assert.equal(isShut(scene, 'n1'), true);
    await scene.clock.advance(1);
    assert.equal(isShut(scene, 'n1'), false);
  });

  test('begins the dwell again when a flap is only seen by its transition time', async (context) => {
    const scene = await startScene(context);
    setPod(scene, 'n1', true);
    await scene.clock.advance(4_000);
    scene.api.loseEvents(1);
    setPod(scene, 'n1', false);
    await scene.clock.advance(50);
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS - 1);
    assert.equal(isShut(scene, 'n1'), true);
  });

  test('stays shut without its DaemonSet, and without a Pod of it', async (context) => {
    const scene = await startScene(context, { hasDaemonSet: false });
    await scene.clock.advance(60_000);
    assert.equal(isShut(scene, 'n1'), true);
    layDaemonSet(scene.api);
    await scene.clock.advance(60_000);
    assert.equal(isShut(scene, 'n1'), true);
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    assert.equal(isShut(scene, 'n1'), false);
  });

  test('does not count the Pods of a DaemonSet that was deleted and made again', async (context) => {
    const scene = await startScene(context);
    setPod(scene, 'n1', true);
    scene.api.remove(DAEMON_SETS, { namespace: 'kube-system', name: 'cni' });
    layDaemonSet(scene.api);
    await scene.clock.advance(60_000);
    assert.equal(isShut(scene, 'n1'), true);
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    assert.equal(isShut(scene, 'n1'), false);
  });

  test('puts a taint back at once that somebody removed', async (context) => {
    const scene = await startScene(context);
    setTaints(scene, 'n1', () => [FOREIGN]);
    await scene.clock.advance(0);
    assert.deepEqual(taintKeys(scene, 'n1'), [FOREIGN.key, STARTUP]);
    assert.deepEqual(scene.done, ['n1 GateRestored done']);
  });

  test('taints a node at once that was created without the taint', async (context) => {
    const scene = await startScene(context);
    scene.api.put(NODES, nodeObject('n2', { taints: [] }));
    await scene.clock.advance(0);
    assert.deepEqual(taintKeys(scene, 'n2'), [STARTUP]);
    assert.deepEqual(scene.done, ['n2 GateNotEnforced done']);
  });

  test('leaves a node in service alone that is older than the gate and proven', async (context) => {
    const old = { creationTimestamp: '2025-06-01T00:00:00Z' };
    const scene = await startScene(context, {
      nodes: [nodeObject('n1', { taints: [], metadata: old })],
    });
    setPod(scene, 'n1', true);
    await scene.clock.advance(60_000);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
    // Only the record that it was proven is written.
    assert.deepEqual(scene.done, ['n1  done']);
  });

  test('changes nothing in a dry run', async (context) => {
    const scene = await startScene(context, { isDryRun: true });
    setPod(scene, 'n1', true);
    await scene.clock.advance(60_000);
    assert.equal(isShut(scene, 'n1'), true);
    assert.deepEqual(scene.done, ['n1 GateOpened done']);
  });

  test('changes nothing for a gate that is a dry run', async (context) => {
    const scene = await startScene(context, { gates: [gateObject({ dryRun: true })] });
    setPod(scene, 'n1', true);
    await scene.clock.advance(60_000);
    assert.equal(isShut(scene, 'n1'), true);
    assert.deepEqual(scene.done, []);
  });

  test('keeps a node shut whose gate cannot be followed, and opens others', async (context) => {
    const other = { key: 'example.com/other', effect: 'NoSchedule' };
    const broken = {
      ...gateObject({ taint: other, dwell: 'soon' }),
      metadata: { name: 'broken', creationTimestamp: '2025-12-31T00:00:00Z' },
    };
    const scene = await startScene(context, {
      gates: [gateObject(), broken],
      nodes: [nodeObject('n1', { taints: [OURS, other] })],
    });
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    assert.deepEqual(taintKeys(scene, 'n1'), [other.key]);
    const [node] = scene.api.objects(NODES);
    assert.match(JSON.stringify(node?.['status']), /GatePolicyRefused.*spec\.dwell is/);
  });

  test('removes the taint of several gates with one patch, and only when all agree', async (context) => {
    const second = {
      ...gateObject({ proofs: [{ label: { key: 'example.com/done' } }] }),
      metadata: { name: 'second', creationTimestamp: '2025-12-31T00:00:00Z' },
    };
    const scene = await startScene(context, { gates: [gateObject(), second] });
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS * 2);
    assert.equal(isShut(scene, 'n1'), true);
    const [node = {}] = scene.api.objects(NODES);
    const metadata = { ...(node['metadata'] as JsonObject), labels: { 'example.com/done': 'y' } };
    scene.api.put(NODES, { ...node, metadata });
    await scene.clock.advance(DWELL_MS);
    assert.equal(isShut(scene, 'n1'), false);
  });
});

describe('a node in service', () => {
  test('is shut again with the regress taint, by the regress delay, and opened again', async (context) => {
    const scene = await startScene(context);
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    setPod(scene, 'n1', false);
    await scene.clock.advance(9_999);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
    await scene.clock.advance(1);
    assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
  });

  test('stays open when its proof can no longer be looked at', async (context) => {
    const scene = await startScene(context);
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    scene.api.remove(DAEMON_SETS, { namespace: 'kube-system', name: 'cni' });
    await scene.clock.advance(60_000);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
    const [node] = scene.api.objects(NODES);
    assert.match(JSON.stringify(node?.['status']), /GateProofUnknown.*does not exist/);
  });

  test('waits longer for each loss of proof', async (context) => {
    const scene = await startScene(context, { gates: [gateObject({ regress: { after: '0s' } })] });
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    for (const dwellMs of [DWELL_MS, DWELL_MS * 2, DWELL_MS * 4]) {
      setPod(scene, 'n1', false);
      await scene.clock.advance(1_000);
      assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
      setPod(scene, 'n1', true);
      await scene.clock.advance(dwellMs - 1);
      assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
      await scene.clock.advance(1);
      assert.deepEqual(taintKeys(scene, 'n1'), []);
    }
  });

  test('is not shut again where more nodes lost the proof than the budget allows', async (context) => {
    const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
    const scene = await startScene(context, { nodes: names.map((name) => nodeObject(name)) });
    for (const name of names) setPod(scene, name, true);
    await scene.clock.advance(DWELL_MS);
    for (const name of names.slice(0, 3)) setPod(scene, name, false);
    await scene.clock.advance(60_000);
    assert.ok(names.every((name) => taintKeys(scene, name).length === 0));
    const suspected = scene.done.filter((one) => one.includes('GateProofSuspected'));
    assert.equal(suspected.length, 3);
    setPod(scene, 'n0', true);
    await scene.clock.advance(0);
    const again = names.filter((name) => taintKeys(scene, name).includes(REGRESS));
    assert.deepEqual(again, ['n1', 'n2']);
  });

  test('is shut again by a reboot until its Pods have started in the new boot', async (context) => {
    const beat = (at: string): JsonObject[] => [
      { type: 'Ready', status: 'True', lastHeartbeatTime: at, lastTransitionTime: at },
    ];
    const scene = await startScene(context, {
      nodes: [nodeObject('n1', { conditions: beat('2026-01-01T00:00:00Z') })],
    });
    const started = (at: string): JsonObject => {
      const [pod = {}] = scene.api.objects(PODS);
      const containerStatuses = [{ name: 'c', state: { running: { startedAt: at } } }];
      return { ...pod, status: { ...(pod['status'] as JsonObject), containerStatuses } };
    };
    setPod(scene, 'n1', true);
    scene.api.put(PODS, started('2025-12-31T23:59:59Z'));
    await scene.clock.advance(DWELL_MS);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
    const [open = {}] = scene.api.objects(NODES);
    const { status } = nodeObject('n1', {
      bootId: 'boot-2',
      conditions: beat('2026-01-01T00:01:00Z'),
    });
    scene.api.put(NODES, { ...open, status: status ?? null });
    await scene.clock.advance(60_000);
    assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
    scene.api.put(PODS, started('2026-01-01T00:00:30Z'));
    await scene.clock.advance(DWELL_MS);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
    assert.deepEqual(
      scene.done.filter((one) => /Opened|Rebooted/.test(one)),
      ['n1 GateOpened done', 'n1 GateRebooted done', 'n1 GateOpened done'],
    );
  });

  test('is another one when it is made again under its name', async (context) => {
    const scene = await startScene(context);
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    const [open = {}] = scene.api.objects(NODES);
    const annotations = { ...textsAt(open, 'metadata.annotations') };
    scene.api.remove(NODES, { name: 'n1' });
    scene.api.put(NODES, nodeObject('n1', { taints: [], metadata: { annotations } }));
    await scene.clock.advance(0);
    assert.deepEqual(taintKeys(scene, 'n1'), [STARTUP]);
  });

  test('stays open for a gate that only starts nodes up', async (context) => {
    const scene = await startScene(context, { gates: [gateObject({ mode: 'bootstrap-only' })] });
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    setPod(scene, 'n1', false);
    await scene.clock.advance(120_000);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
    assert.deepEqual(scene.done, ['n1 GateOpened done']);
  });
});

describe('the gate controller under faults', () => {
  test('reads a Node again after a conflict', async (context) => {
    const scene = await startScene(context);
    scene.api.failNext('patch', fault('conflict', 'patch'));
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS + 2_000);
    assert.deepEqual(scene.done, ['n1 GateOpened conflict', 'n1 GateOpened done']);
    assert.equal(isShut(scene, 'n1'), false);
  });

  test('does not write a second time when an answer is lost', async (context) => {
    const scene = await startScene(context);
    scene.writes.loseNext(fault('unclear', 'patch'));
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS + 10_000);
    assert.deepEqual(scene.done, ['n1 GateOpened unclear']);
    assert.equal(isShut(scene, 'n1'), false);
    assert.equal(scene.api.requests().get('patch nodes'), 1);
  });

  test('finds a watch that was swallowed within 5 s', async (context) => {
    const scene = await startScene(context);
    scene.api.mute();
    setPod(scene, 'n1', true);
    await scene.clock.advance(5_000 + DWELL_MS);
    assert.equal(isShut(scene, 'n1'), false);
  });

  test('opens nothing while Pods cannot be read', async (context) => {
    const scene = await startScene(context);
    await scene.stop();
    scene.api.forbid('list pods');
    scene.api.forbid('watch pods');
    setPod(scene, 'n1', true);
    const second = startKeeper(scene);
    context.after(second.stop);
    await scene.clock.advance(60_000);
    assert.equal(isShut(scene, 'n1'), true);
    const [node] = scene.api.objects(NODES);
    assert.match(JSON.stringify(node?.['status']), /GateProofUnknown/);
  });

  test('goes on after a restart from what the cluster has', async (context) => {
    const scene = await startScene(context, {
      nodes: [nodeObject('n1'), nodeObject('n2')],
    });
    setPod(scene, 'n1', true);
    await scene.clock.advance(DWELL_MS);
    await scene.stop();
    setPod(scene, 'n1', false);
    setPod(scene, 'n2', true);
    const second = startKeeper(scene);
    context.after(second.stop);
    await scene.clock.advance(DWELL_MS + 1_000);
    assert.equal(isShut(scene, 'n2'), false);
    await scene.clock.advance(10_000);
    assert.deepEqual(taintKeys(scene, 'n1'), [REGRESS]);
  });

  test('takes back nothing and opens nothing before all is listed', async (context) => {
    const scene = await startScene(context);
    await scene.stop();
    scene.api.forbid(`list ${NODE_GATES.plural}.rollcall.dev`);
    scene.api.forbid(`watch ${NODE_GATES.plural}.rollcall.dev`);
    setTaints(scene, 'n1', () => []);
    const second = startKeeper(scene);
    context.after(second.stop);
    await scene.clock.advance(60_000);
    assert.deepEqual(second.done, []);
    assert.deepEqual(taintKeys(scene, 'n1'), []);
  });
});

test('tells once what keeps a node shut, and that it is over', async (context) => {
  const scene = await startScene(context, { gates: [gateObject({ expiry: '5m' })] });
  setPod(scene, 'n1', false);
  await scene.clock.advance(600_000);
  setPod(scene, 'n1', true);
  await scene.clock.advance(DWELL_MS);
  assert.deepEqual(scene.done, [
    'n1 GateHeld done',
    'n1 GateExpired done',
    'n1 GateOpened done',
    'n1 GateWell done',
  ]);
});

test('follows the Pods of no DaemonSet but those that are proofs', async (context) => {
  const scene = await startScene(context, {
    gates: [gateObject({ proofs: [{ condition: { type: 'example.com/Ok' } }] })],
  });
  await scene.clock.advance(1_000);
  const kinds = [...scene.api.requests()].map(([name]) => name);
  assert.ok(kinds.some((name) => name.endsWith(' nodes')));
  assert.deepEqual(
    kinds.filter((name) => /pods|daemonsets|csinodes/.test(name)),
    [],
  );
});

test('a Node that is being deleted is left alone', async (context) => {
  const scene = await startScene(context, {
    nodes: [
      nodeObject('n1', { taints: [], metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    ],
  });
  await scene.clock.advance(60_000);
  assert.deepEqual(scene.done, []);
  assert.equal(textAt(scene.api.objects(NODES)[0], 'metadata.name'), 'n1');
});
