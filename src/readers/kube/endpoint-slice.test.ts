import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedEndpoints } from './endpoint-slice.ts';

const labels = { 'kubernetes.io/service-name': 'guard' };

test('a slice comes down to its Service, two counts and its ports', () => {
  const endpoints = [
    { addresses: ['10.0.0.1'], conditions: { ready: true } },
    { addresses: ['10.0.0.2'], conditions: { ready: false } },
    { addresses: ['10.0.0.3'], conditions: {} },
  ];
  const slice = { metadata: { labels }, endpoints, ports: [{ port: 9443 }, { name: 'any' }] };
  const expected = { service: 'guard', ready: 2, notReady: 1, ports: [9443, null] };
  assert.deepEqual(countedEndpoints(slice), expected);
});

test('an EndpointSlice without a service or endpoints has none', () => {
  const slice = { metadata: {}, endpoints: null };
  assert.deepEqual(countedEndpoints(slice), {
    service: null,
    ready: 0,
    notReady: 0,
    ports: [],
  });
});

test('endpoints beyond what the API server takes are not counted', () => {
  const endpoints = Array.from({ length: 5000 }, () => ({ conditions: { ready: false } }));
  assert.equal(countedEndpoints({ metadata: { labels }, endpoints })['notReady'], 1000);
});

test('ports beyond a hundred are left out', () => {
  const ports = Array.from({ length: 200 }, (_, port) => ({ port }));
  assert.deepEqual(countedEndpoints({ ports })['ports'], [...Array(100).keys()]);
});
