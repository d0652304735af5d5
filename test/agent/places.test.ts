import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentPlaces } from '../../src/collection/agent/places.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { KubeResource } from '../../src/ports/kube-api.ts';
import { virtualClock, type VirtualClock } from '../ports/fake/clock.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';

const SLICES: KubeResource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  isNamespaced: true,
};
const CSI_NODES: KubeResource = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'csinodes',
  kind: 'CSINode',
  isNamespaced: false,
};
const SIGNAL = new AbortController().signal;

function slice(namespace: string, service: string, endpoints: readonly JsonObject[]): JsonObject {
  const labels = { 'kubernetes.io/service-name': service };
  return {
    metadata: { name: service, namespace, labels },
    ports: [{ name: 'https', port: 6443 }],
    endpoints,
  };
}

interface Scene {
  readonly api: FakeKubeApi;
  readonly clock: VirtualClock;
  readonly places: AgentPlaces;
}

function scene(given: { host: string; port: number }[] = []): Scene {
  const clock = virtualClock();
  const api = new FakeKubeApi({ clock });
  api.put(SLICES, slice('default', 'kubernetes', [{ addresses: ['10.0.0.5'] }]));
  api.put(
    SLICES,
    slice('rollcall', 'rollcall-agent', [
      { addresses: ['10.1.0.2'], nodeName: 'own' },
      { addresses: ['10.1.1.2'], nodeName: 'other' },
      { addresses: ['10.1.2.2'] },
    ]),
  );
  const options = { api, clock, node: 'own', namespace: 'rollcall', given };
  return { api, clock, places: new AgentPlaces(options) };
}

test("learns the API server's own addresses, and asks again when that is due", async () => {
  const { api, clock, places } = scene();
  assert.deepEqual(places.direct(), []);
  await places.refresh(SIGNAL);
  assert.deepEqual(places.direct(), [{ host: '10.0.0.5', port: 6443 }]);
  api.put(SLICES, slice('default', 'kubernetes', [{ addresses: ['10.0.0.9'] }]));
  await places.refresh(SIGNAL);
  assert.equal(places.direct()[0]?.host, '10.0.0.5');
  await clock.advance(5 * 60_000);
  await places.refresh(SIGNAL);
  assert.equal(places.direct()[0]?.host, '10.0.0.9');
});

test('keeps what it knows when the list is refused, and never asks for what was given', async () => {
  const { api, clock, places } = scene();
  await places.refresh(SIGNAL);
  api.forbid('list endpointslices.discovery.k8s.io');
  await clock.advance(5 * 60_000);
  await places.refresh(SIGNAL);
  assert.equal(places.direct()[0]?.host, '10.0.0.5');
  const given = scene([{ host: '10.9.9.9', port: 443 }]);
  await given.places.refresh(SIGNAL);
  assert.deepEqual(given.places.direct(), [{ host: '10.9.9.9', port: 443 }]);
});

test('gives agents of other Nodes, and lists them again when new ones are wanted', async () => {
  const { api, places } = scene();
  assert.deepEqual(await places.peers('known', SIGNAL), [{ node: 'other', address: '10.1.1.2' }]);
  const moved = [{ addresses: ['10.1.1.9'], nodeName: 'other' }];
  api.put(SLICES, slice('rollcall', 'rollcall-agent', moved));
  assert.equal((await places.peers('known', SIGNAL))[0]?.address, '10.1.1.2');
  assert.equal((await places.peers('new', SIGNAL))[0]?.address, '10.1.1.9');
});

test('gives the drivers of its own CSINode', async () => {
  const { api, places } = scene();
  await assert.rejects(places.csiDrivers(SIGNAL));
  api.put(CSI_NODES, {
    metadata: { name: 'own' },
    spec: { drivers: [{ name: 'ebs.csi.aws.com' }] },
  });
  assert.deepEqual(await places.csiDrivers(SIGNAL), ['ebs.csi.aws.com']);
});
