import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EVICTIONS_MAX } from '../gate/policies/node-gate.ts';
import { EVICTIONS_KEY, noteAction, readNoted } from './noted.ts';

const ONE = { pod: 'pod-1', workload: 'set-1', atMs: Date.UTC(2026, 0, 1) };
const GATE = { metadata: { name: 'workers', uid: 'u1', resourceVersion: '7' } };

function noting(text: string): ReturnType<typeof readNoted> {
  return readNoted({ metadata: { annotations: { [EVICTIONS_KEY]: text } } });
}

describe('evictions that a NodeGate notes', () => {
  test('are read as they were written', () => {
    const { write } = noteAction(GATE, [ONE], 'why');
    assert.ok(write.verb === 'patch' && write.patch.type === 'merge');
    assert.deepEqual(readNoted(write.patch.change), [ONE]);
  });

  test('I-12: are written on the very version that was read', () => {
    const { object, write } = noteAction(GATE, [ONE], 'why');
    assert.deepEqual(object.seen, { uid: 'u1', resourceVersion: '7' });
    assert.ok(write.verb === 'patch');
    assert.equal(write.requires, 'same-version');
  });

  test('are an empty list where nothing is noted', () => {
    for (const gate of [{}, { metadata: {} }, { metadata: { annotations: {} } }])
      assert.deepEqual(readNoted(gate), []);
  });

  test('are unknown where one of them cannot be read', () => {
    const good = JSON.stringify([{ ...ONE, at: '2026-01-01T00:00:00Z' }]);
    assert.equal(noting(good)?.length, 1);
    const many = Array.from({ length: EVICTIONS_MAX + 1 }, () => JSON.parse(good).at(0));
    for (const text of [
      '',
      'x',
      '{}',
      '[1]',
      '[null]',
      '[{}]',
      good.replace('2026', 'year'),
      good.replace('pod-1', 'a b'),
      good.replace('set-1', 'x'.repeat(65)),
      JSON.stringify(many),
      `${good}${' '.repeat(300_000)}`,
    ])
      assert.equal(noting(text), null, text.slice(0, 40));
  });
});
