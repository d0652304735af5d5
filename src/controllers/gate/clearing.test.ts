import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Action } from '../../ports/action.ts';
import { clearedNode, releasedPolicy, releasesOf } from './clearing.ts';
import { readNode } from './node-facts.ts';
import { NODE_GATES, readNodeGate } from './policies/node-gate.ts';

const OWN = { key: 'readiness.k8s.io/a', effect: 'NoSchedule' };

function releases(spec: JsonObject = {}): ReturnType<typeof releasesOf> {
  const proofs = [{ resource: { name: 'cpu' } }];
  const { policies } = readNodeGate({
    metadata: { name: 'a', uid: 'g', generation: 1 },
    spec: { nodeSelector: {}, taint: OWN, proofs, ...spec },
  });
  return releasesOf(policies);
}

function cleared(
  taints: readonly JsonObject[],
  annotations: JsonObject = {},
  spec: JsonObject = {},
): Action | null {
  const metadata = { name: 'n', uid: 'u', resourceVersion: '7', annotations };
  const node = readNode({ metadata, spec: { taints } }) ?? assert.fail('no node');
  return clearedNode(node, releases(spec));
}

function operationsOf(action: Action | null): readonly JsonObject[] {
  if (action?.write.verb !== 'patch' || action.write.patch.type !== 'json') assert.fail('no patch');
  return action.write.patch.operations;
}

describe('what gates have put on a Node', () => {
  test('goes, from the last taint to the first, and nothing of others', () => {
    const taints = [OWN, { key: 'x.example/y', effect: 'NoSchedule' }, OWN];
    const other = { key: 'regress.rollcall.dev/gone', effect: 'NoExecute' };
    assert.deepEqual(operationsOf(cleared([...taints, other])), [
      { op: 'remove', path: '/spec/taints/3' },
      { op: 'remove', path: '/spec/taints/2' },
      { op: 'remove', path: '/spec/taints/0' },
    ]);
  });

  test('with another effect is another taint', () => {
    assert.equal(cleared([{ ...OWN, effect: 'NoExecute' }]), null);
    assert.equal(cleared([{ ...OWN, key: 'readiness.k8s.io/ab' }]), null);
  });

  test('of a gate in a dry run stays, as another program may have put it', () => {
    assert.equal(cleared([OWN], {}, { dryRun: true }), null);
  });

  test('includes the records of openings, also of gates that are gone', () => {
    const annotations = { 'gate.rollcall.dev/1-2': 'x', 'other.example/a': 'y' };
    assert.deepEqual(operationsOf(cleared([], annotations)), [
      { op: 'remove', path: '/metadata/annotations/gate.rollcall.dev~11-2' },
    ]);
  });

  test('is removed only from the Node as it was seen', () => {
    const action = cleared([OWN]);
    assert.deepEqual(action?.object.seen, { uid: 'u', resourceVersion: '7' });
    assert.equal(action.write.verb === 'patch' && action.write.requires, 'same-version');
    assert.match(action.why.text, /^remove readiness\.k8s\.io\/a:NoSchedule$/);
  });
});

test('a policy loses our finalizer and keeps those of others', () => {
  const finalizers = ['other.example/f', 'rollcall.dev/gate-taints'];
  const object = { metadata: { name: 'a', uid: 'g', resourceVersion: '3', finalizers } };
  const action = releasedPolicy(NODE_GATES, object, 'rollcall.dev/gate-taints');
  assert.ok(action?.write.verb === 'patch' && action.write.patch.type === 'merge');
  const { change } = action.write.patch;
  assert.deepEqual(listAt(change, 'metadata.finalizers'), ['other.example/f']);
  assert.equal(releasedPolicy(NODE_GATES, object, 'z'), null);
  assert.equal(textAt(object, 'metadata.name'), 'a');
});
