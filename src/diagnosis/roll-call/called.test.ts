import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCalled, rowsCalled } from './called.ts';
import type { RollCallDocument } from './document.ts';
import { row } from './testing.ts';

const ROW = row('ip-10-0-0-1.ec2.internal', {
  instanceId: 'i-0aaaaaaaaaaaaaaa1',
  node: 'worker-1.example',
});

for (const [name, isIt] of [
  ['ip-10-0-0-1.ec2.internal', true],
  ['IP-10-0-0-1', true],
  ['i-0aaaaaaaaaaaaaaa1', true],
  ['worker-1', true],
  ['worker-1.other', false],
  ['worker', false],
] as const)
  test(`the row ${isIt ? 'goes' : 'does not go'} by ${name}`, () => {
    assert.equal(isCalled(ROW, name), isIt);
  });

test('reports nothing in common for machines requested by name', () => {
  const shared = { attribute: 'zone', value: 'a', failing: 4, failingOfAll: 4, usable: 0 } as const;
  const document: RollCallDocument = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'RollCall',
    catalogueVersion: '',
    rows: [ROW, { ...ROW, name: 'b', instanceId: null, node: null }],
    shared: [{ ...shared, cause: null }],
    gaps: [],
    cluster: [],
    notObservable: [],
    losses: [],
  };
  const asked = rowsCalled(document, ['b', 'c']);
  assert.deepEqual([asked.rows.map(({ name }) => name), asked.shared], [['b'], []]);
});
