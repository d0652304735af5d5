import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import type { Observations } from '../../evidence/observations.ts';
import { createCollector } from '../collector.ts';
import { compileSigns } from '../sign-table.ts';
import { openItems } from './items.ts';

const WANTED = compileSigns([
  {
    owner: 'wanted',
    name: 'word',
    in: ['pod-status'],
    anchors: ['WANTED'],
    pattern: /WANTED/,
    strict: true,
    per: [],
  },
]);

/** What is read of a list that comes in pieces of so many bytes. */
function read(text: string, pieceBytes = 7): Observations {
  const collector = createCollector();
  const document = collector.openDocument('file', null);
  const reader = openItems({ collector, table: WANTED, document });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += pieceBytes)
    reader.push(bytes.slice(at, at + pieceBytes));
  reader.end();
  return collector.finish();
}

function node(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name } };
}

const POD: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  status: { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False', reason: 'WANTED' }] },
};

function factKinds({ facts }: Observations): readonly string[] {
  return facts.map(({ kind }) => kind);
}

function listed({ listings }: Observations): readonly unknown[] {
  return listings.map(({ kind, by, locator }) => [kind, by, locator]);
}

test('a list of Nodes has each Node, and is a listing of all', () => {
  const seen = read(JSON.stringify({ kind: 'List', items: [node('für'), node('b')] }), 1);
  assert.deepEqual(factKinds(seen), ['kube/Node', 'kube/Node']);
  assert.match(JSON.stringify(seen.facts[0]), /"für"/);
  assert.deepEqual(listed(seen), [['kube/Node', 'kubectl get nodes', 'file']]);
  assert.deepEqual(seen.losses, []);
  const bare = read(JSON.stringify([node('a')]));
  assert.deepEqual(factKinds(bare), ['kube/Node']);
  assert.equal(bare.listings.length, 1);
});

test('a list with anything else, or of nothing, is not a listing of Nodes', () => {
  const mixed = read(JSON.stringify({ items: [node('a'), POD] }));
  assert.ok(factKinds(mixed).includes('kube/Node'));
  assert.deepEqual(listed(mixed), []);
  assert.deepEqual(listed(read('{"items":[]}')), []);
  assert.deepEqual(listed(read('{"items":[{"kind":"Node",}]}')), []);
});

test('a list of AWS is read by its key, element by element', () => {
  const instance = { InstanceId: 'i-0123456789abcdef0', State: { Name: 'running' } };
  const seen = read(JSON.stringify({ Reservations: [{ Instances: [instance] }] }));
  assert.ok(factKinds(seen).includes('aws/instance'), String(factKinds(seen)));
});

test('what an object says is looked through, and broken elements are passed over', () => {
  const seen = read(`{"items":[{"kind":,},${JSON.stringify(POD)}]}`);
  assert.deepEqual(
    seen.hits.map(({ owner }) => owner),
    ['wanted'],
  );
});
