import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import type { ApiRequest } from '../kube/contract.ts';
import { isDryRun } from './ledger.ts';

function request(query: ApiRequest['query'], body: Json): ApiRequest {
  const path = {
    group: '',
    version: 'v1',
    plural: 'pods',
    namespace: 'shop',
    name: 'cart-1',
    subresource: 'eviction',
  };
  return { user: { name: 'a', groups: [] }, verb: 'create', path, query, body, patchType: null };
}

test('a dry run is one by its query, by options of a deletion and by those of an eviction', () => {
  for (const [query, body] of [
    [{ dryRun: 'All' }, null],
    [{}, { dryRun: ['All'] }],
    [{}, { deleteOptions: { dryRun: ['All'] } }],
  ] as const)
    assert.ok(isDryRun(request(query, body)), JSON.stringify([query, body]));
});

test('a write without the option changes something', () => {
  for (const body of [null, {}, { dryRun: [] }, { deleteOptions: {} }, []])
    assert.ok(!isDryRun(request({}, body)), JSON.stringify(body));
});
