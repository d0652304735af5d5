import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKernel, type Kernel } from '../../../src/sim/kernel/kernel.ts';
import type { TrueInstance } from '../../../src/sim/aws/contract.ts';
import { FaultBoard, type Host } from '../../../src/sim/machines/host.ts';
import { AddressStore, prefixAddresses } from '../../../src/sim/machines/network/address-store.ts';
import { type MetadataAgent, MetadataWay } from '../../../src/sim/machines/network/metadata.ts';
import { MachineNetwork } from '../../../src/sim/machines/network/network.ts';

interface Bench {
  readonly kernel: Kernel;
  readonly host: Host;
  readonly network: MachineNetwork;
  readonly metadata: MetadataWay;
}

function bench(options: { httpTokens?: 'required' | 'optional'; hops?: number } = {}): Bench {
  const kernel = createKernel({ seed: 1, startMs: 0 });
  const instance = {
    roleArn: 'arn:aws:iam::123456789012:role/nodes',
    metadataOptions: {
      httpTokens: options.httpTokens ?? 'required',
      httpPutResponseHopLimit: options.hops ?? 2,
    },
  } as TrueInstance;
  const host = {
    faults: new FaultBoard(),
    instance: () => instance,
    trueMs: () => kernel.nowMs(),
    after: (delayMs: number, task: () => void) => kernel.after(delayMs, task),
  } as unknown as Host;
  const network = new MachineNetwork(host);
  return { kernel, host, network, metadata: new MetadataWay(host, network) };
}

const POD = { pod: 'shop/orders', podUid: 'u1', address: '10.2.0.2', isHostNetwork: false };
const AGENT: MetadataAgent = {
  program: 'kiam',
  hostInterface: 'cali+',
  answer: () => ({ ok: true, identity: 'own-role', tookMs: 1, lifetimeMs: 900_000 }),
};

function identity({ metadata }: Bench, caller = POD): string {
  const answer = metadata.ask(caller);
  return answer.ok ? answer.identity : answer.error;
}

test('a service address is a black hole until it is translated, and one of pods until there are routes', () => {
  const { network } = bench();
  assert.equal(network.serviceWay(true), 'black-hole');
  network.translateServices(true);
  assert.deepEqual(
    [network.serviceWay(true), network.serviceWay(false)],
    ['delivered', 'black-hole'],
  );
  network.setRoutes(true);
  assert.equal(network.serviceWay(false), 'delivered');
});

test('the service network can be lost and come back', () => {
  const { host, network } = bench();
  network.translateServices(true);
  network.setRoutes(true);
  const mend = host.faults.add({ kind: 'black-hole', destination: 'service-network' });
  assert.equal(network.serviceWay(true), 'black-hole');
  mend();
  assert.equal(network.serviceWay(true), 'delivered');
});

test('without a rule a pod gets the node role, with one its role', () => {
  const way = bench();
  assert.equal(identity(way), 'node-role');
  const other = bench();
  other.metadata.redirect(AGENT);
  assert.equal(identity(other), 'own-role');
  assert.equal(identity(other, { ...POD, isHostNetwork: true }), 'node-role');
});

test('a connection opened before the rule bypasses it until it is closed', () => {
  const way = bench();
  assert.equal(identity(way), 'node-role');
  way.metadata.redirect(AGENT);
  assert.equal(identity(way), 'node-role');
  way.kernel.after(89_000, () => {});
  way.kernel.step();
  assert.equal(identity(way), 'node-role');
  way.kernel.after(91_000, () => {});
  way.kernel.step();
  assert.equal(identity(way), 'own-role');
});

test('a rule for an interface that pods do not have takes nothing', () => {
  const way = bench();
  const plugin = { name: 'aws-cni', hostInterface: 'eni', remove: () => {} };
  way.network.setPlugin({ ...plugin, add: () => ({ ok: false, message: '', tookMs: 0 }) });
  way.metadata.redirect(AGENT);
  assert.equal(identity(way), 'node-role');
  way.metadata.redirect({ ...AGENT, hostInterface: '!eth0' });
  assert.equal(identity(way, { ...POD, podUid: 'u2' }), 'own-role');
});

test('removes only its rule', () => {
  const way = bench();
  way.metadata.redirect(AGENT);
  way.metadata.undo({ ...AGENT });
  assert.equal(way.metadata.rule(), AGENT);
  way.metadata.undo(AGENT);
  assert.equal(way.metadata.rule(), null);
});

test('the hop limit keeps the token from pods, and decides nothing without tokens', () => {
  assert.match(identity(bench({ hops: 1 })), /latest\/api\/token": context deadline exceeded/);
  assert.equal(identity(bench({ hops: 1, httpTokens: 'optional' })), 'node-role');
  assert.equal(identity(bench({ hops: 1 }), { ...POD, isHostNetwork: true }), 'node-role');
});

test('a metadata service that does not answer is waited for', () => {
  const way = bench();
  way.host.faults.add({ kind: 'black-hole', destination: 'imds' });
  const answer = way.metadata.ask(POD);
  assert.deepEqual([answer.ok, answer.tookMs], [false, 1000]);
});

test('assigns an address once and rests it for 30 s after a pod', () => {
  const store = new AddressStore();
  const one = { isPrimary: true, attachedMs: 0, attachmentId: null, slots: 2 };
  store.put({ id: 'eni-1', ...one, addresses: ['10.0.0.5', '10.0.0.6'] });
  assert.equal(store.take('a/a', 0), '10.0.0.5');
  assert.equal(store.take('a/a', 0), '10.0.0.5');
  assert.equal(store.take('a/b', 0), '10.0.0.6');
  assert.equal(store.take('a/c', 0), null);
  store.release('a/a', 1000);
  assert.equal(store.take('a/c', 30_999), null);
  assert.deepEqual([store.available(30_999), store.cooling(30_999)], [0, 1]);
  assert.equal(store.take('a/c', 31_000), '10.0.0.5');
});

test('a block has sixteen addresses', () => {
  const all = prefixAddresses('10.0.3.64/28');
  assert.deepEqual([all.length, all[0], all[15]], [16, '10.0.3.64', '10.0.3.79']);
});
