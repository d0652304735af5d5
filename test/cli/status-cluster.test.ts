import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exitCodeOfRollCall } from '../../src/apps/cli/commands/status.ts';
import type { RollCallDocument } from '../../src/diagnosis/roll-call/document.ts';

const FINE: RollCallDocument = {
  apiVersion: 'rollcall.dev/v1alpha1',
  kind: 'RollCall',
  catalogueVersion: 't',
  rows: [],
  shared: [],
  gaps: [],
  cluster: [],
  notObservable: [],
  losses: [],
};

test('a cause of the cluster itself ends with 1, whatever its machines show', () => {
  const finding = {
    name: 'harbor',
    cause: 'aws-auth-missing',
    stage: 'authenticated' as const,
    confidence: 'likely' as const,
    summary: 'The ConfigMap kube-system/aws-auth does not exist.',
  };
  assert.equal(exitCodeOfRollCall({ ...FINE, cluster: [finding] }), 1);
  assert.notEqual(exitCodeOfRollCall(FINE), 1);
});
