/** Taints that a document gave up, marks that several policies share, and what policies say of one another. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rememberNode } from '../../../src/controllers/gate/memory.ts';
import { readNode } from '../../../src/controllers/gate/node-facts.ts';
import { type Decided, planOf } from '../../../src/controllers/gate/plan.ts';
import { selectionWarning, sharedTaints } from '../../../src/controllers/gate/policies/checks.ts';
import { readNidhogg } from '../../../src/controllers/gate/policies/nidhogg.ts';
import {
  readSelectorText,
  selectorText,
} from '../../../src/controllers/gate/policies/selector-text.ts';
import {
  canOverlap,
  contradictedLabel,
} from '../../../src/controllers/gate/policies/selector-sets.ts';
import type {
  GatePolicy,
  LabelRequirement,
  TaintRelease,
} from '../../../src/controllers/gate/policy.ts';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';

const NOW_MS = Date.UTC(2026, 2, 1, 12);
const PREFIX = 'nidhogg.uswitch.com/';
const RELEASES: readonly TaintRelease[] = [{ key: PREFIX, isPrefix: true, effect: null }];

const POLICIES: readonly GatePolicy[] = readNidhogg({
  value: { daemonsets: ['cni', 'kiam'].map((name) => ({ name, namespace: 'kube-system' })) },
  lineOf: () => 1,
}).policies;

function decided(act: Decided['decision']['act'], index: number): Decided {
  const policy = POLICIES[index] ?? assert.fail('no policy');
  return { policy, decision: { act, reason: 'Opened', againMs: null }, why: 'why' };
}

function operations(
  taints: readonly JsonObject[],
  all: readonly Decided[],
  releases = RELEASES,
): readonly JsonObject[] {
  const object = { metadata: { name: 'n', uid: 'u', resourceVersion: '1' }, spec: { taints } };
  const node = readNode(object) ?? assert.fail('no node');
  const memory = rememberNode(undefined, node, false);
  const action = planOf({ node, memory, decided: all, nowMs: NOW_MS, releases });
  const write = action?.write;
  return write?.verb === 'patch' && write.patch.type === 'json' ? write.patch.operations : [];
}

function taint(key: string, effect = 'NoSchedule'): JsonObject {
  return { key, effect };
}

describe('a taint that a document gave up', () => {
  test('goes, whatever its effect, and no other does', () => {
    const taints = [
      taint('a/b'),
      taint(`${PREFIX}x.y`, 'NoExecute'),
      taint('nidhogg.uswitch.community/x'),
    ];
    assert.deepEqual(operations(taints, []), [{ op: 'remove', path: '/spec/taints/1' }]);
  });

  test('stays while a policy of the node keeps it', () => {
    assert.deepEqual(operations([taint(`${PREFIX}kube-system.cni`)], [decided('keep', 0)]), []);
  });

  test('goes with another effect than that of the policy', () => {
    const taints = [taint(`${PREFIX}kube-system.cni`, 'NoExecute')];
    assert.deepEqual(operations(taints, [decided('keep', 0)]), [
      { op: 'remove', path: '/spec/taints/0' },
    ]);
  });

  test('of one key and effect leaves the same key with another effect', () => {
    const one: TaintRelease = { key: 'readiness.k8s.io/a', isPrefix: false, effect: 'NoSchedule' };
    const taints = [
      taint('readiness.k8s.io/a', 'NoExecute'),
      taint('readiness.k8s.io/ab'),
      taint('readiness.k8s.io/a'),
    ];
    assert.deepEqual(operations(taints, [], [one]), [{ op: 'remove', path: '/spec/taints/2' }]);
  });
});

describe('a mark that policies share', () => {
  const marks = (all: readonly JsonObject[]): number =>
    all.filter((one) => textAt(one, 'path')?.startsWith('/metadata/annotations')).length;

  test('is not written while one of them keeps its node shut', () => {
    const taints = [taint(`${PREFIX}kube-system.cni`), taint(`${PREFIX}kube-system.kiam`)];
    assert.equal(marks(operations(taints, [decided('open', 0), decided('keep', 1)])), 0);
  });

  test('is written when the last of them opens', () => {
    const taints = [taint(`${PREFIX}kube-system.kiam`)];
    assert.equal(marks(operations(taints, [decided('open', 0), decided('open', 1)])), 1);
  });
});

function requirements(text: string): readonly LabelRequirement[] {
  const read = readSelectorText(text);
  return read.ok ? read.requirements : assert.fail(read.why);
}

describe('selectors', () => {
  test('are printed as they are read', () => {
    for (const text of ['a in (b)', 'a notin (b,c)', 'a', '!a', 'a in (b),!c'])
      assert.equal(selectorText(requirements(text)), text);
  });

  test('overlap where a node could meet both', () => {
    const CASES: readonly (readonly [string, string, boolean])[] = [
      ['', 'a=b', true],
      ['a=b', 'a=c', false],
      ['a in (b,c)', 'a notin (b)', true],
      ['a in (b)', 'a notin (b)', false],
      ['a', '!a', false],
      ['!a', 'a notin (b)', true],
      ['a=b', 'c=d', true],
    ];
    for (const [one, other, isSo] of CASES)
      assert.equal(canOverlap(requirements(one), requirements(other)), isSo, `${one} and ${other}`);
  });

  test('that contradict themselves name the label', () => {
    assert.equal(contradictedLabel(requirements('c=d,a in (b),a!=b')), 'a');
    assert.equal(contradictedLabel(requirements('a!=b,!a')), null);
  });

  test('that are no selectors are refused', () => {
    for (const text of [
      'a > 3',
      'a=b=c',
      'in (a)',
      `a=${'x'.repeat(64)}`,
      '-a',
      `${'a,'.repeat(65)}b`,
    ])
      assert.equal(readSelectorText(text).ok, false, text);
  });
});

describe('policies beside one another', () => {
  const [cni] = POLICIES;
  const policy = (name: string, selector: string, key = 'a/b'): GatePolicy => ({
    ...(cni ?? assert.fail('no policy')),
    source: { kind: 'NodeGate', name, uid: name, generation: 1 },
    selects: { requirements: requirements(selector), placedBy: null },
    taint: { key, value: '', effect: 'NoSchedule' },
  });

  test('are warned of where they keep one taint on the same nodes', () => {
    const shared = sharedTaints([
      policy('x', 'p=1'),
      policy('y', 'p in (1,2)'),
      policy('z', 'p=3'),
    ]);
    assert.deepEqual([...shared.keys()], ['NodeGate x', 'NodeGate y']);
    assert.match(
      shared.get('NodeGate x') ?? '',
      /with NodeGate y; the taint goes when all of them/,
    );
  });

  test('of thousands with one taint are compared as far as a limit', () => {
    const all = Array.from({ length: 5000 }, (_, index) => policy(`g${index}`, `p=${index}`));
    assert.equal(sharedTaints(all).size, 0);
    const same = Array.from({ length: 5000 }, (_, index) => policy(`g${index}`, ''));
    assert.match(sharedTaints(same).get('NodeGate g0') ?? '', /and 4996 more/);
  });

  test('are warned of when they select nothing or everything', () => {
    const one = policy('x', 'p=1');
    assert.equal(selectionWarning(one, 0, 3), 'It selects no node.');
    assert.equal(selectionWarning(one, 3, 3), 'It selects every node.');
    assert.equal(selectionWarning(one, 2, 3), null);
    assert.equal(selectionWarning(one, 0, 0), null);
    assert.equal(selectionWarning(one, 1, 1), null);
  });
});
