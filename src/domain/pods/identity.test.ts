import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assumedRoleIn, type IdentityAnswer, judgeIdentity } from './identity.ts';

const REFUSED: IdentityAnswer = { kind: 'refused', why: 'no role (status 404).' };
const FAILED: IdentityAnswer = { kind: 'failed', reason: 'NoAnswer', why: 'silence.' };

function role(name: string, session: string | null = null): IdentityAnswer {
  return { kind: 'role', role: name, session };
}

const CASES: readonly (readonly [string, IdentityAnswer, string | null, string])[] = [
  ["the canary's role", role('canary'), 'canary', 'yes OwnIdentity'],
  ["the node's role", role('node'), 'canary', 'no NodeIdentity'],
  ["the node's role where it was asked for", role('node'), 'node', 'no NodeIdentity'],
  ['the session of an instance', role('x', 'i-0123456789abcdef0'), 'x', 'no NodeIdentity'],
  ['the role of another pod', role('team'), 'canary', 'no WrongRole'],
  ['a role in place of a refusal', role('team'), null, 'no UnexpectedRole'],
  ['the refusal that is the proof', REFUSED, null, 'yes RefusedAsExpected'],
  ['a refusal of the canary', REFUSED, 'canary', 'no Refused'],
  ['silence', FAILED, null, 'no NoAnswer'],
];

for (const [what, answer, expected, verdict] of CASES)
  test(`${what}: ${verdict}`, () => {
    const judged = judgeIdentity(answer, { way: 'kiam', role: expected, nodeRole: 'node' }, 12);
    assert.equal(`${judged.answer} ${judged.reason}`, verdict);
    assert.match(judged.message, /^kiam.*\(12 ms\)/);
  });

test('reads role and session of an assumed role alone', () => {
  const arn = 'arn:aws:sts::111122223333:assumed-role/canary/eks-shop-agent-1';
  assert.deepEqual(assumedRoleIn(arn), { role: 'canary', session: 'eks-shop-agent-1' });
  assert.deepEqual(assumedRoleIn('arn:aws-cn:sts::1:assumed-role/a/b')?.role, 'a');
  for (const other of ['arn:aws:iam::111122223333:user/ann', 'arn:aws:sts::1:assumed-role/a', ''])
    assert.equal(assumedRoleIn(other), null);
});
