import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, textAt } from '../../../src/evidence/json.ts';
import { faultOf } from '../../../src/sim/faults/faults.ts';
import { randomStream } from '../../../src/sim/kernel/random.ts';
import { inject, nodeIn, pass, stageWith } from './stage.ts';

const stage = stageWith(({ kind, isNodeRoleMapped }) => kind === 'eks' && isNodeRoleMapped);

describe('F14', () => {
  test('corrupts the key of a label past all rules, and gives it back', () => {
    const injected = inject(stage, 'F14', (what) => what.includes('label'));
    const zone = (): unknown =>
      (at(nodeIn(stage, injected), 'metadata.labels') as Record<string, unknown>)[
        'topology.kubernetes.io/zone'
      ];
    assert.equal(zone(), undefined);
    injected.undo();
    assert.equal(typeof zone(), 'string');
  });

  test('corrupts a providerID and restores it', () => {
    const before = stage.people.list('Node').map((node) => textAt(node, 'spec.providerID'));
    const injected = inject(stage, 'F14', (what) => what.includes('providerID'));
    const during = stage.people.list('Node').map((node) => textAt(node, 'spec.providerID'));
    assert.equal(during.filter((id, index) => id !== before[index]).length, 1);
    injected.undo();
    pass(stage, 1);
    const after = stage.people.list('Node').map((node) => textAt(node, 'spec.providerID'));
    assert.deepEqual(after, before);
  });
});

describe('F15', () => {
  test('leaves no room for another annotation until it ends', () => {
    const injected = inject(stage, 'F15');
    const name = injected.what.slice(0, injected.what.indexOf(':'));
    const annotate = (): boolean =>
      stage.people.patch('Node', name, 'merge', { metadata: { annotations: { more: 'x' } } }).ok;
    assert.ok(!annotate());
    injected.undo();
    assert.ok(annotate());
  });

  test('strikes no Node that it has filled already', () => {
    const first = inject(stage, 'F15');
    const name = first.what.slice(0, first.what.indexOf(':'));
    const others = new Set<string>();
    for (let seed = 1; seed < 40; seed++) {
      const again = faultOf('F15')?.inject(stage, randomStream(seed, 'again')) ?? null;
      if (again === null) continue;
      others.add(again.what.slice(0, again.what.indexOf(':')));
      again.undo();
    }
    assert.ok(others.size > 0 && !others.has(name), [...others].join());
    first.undo();
  });
});
