import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nodeOf } from '../../evidence/testing.ts';
import { joinedNode, lacksLabel, unmetSelector } from './labels.ts';

const WHOLE = nodeOf('a', { labels: { pool: 'gpu' } });
const TABLE = nodeOf('a', { labels: { pool: 'gpu' }, absentLabels: ['zone'] });

describe('a label', () => {
  test('is missing where all labels are shown, or its column is empty', () => {
    assert.deepEqual(
      ['pool', 'zone', 'arch'].map((key) => [lacksLabel(WHOLE, key), lacksLabel(TABLE, key)]),
      [
        [false, false],
        [true, true],
        [true, false],
      ],
    );
  });

  test('of a selector is unmet by another value and where it is missing', () => {
    assert.equal(unmetSelector({ pool: 'gpu' }, WHOLE), null);
    assert.equal(unmetSelector({ pool: 'gpu', arch: 'arm64' }, WHOLE), 'arch=arm64');
    assert.equal(unmetSelector({ arch: 'arm64' }, TABLE), null);
    assert.equal(unmetSelector({ pool: 'web' }, TABLE), 'pool=web');
    assert.equal(unmetSelector({ zone: '' }, TABLE), 'zone=');
  });
});

test('parts of a Node are one Node', () => {
  const taints = [{ key: 'k', value: '', effect: 'NoSchedule', addedMs: null }];
  const parts = [
    nodeOf('a', { ready: null, taints: null, labels: { one: '1' }, absentLabels: ['x'] }),
    nodeOf('a', { ready: false, taints, labels: { one: '2', two: '2' }, absentLabels: ['y'] }),
  ];
  const joined = joinedNode(parts);
  assert.deepEqual(
    [joined?.ready, joined?.taints, joined?.labels, joined?.absentLabels],
    [false, taints, { one: '1', two: '2' }, ['x', 'y']],
  );
  assert.equal(joinedNode([]), null);
  assert.equal(joinedNode([TABLE, WHOLE])?.absentLabels, undefined);
});
