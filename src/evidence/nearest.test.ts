import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editsBetween, nearest } from './nearest.ts';

for (const [from, to, edits] of [
  ['', '', 0],
  ['node', '', 4],
  ['', 'node', 4],
  ['diagnos', 'diagnose', 1],
  ['retaind', 'retained', 1],
  ['kitten', 'sitting', 3],
  ['ab', 'ba', 2],
  ['x'.repeat(100_000), 'x', 99],
] as const)
  test(`from ${JSON.stringify(from.slice(0, 9))} to ${JSON.stringify(to)} are ${edits} edits`, () => {
    assert.equal(editsBetween(from, to), edits);
  });

test('the closest word is meant, and none that is too far away', () => {
  const known = ['status', 'diagnose', 'explain', 'causes'];
  assert.equal(nearest('cuases', known), 'causes');
  assert.equal(nearest('plain', known), 'explain');
  assert.equal(nearest('frobnicate', known), null);
  assert.equal(nearest('statos', known, 0), null);
  assert.equal(nearest('a', []), null);
});

test('of two that are near enough the nearer is meant, whatever their order', () => {
  assert.equal(nearest('retaind', ['retire', 'retained']), 'retained');
  assert.equal(nearest('retaind', ['retained', 'retire']), 'retained');
});
