/** What the reader of NodeGates refuses, word by word; test/real has the same of the API server. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import { BAD_GATES, GOOD_GATES, nodeGate } from './node-gate-table.ts';

describe('the reader refuses a NodeGate with', () => {
  for (const { what, spec, reader } of BAD_GATES)
    if (reader !== null)
      test(what, () => {
        const { refusals } = readNodeGate(nodeGate('g', spec));
        assert.match(refusals.map(({ why }) => why).join('\n'), new RegExp(reader.source, 'm'));
      });
});

describe('the reader accepts', () => {
  for (const [what, spec] of GOOD_GATES)
    test(what, () => {
      const { policies, refusals } = readNodeGate(nodeGate('g', spec));
      assert.deepEqual(refusals, []);
      assert.equal(policies.length, 1);
      assert.equal(policies[0]?.refusedWhy, null);
    });
});

test('a refused NodeGate whose nodes and taint are known keeps its nodes shut', () => {
  const { policies } = readNodeGate(nodeGate('g', { dwell: '5' }));
  assert.deepEqual(
    policies.map(({ taint, refusedWhy }) => [taint.key, refusedWhy]),
    [['readiness.k8s.io/network', 'spec.dwell is "5"; use a duration such as 30s or 5m.']],
  );
});
