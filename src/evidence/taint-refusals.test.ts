import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeNode, KubeTaint } from './kinds.ts';
import { refusingNodes, taintThatKeepsOut, tolerates } from './taint-refusals.ts';

const PREEMPTION = 'no new claims to deallocate, preemption: 0/2 nodes are available: 2 …';

function taint(key: string, effect = 'NoSchedule'): KubeTaint {
  return { key, value: 'yes', effect, addedMs: null };
}

function node(...keys: readonly string[]): KubeNode {
  return { taints: keys.map((key) => taint(key)) } as unknown as KubeNode;
}

test('only a message in which all nodes refuse for taints without a name counts', () => {
  const said = (reasons: string): number | null =>
    refusingNodes(`0/2 nodes are available: ${reasons}. ${PREEMPTION}`);
  assert.equal(said('2 node(s) had untolerated taint(s)'), 2);
  assert.equal(said('1 Insufficient cpu, 1 node(s) had untolerated taint(s)'), null);
  assert.equal(said('1 node(s) had untolerated taint(s), 1 Too many pods'), null);
  assert.equal(said('2 node(s) had untolerated taint {dedicated: batch}'), null);
});

test('a toleration fits by key, value and effect, and without a key fits all', () => {
  const own = taint('dedicated');
  assert.equal(tolerates({ operator: 'Exists' }, own), true);
  assert.equal(tolerates({ operator: 'Exists', effect: 'NoExecute' }, own), false);
  assert.equal(tolerates({ key: 'dedicated', value: 'yes' }, own), true);
  assert.equal(tolerates({ key: 'dedicated', value: 'no' }, own), false);
  assert.equal(tolerates({ key: 'dedicated', operator: 'Gt', value: '5' }, own), true);
  assert.equal(tolerates({ key: 'other', operator: 'Exists' }, own), false);
});

test('without the tolerations one node must carry nothing else', () => {
  const isMeant = (key: string): boolean => key === 'gate';
  const refusal = { refusing: 2, tolerations: null };
  assert.equal(taintThatKeepsOut(refusal, [node('role', 'gate'), node('gate')], isMeant), 'gate');
  const both = [node('role', 'gate'), node('role', 'gate')];
  assert.equal(taintThatKeepsOut(refusal, both, isMeant), null);
  const tolerations = [{ key: 'role', operator: 'Exists' }];
  assert.equal(taintThatKeepsOut({ refusing: 2, tolerations }, both, isMeant), 'gate');
  const gate = [{ key: 'gate', operator: 'Exists' }];
  assert.equal(taintThatKeepsOut({ refusing: 2, tolerations: gate }, both, isMeant), null);
});

test('a taint that not every refusing node is seen to carry keeps nobody out for sure', () => {
  const refusal = { refusing: 2, tolerations: null };
  assert.equal(
    taintThatKeepsOut(refusal, [node('gate')], () => true),
    null,
  );
  const one = [node('gate'), node('role')];
  assert.equal(
    taintThatKeepsOut(refusal, one, () => true),
    null,
  );
});
