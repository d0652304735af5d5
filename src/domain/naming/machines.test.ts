import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { awsOf, conditionOf, nodeOf } from '../../evidence/testing.ts';
import { addressOfNode, isReportedTo, machineNamed, machinesOf, nodesOf } from './machines.ts';
import { factOf, observed } from './testing.ts';

const ID = 'i-0123456789abcdef0';
const ID2 = 'i-0123456789abcdef1';
const NAME = 'ip-10-0-0-1.ec2.internal';

function instance(body: JsonObject = {}) {
  const plain = {
    InstanceId: ID,
    State: { Name: 'running' },
    PrivateIpAddress: '10.0.0.1',
    PrivateDnsName: NAME,
  };
  return factOf('aws/instance', awsOf('aws/instance', { ...plain, ...body }));
}

function node(name: string, change: Partial<KubeNode> = {}) {
  return factOf('kube/Node', nodeOf(name, change));
}

type Facts = Parameters<typeof observed>[0];

/** `instance / Node` of the machine of a name, null where nothing is called so. */
function named(name: string, ...facts: Facts): string | null {
  const found = machineNamed(observed(facts), name);
  return found === null ? null : words(found);
}

function words({ instance: one, node: own }: ReturnType<typeof machinesOf>[number]): string {
  return `${one?.InstanceId ?? 'none'} / ${own?.name ?? 'none'}`;
}

function all(...facts: Facts): readonly string[] {
  return machinesOf(observed(facts)).map(words);
}

describe('a machine is found', () => {
  test('by the id, name or address of its instance', () => {
    for (const name of [ID, ID.toUpperCase(), NAME, NAME.toUpperCase(), '10.0.0.1'])
      assert.equal(named(name, instance(), node(NAME)), `${ID} / ${NAME}`, name);
    assert.equal(named(ID, instance()), `${ID} / none`);
    assert.equal(named('10.0.0.2', instance(), node(NAME)), null);
  });

  test('by the name or address of its Node', () => {
    const web = node('web-1', { internalIp: '10.0.0.1' });
    assert.equal(named('WEB-1', instance(), web), `${ID} / web-1`);
    assert.equal(named('10.0.0.7', node('web-1', { internalIp: '10.0.0.7' })), 'none / web-1');
    assert.equal(named('10.0.0.7', node('ip-10-0-0-7')), 'none / ip-10-0-0-7');
    assert.equal(named('web-1', instance({ PrivateIpAddress: '10.0.0.9' }), web), 'none / web-1');
  });

  test('by its Node only while the instance has not ended', () => {
    const web = node('web-1', { internalIp: '10.0.0.1' });
    for (const Name of ['terminated', 'shutting-down'])
      assert.equal(named('web-1', instance({ State: { Name } }), web), 'none / web-1', Name);
    assert.equal(named('web-1', instance({ State: { Name: 'stopped' } }), web), `${ID} / web-1`);
    assert.equal(named('web-1', instance({ State: null }), web), `${ID} / web-1`);
  });
});

describe('a Node is of an instance', () => {
  const owner = (change: Partial<KubeNode>, name = 'web-1') =>
    all(instance(), node(name, change))[0];

  test('by the id in its providerID or name, and then by nothing else', () => {
    assert.equal(owner({ providerId: `aws:///a/${ID}` }), `${ID} / web-1`);
    assert.equal(owner({}, `${ID}.ec2.internal`), `${ID} / ${ID}.ec2.internal`);
    assert.equal(owner({ providerId: `aws:///a/${ID2}`, internalIp: '10.0.0.1' }), `${ID} / none`);
  });

  test('by its private DNS name', () => {
    assert.equal(all(instance({ PrivateDnsName: 'WEB-1' }), node('web-1'))[0], `${ID} / web-1`);
  });

  test('by its address', () => {
    assert.equal(owner({ internalIp: '10.0.0.1' }), `${ID} / web-1`);
    assert.equal(owner({ internalIp: '10.0.0.2' }), `${ID} / none`);
    const nameless = instance({ PrivateIpAddress: null, PrivateDnsName: null });
    assert.equal(all(nameless, node('web-1'))[0], `${ID} / none`);
  });
});

describe('of several Nodes a machine has', () => {
  const at = (change: Partial<KubeNode>) => ({ internalIp: '10.0.0.1', ready: null, ...change });
  const chosen = (a: Partial<KubeNode>, b: Partial<KubeNode>) =>
    [
      named(ID, instance(), node('a', at(a)), node('b', at(b))),
      named(ID, instance(), node('b', at(b)), node('a', at(a))),
    ].map((one) => one?.split(' / ')[1]);
  const silent = { conditions: [conditionOf('Ready', { status: 'Unknown' })], createdMs: 9 };
  const unready = { conditions: [conditionOf('Ready', { status: 'False' })], createdMs: 5 };

  test('the Ready one', () => {
    assert.deepEqual(chosen({ ready: true, createdMs: 1 }, { ...unready, ready: false }), [
      'a',
      'a',
    ]);
  });

  test('else the one whose kubelet reports', () => {
    assert.deepEqual(chosen({ ...unready, createdMs: 1 }, silent), ['a', 'a']);
  });

  test('else the youngest', () => {
    assert.deepEqual(chosen({ createdMs: 2 }, { createdMs: 1 }), ['a', 'a']);
    assert.deepEqual(chosen({ createdMs: 2 }, { createdMs: null }), ['a', 'a']);
  });
});

test('a Node is reported to while its kubelet says that it is Ready or not', () => {
  const reported = (change: Partial<KubeNode>) => isReportedTo(nodeOf('n1', change));
  assert.ok(reported({ ready: true }));
  const condition = (type: string, status: string) => ({
    ready: false,
    conditions: [conditionOf(type, { status })],
  });
  assert.ok(reported(condition('Ready', 'False')));
  assert.ok(!reported(condition('Ready', 'Unknown')));
  assert.ok(!reported(condition('DiskPressure', 'False')));
});

describe('where AWS shows no instance', () => {
  const asked = (change: Partial<KubeNode>, other: Partial<KubeNode>) =>
    named('old', node('old', { ready: false, ...change }), node('new', { ready: true, ...other }));

  test('the Ready Node of the same machine is the one of today', () => {
    const address = { internalIp: '10.0.0.1' };
    assert.equal(asked(address, address), 'none / new');
    const ids = { providerId: `aws:///a/${ID}` };
    assert.equal(asked(ids, ids), 'none / new');
    assert.equal(asked({ ...address, ready: true }, address), 'none / old');
    assert.equal(asked(address, { ...address, ready: false }), 'none / old');
  });

  test('Nodes of two ids or without an address are two machines', () => {
    const address = { internalIp: '10.0.0.1' };
    const one = { ...address, providerId: `aws:///a/${ID}` };
    const other = { ...address, providerId: `aws:///a/${ID2}` };
    assert.equal(asked(one, other), 'none / old');
    assert.equal(asked(one, address), 'none / new');
    assert.equal(asked(address, one), 'none / new');
    assert.equal(asked({}, {}), 'none / old');
  });
});

test('all machines are running instances, and Nodes without one, each once', () => {
  const ended = instance({ InstanceId: ID2, State: { Name: 'terminated' }, PrivateDnsName: 'x' });
  assert.deepEqual(all(ended, instance(), instance(), node(NAME), node('web-9'), node('web-9')), [
    `${ID} / ${NAME}`,
    'none / web-9',
  ]);
});

test('of a Node that was read twice the last counts', () => {
  const nodes = nodesOf(observed([node('a', { uid: '1' }), node('a', { uid: '2' })]));
  assert.deepEqual(
    nodes.map(({ uid }) => uid),
    ['2'],
  );
});

test('a Node has the address that it says, else the one that its name spells', () => {
  assert.equal(addressOfNode(nodeOf('ip-10-0-0-1', { internalIp: '10.0.0.2' })), '10.0.0.2');
  assert.equal(addressOfNode(nodeOf('ip-10-0-0-1')), '10.0.0.1');
  assert.equal(addressOfNode(nodeOf('web-1')), null);
});
