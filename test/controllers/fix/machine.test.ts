/** Fixes of one machine: what they need to see, what they write, and what takes it back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { fixHops, undoHops } from '../../../src/controllers/fix/machine/hop-limit.ts';
import {
  fixTaint,
  namedTaints,
  undoTaint,
} from '../../../src/controllers/fix/machine/startup-taint.ts';
import type { FixOrder, FixStep } from '../../../src/controllers/fix/fix.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { type Scene, scene } from './scene.ts';

const ORDER: FixOrder = {
  id: 'fix-1',
  isDryRun: false,
  why: { kind: 'finding', name: 'imds-hop-limit-too-low', text: 'One hop is too few.' },
};
const INSTANCE = 'i-0123456789abcdef0';

/** EC2 with one instance; a change of its limit shows at once. */
function withHops(hops: number, more: JsonObject = {}): Scene {
  const at = scene();
  at.aws.answer('ec2:DescribeInstances', () => {
    const set = at.calls.at(-1)?.input['HttpPutResponseHopLimit'] ?? hops;
    const options = { State: 'applied', HttpPutResponseHopLimit: set, ...more };
    return [{ Reservations: [{ Instances: [{ MetadataOptions: options }] }] }];
  });
  return at;
}

describe('the hop limit of instance metadata', () => {
  test('is raised to that of pods, and set back', async () => {
    const at = withHops(1);
    const step = await fixHops(ORDER, INSTANCE, at.tools());
    assert.equal(step.outcome, 'written', step.why);
    assert.deepEqual(at.calls[0]?.input, { InstanceId: INSTANCE, HttpPutResponseHopLimit: 2 });
    const undone = await undoHops(at.notes[0] ?? {}, ORDER, at.tools());
    assert.equal(undone.outcome, 'written');
    assert.equal(at.calls[1]?.input['HttpPutResponseHopLimit'], 1);
  });

  test('stays in a dry run', async () => {
    const at = withHops(1);
    const step = await fixHops({ ...ORDER, isDryRun: true }, INSTANCE, at.tools(true));
    assert.equal(step.outcome, 'would-write');
    assert.deepEqual([at.calls, at.notes], [[], []]);
  });

  for (const [title, hops, more, outcome] of [
    ['that is high enough needs nothing', 3, {}, 'not-needed'],
    ['that is being changed is left', 1, { State: 'pending' }, 'refused'],
  ] as const)
    test(title, async () => {
      const at = withHops(hops, more);
      assert.equal((await fixHops(ORDER, INSTANCE, at.tools())).outcome, outcome);
      assert.deepEqual(at.calls, []);
    });

  test('that EC2 does not show is left', async () => {
    const at = scene();
    at.aws.answer('ec2:DescribeInstances', () => [{ Reservations: [] }]);
    assert.equal((await fixHops(ORDER, INSTANCE, at.tools())).outcome, 'refused');
  });

  test('that somebody set meanwhile is not set back', async () => {
    const at = withHops(5);
    const note = { instanceId: INSTANCE, from: 1, to: 2 };
    assert.equal((await undoHops(note, ORDER, at.tools())).outcome, 'refused');
    assert.deepEqual(at.calls, []);
  });
});

const TAINT = { key: 'ebs.csi.aws.com/agent-not-ready', effect: 'NoExecute' };
const OTHER = { key: 'team', value: 'a', effect: 'NoSchedule' };
const MACHINE = {
  cause: 'startup-taint-removal-lost',
  summary: `The driver is well, but its one request to take ${TAINT.key} off n1 was rejected.`,
  node: 'n1',
  instanceId: null,
};

function withTaints(taints: readonly JsonObject[]): Scene {
  const at = scene();
  at.api.put(NODES, { metadata: { name: 'n1' }, spec: { taints: [...taints] } });
  return at;
}

async function taintsOf({ api }: Scene): Promise<readonly JsonObject[]> {
  const { spec } = await api.get(NODES, { namespace: null, name: 'n1' });
  return ((spec as JsonObject)['taints'] ?? []) as readonly JsonObject[];
}

describe('a startup taint', () => {
  const fix = (at: Scene): Promise<FixStep> => fixTaint(ORDER, MACHINE, at.tools());

  test('that the finding names goes, and the others stay', async () => {
    const at = withTaints([OTHER, TAINT]);
    assert.equal((await fix(at)).outcome, 'written');
    assert.deepEqual(await taintsOf(at), [OTHER]);
  });

  test('is put back on the same Node', async () => {
    const at = withTaints([TAINT]);
    await fix(at);
    const undone = await undoTaint(at.notes[0] ?? {}, ORDER, at.tools());
    assert.equal(undone.outcome, 'written', undone.why);
    assert.deepEqual(await taintsOf(at), [TAINT]);
  });

  test('is not put on another Node of the same name', async () => {
    const at = withTaints([]);
    const note = { name: 'n1', uid: 'another', taint: TAINT };
    assert.equal((await undoTaint(note, ORDER, at.tools())).outcome, 'refused');
  });

  test('that moved meanwhile is looked for again', async () => {
    const at = withTaints([TAINT]);
    at.before.push(() => {
      at.api.put(NODES, { metadata: { name: 'n1' }, spec: { taints: [OTHER, TAINT] } });
    });
    assert.equal((await fix(at)).outcome, 'written');
    assert.deepEqual(await taintsOf(at), [OTHER]);
  });

  test('of Kubernetes itself is never taken off', () => {
    const key = 'node.kubernetes.io/not-ready';
    const node = { spec: { taints: [{ key, effect: 'NoExecute' }] } };
    assert.deepEqual(namedTaints(node, `The taint ${key} stays.`), []);
  });
});
