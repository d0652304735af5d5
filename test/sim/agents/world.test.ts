/** What an agent says of instance metadata is what pods truly get, and mistakes are noticed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIVENESS, SAFETY } from '../../../src/sim/invariants/list.ts';
import { PLANTED_KINDS } from '../../../src/sim/planted/list.ts';
import { AGENT_BUGS } from './bugs.ts';
import { playAgent } from './world.ts';

test('I-02: a Node says that pods are kept from its role while they are, and no longer', async () => {
  const { violations, evaluations, statuses } = await playAgent();
  assert.deepEqual(violations, []);
  assert.ok(evaluations > 150, `${evaluations}`);
  const rest = statuses.slice(statuses.indexOf('False'));
  assert.deepEqual(rest, ['False', 'True', 'False', 'True', 'False', 'True']);
});

describe('a planted mistake is caught:', () => {
  for (const { id, caughtBy, bug } of AGENT_BUGS)
    test(`${id} by ${caughtBy.join()}`, async () => {
      assert.ok(PLANTED_KINDS.some((one) => one.id === id) || !/^P\d+$/.test(id));
      const { violations } = await playAgent(bug);
      const rules = new Set<string>(violations.map(({ rule }) => rule));
      for (const rule of caughtBy) {
        assert.ok([...SAFETY, ...LIVENESS].some((one) => one.id === rule));
        assert.ok(rules.has(rule), `${rule} holds; of the others: ${[...rules].join()}`);
      }
    });
});
