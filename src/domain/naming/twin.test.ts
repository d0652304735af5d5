import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type MachineTies, type NodeTies, twinOf } from './twin.ts';

const ID = 'i-0123456789abcdef0';

const MACHINE: MachineTies = {
  instanceId: ID,
  privateIp: '10.0.0.1',
  nodeName: 'new',
  formerNames: ['Old.example'],
  machineId: 'ec2a',
};

function node(name: string, change: Partial<NodeTies> = {}): NodeTies {
  return { name, providerId: null, internalIp: null, ready: false, createdMs: null, ...change };
}

/** How the Node is tied to the machine, null where it is not. */
function tie(one: NodeTies, machine: Partial<MachineTies> = {}): string | null {
  const twin = twinOf([one], { ...MACHINE, ...machine });
  return twin === null ? null : `${twin.by} ${twin.confidence}`;
}

const SAME = { providerId: `aws:///eu-west-1a/${ID}` };
const ADDRESS = { internalIp: '10.0.0.1' };

describe('another Node is the same machine', () => {
  test('by its providerID, and then by nothing else', () => {
    assert.equal(tie(node('x', SAME)), 'provider-id definite');
    const other = { providerId: 'aws:///eu-west-1a/i-0123456789abcdef1', ...ADDRESS };
    assert.equal(tie(node('old.example', other)), null);
    assert.equal(tie(node('x', { ...other }), { instanceId: null }), 'address possible');
  });

  test('by a name that the machine had', () => {
    assert.equal(tie(node('old.example')), 'former-name definite');
    assert.equal(tie(node('x')), null);
  });

  test('by its address, surely only with the same machine-id', () => {
    assert.equal(tie(node('x', ADDRESS)), 'address possible');
    assert.equal(tie(node('ip-10-0-0-1')), 'address possible');
    assert.equal(tie(node('x', { internalIp: '10.0.0.2' })), null);
    assert.equal(tie(node('x', { ...ADDRESS, machineId: 'ec2a' })), 'machine-id definite');
    assert.equal(tie(node('x', { ...ADDRESS, machineId: 'ec2b' })), 'address possible');
    assert.equal(
      tie(node('x', { ...ADDRESS, machineId: '' }), { machineId: '' }),
      'address possible',
    );
    assert.equal(tie(node('x', { machineId: 'ec2a' })), null);
    assert.equal(tie(node('x'), { privateIp: null }), null);
  });

  test('and not the Node that the machine has', () => {
    assert.equal(tie(node('new', SAME)), null);
  });
});

describe('of several twins the first is', () => {
  const first = (...nodes: readonly NodeTies[]) =>
    [nodes, nodes.toReversed()].map((all) => twinOf(all, MACHINE)?.node.name);

  test('the surest', () => {
    const byId = node('z', { ...ADDRESS, machineId: 'ec2a' });
    assert.deepEqual(first(node('y', SAME), node('old.example')), ['y', 'y']);
    assert.deepEqual(first(node('old.example'), byId), ['old.example', 'old.example']);
    assert.deepEqual(first(byId, node('a', ADDRESS)), ['z', 'z']);
  });

  test('the oldest, then the first by name', () => {
    assert.deepEqual(
      first(node('b', { ...SAME, createdMs: 1 }), node('a', { ...SAME, createdMs: 2 })),
      ['b', 'b'],
    );
    assert.deepEqual(first(node('b', SAME), node('a', { ...SAME, createdMs: 2 })), ['b', 'b']);
    assert.deepEqual(first(node('b', SAME), node('a', SAME)), ['a', 'a']);
  });
});

test('a twin is reported with what ties it, how sure that is, and whether it is Ready', () => {
  const sentence = (one: NodeTies) => twinOf([one], MACHINE)?.sentence;
  assert.equal(
    sentence(node('x', { ...SAME, ready: true })),
    'Node x is the same machine under another name: its providerID names the same instance; it is still Ready.',
  );
  assert.equal(
    sentence(node('x', ADDRESS)),
    'Node x may be the same machine under another name: it has the same address, which a new machine may have inherited; it is not Ready.',
  );
  assert.match(
    sentence(node('old.example')) ?? '',
    /the machine had that name; it is not Ready\.$/,
  );
  const both = node('x', { ...ADDRESS, machineId: 'ec2a' });
  assert.match(sentence(both) ?? '', /it has the same machine-id and address; it is not Ready\.$/);
});
