import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../evidence/json.ts';
import { failureOfWrite } from './kube-refusal.ts';

const UID = { details: { causes: [{ field: 'metadata.uid', reason: 'FieldValueInvalid' }] } };
const FIELD = { details: { causes: [{ field: 'spec.taints', reason: 'FieldValueInvalid' }] } };
const BUDGET = { details: { causes: [{ reason: 'DisruptionBudget', message: 'm' }] } };
const WEBHOOK = { message: 'Internal error occurred: failed calling webhook "a.b": EOF' };
const BUDGETS = { message: 'This pod has more than one PodDisruptionBudget, which …' };

const POLICY = {
  message: `nodes "n1" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`,
};

const CASES: readonly (readonly [string, number, JsonObject | null, boolean, string | null])[] = [
  ['a name that is taken', 409, { reason: 'AlreadyExists' }, false, 'already-exists'],
  ['a version that has moved', 409, { reason: 'Conflict' }, false, null],
  ['another UID', 422, UID, false, 'conflict'],
  ['a wrong field', 422, FIELD, false, null],
  ['a wrong field after a JSON patch', 422, FIELD, true, null],
  ['a JSON patch that does not fit', 422, { details: {} }, true, 'conflict'],
  ['a policy that denies a JSON patch', 422, POLICY, true, 'denied'],
  ['a policy that denies a merge patch', 422, POLICY, false, 'denied'],
  ['a merge patch without causes', 422, { details: {} }, false, null],
  ['a budget', 429, BUDGET, false, 'budget'],
  ['throttling', 429, { reason: 'TooManyRequests' }, false, null],
  ['two budgets', 500, BUDGETS, false, 'budget'],
  ['a webhook that fails', 500, WEBHOOK, false, 'unavailable'],
  ['an error of etcd', 500, { message: 'etcdserver: request timed out' }, false, 'unclear'],
  ['a proxy without a server', 502, null, false, 'unclear'],
  ['a server out of time', 504, { reason: 'Timeout' }, false, 'unclear'],
  ['a request that took too long to arrive', 408, null, false, 'unclear'],
  ['a method that nobody knows', 501, null, false, null],
  ['a refusal', 403, { reason: 'Forbidden' }, false, null],
];

for (const [what, code, status, isJsonPatch, failure] of CASES)
  test(`a write answered with ${what} is ${failure ?? 'what its status says'}`, () => {
    assert.equal(failureOfWrite({ code, status, isJsonPatch, isDryRun: false }), failure);
  });

test('a dry run that fails inside the server leaves nothing unclear', () => {
  const refused = { code: 504, status: null, isJsonPatch: false, isDryRun: true };
  assert.equal(failureOfWrite(refused), null);
  const budget = { ...refused, code: 429, status: BUDGET };
  assert.equal(failureOfWrite(budget), 'budget');
});
