/** What a Spot watch reports of prices, requests and Nodes, and that it reports each thing once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SpotChanges } from '../../src/collection/recording/spot.ts';
import type { SeenPrice } from '../../src/collection/spot-watch.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { readSpotStandings } from '../../src/readers/spot/answers.ts';
import { node } from '../controllers/spot/scene.ts';

const POOL = { type: 'm5.large', zone: 'us-west-2a' };

function price(atMs: number, dollars: number): SeenPrice {
  return { ...POOL, atMs, dollars };
}

function request(code: string, more: JsonObject = {}): JsonObject {
  return {
    InstanceId: 'i-0123456789abcdef0',
    LaunchSpecification: { InstanceType: 'm5.large' },
    LaunchedAvailabilityZone: 'us-west-2a',
    State: 'active',
    Status: { Code: code, UpdateTime: '2026-11-20T10:00:00Z' },
    ...more,
  };
}

function standings(...requests: readonly JsonObject[]) {
  return { standings: readSpotStandings({ SpotInstanceRequests: requests }) };
}

describe('prices', () => {
  test('are reported in the order of time, each change once, with how far it moved', () => {
    const changes = new SpotChanges();
    const first = changes.ofPrices({ prices: [price(2, 0.05), price(1, 0.04)] });
    assert.deepEqual(
      first.map(({ what }) => what),
      [
        'm5.large in us-west-2a costs $0.0400 an hour',
        'm5.large in us-west-2a costs $0.0500 an hour, +25 %',
      ],
    );
    assert.deepEqual(changes.ofPrices({ prices: [price(2, 0.05), price(1, 0.04)] }), []);
    assert.deepEqual(changes.ofPrices({ prices: [price(3, 0.05)] }), []);
    assert.match(changes.ofPrices({ prices: [price(4, 0.045)] })[0]?.what ?? '', /, -10 %$/);
    assert.deepEqual(changes.ofPrices({ prices: null }), []);
  });
});

describe('requests', () => {
  test('tell that EC2 takes an instance, and that it took it, each once', () => {
    const changes = new SpotChanges();
    assert.deepEqual(changes.ofStandings(standings(request('fulfilled'))), []);
    const marked = changes.ofStandings(standings(request('marked-for-termination')));
    assert.deepEqual(
      marked.map(({ kind, subject }) => [kind, subject]),
      [['spot-notice', 'i-0123456789abcdef0']],
    );
    assert.deepEqual(changes.ofStandings(standings(request('marked-for-termination'))), []);
    const taken = standings(request('instance-terminated-no-capacity', { State: 'closed' }));
    assert.equal(changes.ofStandings(taken)[0]?.kind, 'spot-interrupted');
    assert.deepEqual(changes.ofStandings({ standings: null }), []);
  });

  test('of instances that people ended, and others without an instance id, tell nothing', () => {
    const changes = new SpotChanges();
    const others = [
      request('instance-terminated-by-user', { State: 'closed' }),
      request('marked-for-termination', { InstanceId: 'i-1; rm' }),
      request('MARKED', {}),
    ];
    assert.deepEqual(changes.ofStandings(standings(...others)), []);
  });
});

test('a notice on a Node is reported once, and again when it comes back', () => {
  const changes = new SpotChanges();
  const noticed = [node({ number: 1, notice: 'SpotInterruption' })];
  const first = changes.ofNodes(noticed);
  assert.match(first[0]?.what ?? '', /^EC2 takes the Spot Instance of Node node-1 \(condition/);
  assert.deepEqual(changes.ofNodes(noticed), []);
  assert.deepEqual(changes.ofNodes([node({ number: 1 })]), []);
  assert.equal(changes.ofNodes(noticed).length, 1);
  assert.deepEqual(changes.ofNodes([node({ number: 2, notice: 'ScheduledEvent' })]), []);
  const tainted = node({ number: 3, taints: ['aws-node-termination-handler/spot-itn'] });
  assert.match(changes.ofNodes([tainted])[0]?.what ?? '', /taint aws-node-termination-handler/);
});
