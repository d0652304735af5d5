import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writtenBy } from '../testing.ts';
import { readLookups } from './lookups.ts';

test('a search for one machine says what the question is about', () => {
  const lines = [
    '$ kubectl logs deploy/karpenter | grep -i ip-10-0-1-9',
    "$ journalctl -u a | grep 'i-0a1b2c3d4e5f60718' | tail",
    '$ kubectl logs deploy/karpenter | grep ERROR',
    'we tried | grep ip-10-0-1-9',
  ];
  const { said } = writtenBy((passage) => {
    readLookups(passage, lines);
  });
  assert.deepEqual(
    said.map(({ text, line }) => [line, text]),
    [
      [1, 'asked about ip-10-0-1-9'],
      [2, 'asked about i-0a1b2c3d4e5f60718'],
    ],
  );
});
