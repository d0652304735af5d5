import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exitCodeOfRollCall } from '../../src/apps/cli/commands/status.ts';
import { rollCallPage } from '../../src/apps/cli/table/roll-call-table.ts';
import type { RollCallDocument } from '../../src/diagnosis/roll-call/document.ts';
import { row } from '../roll-call/fixtures.ts';

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

test('so does a machine that depends on it, where only machines are shown', () => {
  assert.equal(exitCodeOfRollCall({ ...FINE, rows: [row({ risks: ['aws-auth-missing'] })] }), 1);
  assert.equal(exitCodeOfRollCall({ ...FINE, rows: [row()] }), 0);
});

test('the row of such a machine says so beside its verdict', () => {
  const note = 'At risk from the cluster: aws-auth-missing.';
  const rows = [row({ risks: ['aws-auth-missing'], note })];
  const options = { wide: false, headers: true, columns: 160, colour: false, nowMs: null };
  const [, line = ''] = rollCallPage({ ...FINE, rows }, rows, options);
  assert.match(line, /usable .*At risk from the cluster: aws-auth-missing\./);
});
