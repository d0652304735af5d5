import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dnsProbe,
  imagePathProbe,
  type Peer,
  podNetworkProbe,
} from '../../src/collection/agent/network.ts';
import type { NodeProbe } from '../../src/ports/node-probe.ts';
import type { FakeMachine } from '../ports/fake/host.ts';
import { messageOf, TIMES, toolsOf, verdictOf } from './scene.ts';

const NAME = 'kubernetes.default.svc.cluster.local';

for (const [what, names, verdict] of [
  ['resolves', { [NAME]: ['10.96.0.1'] }, 'yes Resolved'],
  ['has no such name', {}, 'no NameNotFound'],
  ['is silent', { [NAME]: { failure: 'timeout' } }, 'no NoAnswer'],
  ['is unreachable', { [NAME]: { failure: 'unreachable' } }, 'no CannotResolve'],
] as const)
  test(`DNS that ${what}: ${verdict}`, async () => {
    assert.equal(await verdictOf(dnsProbe(toolsOf({ names }), [NAME], TIMES)), verdict);
  });

test('every name has to resolve', async () => {
  const names = { [NAME]: ['10.96.0.1'] };
  const probe = dnsProbe(toolsOf({ names }), [NAME, 'example.org'], TIMES);
  assert.equal(await verdictOf(probe), 'no NameNotFound');
});

const PEERS: readonly Peer[] = ['1', '2', '3', '4', '5'].map((last) => ({
  node: `node-${last}`,
  address: `10.1.${last}.2`,
}));

function peerProbe(
  servers: NonNullable<FakeMachine['servers']>,
  peers: (wanted: 'known' | 'new') => readonly Peer[],
): NodeProbe {
  const tools = { ...toolsOf({ servers }), random: { next: () => 0 } };
  return podNetworkProbe(tools, { peers: async (wanted) => peers(wanted), port: 8471 }, TIMES);
}

test('one of three agents that are drawn has to answer', async () => {
  const third = peerProbe({ '10.1.3.2:8471': {} }, () => PEERS);
  assert.equal(await verdictOf(third), 'yes PeerReached');
  assert.match(await messageOf(third), /Agent of node-3/);
  const fourth = peerProbe({ '10.1.4.2:8471': {} }, () => PEERS);
  assert.equal(await verdictOf(fourth), 'no NoPeerReached');
});

test('lists the agents again before it says that none answers', async () => {
  const moved = { node: 'node-1', address: '10.1.1.9' };
  const probe = peerProbe({ '10.1.1.9:8471': {} }, (wanted) =>
    wanted === 'new' ? [moved] : PEERS,
  );
  assert.equal(await verdictOf(probe), 'yes PeerReached');
});

test('proves nothing without another Node', async () => {
  assert.equal(await verdictOf(peerProbe({}, () => [])), 'unknown NoPeer');
});

for (const [what, reply, verdict] of [
  ['wants a login', { status: 401 }, 'yes Reachable'],
  ['fails', { status: 503 }, 'no Failing'],
  ['is silent', { failure: 'timeout' }, 'no Unreachable'],
] as const)
  test(`a registry that ${what}: ${verdict}`, async () => {
    const replies = { 'https://registry.example/v2/': reply };
    const probe = imagePathProbe(toolsOf({ replies }), ['registry.example'], TIMES);
    assert.equal(await verdictOf(probe), verdict);
  });
