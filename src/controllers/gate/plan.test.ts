import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isObject, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Decision } from './decide.ts';
import { rememberNode } from './memory.ts';
import { readNode } from './node-facts.ts';
import { planOf } from './plan.ts';
import type { GatePolicy, GateTaint } from './policy.ts';
import { readNodeGate } from './policies/node-gate.ts';

const EFFECTS = ['NoSchedule', 'NoExecute', 'PreferNoSchedule'] as const;
const KEYS = ['readiness.k8s.io/a', 'readiness.k8s.io/b', 'regress.rollcall.dev/a', 'x.example/y'];
const ACTS: readonly Decision['act'][] = ['open', 'keep', 'put-startup', 'put-regress'];

function policyOf(name: string, taint: GateTaint): GatePolicy {
  const { policies } = readNodeGate({
    metadata: { name, uid: `uid-${name}`, generation: 1 },
    spec: { nodeSelector: {}, taint: { ...taint }, proofs: [{ resource: { name: 'cpu' } }] },
  });
  return policies[0] ?? assert.fail('no policy');
}

const taint = fc.record({
  key: fc.constantFrom(...KEYS),
  value: fc.constantFrom('', 'v'),
  effect: fc.constantFrom(...EFFECTS),
});
const taints = fc.uniqueArray(taint, {
  maxLength: 5,
  selector: (one) => `${one.key}:${one.effect}`,
});
const decided = fc.array(fc.record({ taint, act: fc.constantFrom(...ACTS) }), { maxLength: 4 });

/** What the API server makes of the operations. */
function applied(node: JsonObject, operations: readonly JsonObject[]): readonly JsonObject[] {
  const list = [...(listAt(node, 'spec.taints') as readonly JsonObject[])];
  for (const operation of operations) {
    const path = textAt(operation, 'path') ?? '';
    const { op, value = null } = operation;
    if (!path.startsWith('/spec/taints')) continue;
    if (op === 'remove') list.splice(Number(path.split('/')[3]), 1);
    else if (path.endsWith('/-') && isObject(value)) list.push(value);
    else list.push(...(value as readonly JsonObject[]));
  }
  return list;
}

function nameOf(one: JsonObject): string {
  return `${textAt(one, 'key')}:${textAt(one, 'effect')}`;
}

test('a plan changes no taint but those of its policies, and repeats none', () =>
  fc.assert(
    fc.property(taints, decided, (present, choices) => {
      const object = {
        metadata: { name: 'n', uid: 'u', resourceVersion: '1' },
        spec: { taints: present },
      };
      const node = readNode(object) ?? assert.fail('no node');
      const memory = rememberNode(undefined, node, false);
      const all = choices.map((choice, index) => ({
        policy: policyOf(`p${index}`, choice.taint),
        decision: { act: choice.act, reason: 'Unproven', againMs: null } as const,
        why: 'w',
      }));
      const action = planOf({ node, memory, decided: all, nowMs: 0 });
      if (action === null) return;
      assert.ok(action.write.verb === 'patch' && action.write.patch.type === 'json');
      assert.deepEqual(action.object.seen, { uid: 'u', resourceVersion: '1' });
      const after = applied(object, action.write.patch.operations);
      const names = after.map(nameOf);
      assert.equal(new Set(names).size, names.length);
      const ours = new Set(
        all.flatMap(({ policy }) =>
          [policy.taint, policy.regressTaint].map((one) => nameOf({ ...one })),
        ),
      );
      const foreign = present.filter((one) => !ours.has(nameOf(one)));
      assert.deepEqual(
        after.filter((one) => !ours.has(nameOf(one))),
        foreign,
      );
      for (const { policy, decision } of all)
        if (decision.act === 'put-startup') assert.ok(names.includes(nameOf({ ...policy.taint })));
        else if (
          decision.act === 'keep' &&
          present.some((one) => nameOf(one) === nameOf({ ...policy.taint }))
        )
          assert.ok(names.includes(nameOf({ ...policy.taint })));
    }),
    { numRuns: 1_000 },
  ));

const OPEN: Decision = { act: 'open', reason: 'Opened', againMs: null };
const TAINT: GateTaint = { key: 'readiness.k8s.io/a', value: '', effect: 'NoSchedule' };

function planOfOne(isDryRun: boolean): ReturnType<typeof planOf> {
  const metadata = { name: 'n', uid: 'u', resourceVersion: '1' };
  const node = readNode({ metadata, spec: { taints: [{ ...TAINT }] } }) ?? assert.fail('no node');
  const policy = { ...policyOf('p', TAINT), isDryRun };
  const memory = rememberNode(undefined, node, false);
  return planOf({ node, memory, decided: [{ policy, decision: OPEN, why: 'w' }], nowMs: 0 });
}

test('a plan is refused for a Node that changed since it was seen', () => {
  const { write } = planOfOne(false) ?? assert.fail('no plan');
  assert.ok(write.verb === 'patch');
  assert.equal(write.requires, 'same-version');
});

test('a policy in dry run writes nothing', () => {
  assert.equal(planOfOne(true), null);
});
