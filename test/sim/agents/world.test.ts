/** What an agent says of instance metadata is what pods truly get, and mistakes are noticed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIVENESS, SAFETY } from '../../../src/sim/invariants/list.ts';
import { PLANTED_KINDS } from '../../../src/sim/planted/list.ts';
import { shippedPolicies } from '../platform/shipped-admission.ts';
import { AGENT_BUGS } from './bugs.ts';
import { hastyAgent, patientAgent } from './redirects.ts';
import { playAgent } from './world.ts';

test('I-02: a Node says that pods are kept from its role while they are, and no longer', async () => {
  const { violations, evaluations, statuses } = await playAgent();
  assert.deepEqual(violations, []);
  assert.ok(evaluations > 150, `${evaluations}`);
  const rest = statuses.slice(statuses.indexOf('False'));
  assert.deepEqual(rest, ['False', 'True', 'False', 'True', 'False', 'True']);
});

test('I-36: agents that are away, and their policy that cannot be evaluated, stop no kubelet', async () => {
  const { violations, statuses } = await playAgent({ outage: shippedPolicies() });
  assert.deepEqual(violations, []);
  assert.equal(statuses.at(-1), 'True');
});

describe('I-01: no Pod comes before it gets its own role', () => {
  test('where an agent redirects once it reaches its server, and is gated by its readiness', async () => {
    const redirect = { program: patientAgent, gate: 'daemonset' } as const;
    const { violations } = await playAgent({ redirect });
    assert.deepEqual(violations, []);
  });

  test('where kiam redirects first, and is gated by what a Pod gets', async () => {
    const redirect = { program: hastyAgent, gate: 'condition' } as const;
    const { violations, statuses } = await playAgent({ redirect });
    assert.deepEqual(violations, []);
    assert.ok(statuses.includes('True'), statuses.join());
  });
});

describe('a planted mistake is caught:', () => {
  for (const { id, caughtBy, plan } of AGENT_BUGS)
    test(`${id} by ${caughtBy.join()}`, async () => {
      assert.ok(PLANTED_KINDS.some((one) => one.id === id) || !/^P\d+$/.test(id));
      const { violations } = await playAgent(plan);
      const rules = new Set<string>(violations.map(({ rule }) => rule));
      for (const rule of caughtBy) {
        assert.ok([...SAFETY, ...LIVENESS].some((one) => one.id === rule));
        assert.ok(rules.has(rule), `${rule} holds; of the others: ${[...rules].join()}`);
      }
    });
});
