import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetLines, costsIn, longestFirst, slowestLines } from './costs.ts';

const ROOT = '/checkout';
const TOLD =
  '1200\t/checkout/test/sim/a.test.ts\n31040\t/checkout/test/cli/lab/b.test.ts\n900\t/checkout/tools/tests/together/inner.ts\n';

test('sums the seconds that processes report by file', () => {
  assert.deepEqual(costsIn(TOLD, ROOT), {
    'test/sim/a.test.ts': 1.2,
    'test/cli/lab/b.test.ts': 31,
    'tools/tests/together/inner.ts': 0.9,
  });
});

test('runs the longest file first and an unmeasured one last', () => {
  const files = ['/checkout/c.test.ts', '/checkout/a.test.ts', '/checkout/b.test.ts'];
  assert.deepEqual(longestFirst(files, { 'a.test.ts': 1, 'b.test.ts': 9 }, ROOT), [
    '/checkout/b.test.ts',
    '/checkout/a.test.ts',
    '/checkout/c.test.ts',
  ]);
});

test('lists the ten slowest files with the sum of all', () => {
  const costs = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, index]));
  const [head, first, ...rest] = slowestLines(costs);
  assert.equal(head, '\nProcessor time of 12 processes: 66 s. The slowest:');
  assert.equal(first, '   11.0 s  f11');
  assert.equal(rest.length, 9);
});

test('lists a room with its budget and marks one over budget', () => {
  const lines = budgetLines(costsIn(TOLD, ROOT), {
    'test/cli': 20,
    'shared processes': 5,
    other: 9,
  });
  assert.deepEqual(lines, [
    'Rooms, of their budgets:',
    '   31.0 s  test/cli, of 20 s, over it: share the work or raise it in tools/tests/budgets.json',
    '    1.2 s  other, of 9 s',
    '    0.9 s  shared processes, of 5 s',
  ]);
});
