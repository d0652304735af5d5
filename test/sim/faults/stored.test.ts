import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, textAt } from '../../../src/evidence/json.ts';
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

  test('corrupts a providerID, which nobody may change, and gives it back', () => {
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
});
