import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetworkAcl, SecurityRule } from '../../evidence/aws/network.ts';
import type { Json, JsonObject } from '../../evidence/json.ts';
import { awsOf } from '../../evidence/testing.ts';
import { type Cidr, cidrOf } from './cidr.ts';
import { blockOf, EPHEMERAL, mayPass, type Ports, stoppedBy } from './security.ts';

function block(text: string): Cidr {
  const found = cidrOf(text);
  assert.ok(found !== null, text);
  return found;
}

function rules(...all: readonly JsonObject[]): readonly SecurityRule[] {
  return awsOf('aws/security-group', { IpPermissions: [...all] }).IpPermissions ?? [];
}

const ANYONE: Json = [{ CidrIp: '0.0.0.0/0' }];
const HTTPS = { IpProtocol: 'tcp', FromPort: 443, ToPort: 443, IpRanges: ANYONE };
const PEER = { groups: ['sg-nodes'], addresses: [block('10.0.1.7/32')] };

function passes(change: JsonObject, port = 443, peer = PEER): boolean {
  return mayPass(rules({ ...HTTPS, ...change }), port, peer);
}

describe('a rule of a security group lets a connection through', () => {
  test('to each port of its range and to no other', () => {
    const range = { FromPort: 443, ToPort: 445 };
    assert.deepEqual(
      [442, 443, 445, 446].map((port) => passes(range, port)),
      [false, true, true, false],
    );
  });

  test('to every port where it names none', () => {
    for (const port of [0, 443, 65_535])
      assert.ok(passes({ FromPort: null, ToPort: null }, port), String(port));
    assert.ok(!passes({ FromPort: null, ToPort: 80 }));
    assert.ok(!passes({ FromPort: 444, ToPort: null }));
  });

  test('by TCP or by every protocol, whose ports do not count', () => {
    assert.ok(passes({ IpProtocol: '6' }));
    assert.ok(passes({ IpProtocol: '-1', FromPort: 80, ToPort: 80 }));
    for (const IpProtocol of ['udp', '17', null]) assert.ok(!passes({ IpProtocol }));
  });

  test('from the addresses of its ranges', () => {
    const from = (CidrIp: string) => passes({ IpRanges: [{ CidrIp }] });
    assert.ok(from('10.0.1.0/24'));
    assert.ok(!from('10.0.2.0/24'));
    assert.ok(passes({ IpRanges: [{ CidrIp: '10.0.2.0/24' }, { CidrIp: '10.0.1.7/32' }] }));
    const subnet = { ...PEER, addresses: [block('10.0.0.0/16')] };
    assert.ok(passes({ IpRanges: [{ CidrIp: '10.0.1.7/32' }] }, 443, subnet));
    assert.ok(!passes({ IpRanges: [] }));
    assert.ok(!passes({ IpRanges: null }));
  });

  test('from one of several addresses', () => {
    const two = { ...PEER, addresses: [block('10.9.0.1/32'), block('10.0.1.7/32')] };
    assert.ok(passes({ IpRanges: [{ CidrIp: '10.0.1.0/24' }] }, 443, two));
  });

  test('perhaps, where a range cannot be read or the address is unknown', () => {
    assert.ok(passes({ IpRanges: [{ CidrIp: 'x' }] }));
    assert.ok(passes({ IpRanges: [{}] }));
    const range = { IpRanges: [{ CidrIp: '10.0.2.0/24' }] };
    assert.ok(passes(range, 443, { groups: [], addresses: [] }));
    assert.ok(passes({ IpRanges: [], Ipv6Ranges: [{ CidrIpv6: '::/0' }] }));
    assert.ok(passes({ IpRanges: [], PrefixListIds: [{ PrefixListId: 'pl-1' }] }));
  });

  test('from the members of its groups', () => {
    const from = (GroupId: string | null) =>
      passes({ IpRanges: [], UserIdGroupPairs: [{ GroupId }] });
    assert.ok(from('sg-nodes'));
    assert.ok(!from('sg-other'));
    assert.ok(!from(null));
  });

  test('when one of several rules does, for port and address alike', () => {
    const other = { ...HTTPS, FromPort: 80, ToPort: 80 };
    assert.ok(mayPass(rules(other, HTTPS), 443, PEER));
    assert.ok(!mayPass(rules(other, { ...HTTPS, IpRanges: [] }), 443, PEER));
    assert.ok(!mayPass([], 443, PEER));
  });
});

function entry(change: JsonObject): JsonObject {
  const plain = { RuleNumber: 100, RuleAction: 'deny', Egress: false, Protocol: '-1' };
  return { ...plain, CidrBlock: '0.0.0.0/0', ...change };
}

const ALLOW = { RuleNumber: 200, RuleAction: 'allow' };
const LAST = entry({ RuleNumber: 32_767 });
const NO_RULE = 'no rule that allows it';
const DENIED = 'rule 100, which denies it';

function acl(...entries: readonly JsonObject[]): NetworkAcl {
  return awsOf('aws/network-acl', { Entries: [...entries] });
}

function stopped(entries: readonly JsonObject[], ports: Ports = { from: 443, to: 443 }) {
  return stoppedBy(acl(...entries), { isEgress: false, ports, peer: block('10.0.1.0/24') });
}

describe('a network ACL stops packets', () => {
  test('by the first rule for them, whatever order they are listed in', () => {
    const [deny, allow] = [entry({}), entry(ALLOW)];
    assert.equal(stopped([deny, allow, LAST]), DENIED);
    assert.equal(stopped([LAST, allow, deny]), DENIED);
    assert.equal(stopped([LAST, entry({ ...ALLOW, RuleNumber: 50 }), deny]), null);
  });

  test('where no rule allows them', () => {
    assert.equal(stopped([]), NO_RULE);
    assert.equal(stopped([LAST]), NO_RULE);
    assert.equal(
      stoppedBy(awsOf('aws/network-acl', {}), {
        isEgress: false,
        ports: EPHEMERAL,
        peer: block('10.0.1.0/24'),
      }),
      NO_RULE,
    );
  });

  test('of its direction alone', () => {
    assert.equal(stopped([entry({ Egress: true }), entry(ALLOW)]), null);
    assert.equal(stopped([entry({ ...ALLOW, Egress: true }), LAST]), NO_RULE);
    const question = { isEgress: true, ports: EPHEMERAL, peer: block('10.0.1.0/24') };
    assert.equal(stoppedBy(acl(entry({ Egress: true })), question), DENIED);
  });

  test('of TCP alone', () => {
    assert.equal(stopped([entry({ Protocol: '17' }), entry(ALLOW)]), null);
    assert.equal(stopped([entry({ Protocol: '6' }), entry(ALLOW)]), DENIED);
    assert.equal(stopped([entry({ ...ALLOW, Protocol: null }), LAST]), NO_RULE);
  });

  test('of every address only: one that may pass is enough', () => {
    const allow = entry(ALLOW);
    assert.equal(stopped([entry({ CidrBlock: '10.0.0.0/16' }), allow]), DENIED);
    assert.equal(stopped([entry({ CidrBlock: '10.0.1.0/24' }), allow]), DENIED);
    assert.equal(stopped([entry({ CidrBlock: '10.0.1.0/25' }), allow]), null);
    assert.equal(stopped([entry({ CidrBlock: '10.0.2.0/24' }), allow]), null);
    assert.equal(stopped([entry({ CidrBlock: null }), allow]), null);
    assert.equal(stopped([entry({ ...ALLOW, CidrBlock: '10.0.2.0/24' })]), NO_RULE);
    assert.equal(stopped([entry({ ...ALLOW, CidrBlock: '10.0.1.7/32' })]), null);
  });
});

describe('a network ACL stops packets for ports', () => {
  test('of every port only', () => {
    const allow = entry(ALLOW);
    const ports = (From: number | null, To: number | null, change: JsonObject = {}) =>
      entry({ Protocol: '6', PortRange: { From, To }, ...change });
    const range = { from: 1000, to: 2000 };
    assert.equal(stopped([ports(1000, 2000), allow], range), DENIED);
    assert.equal(stopped([ports(null, 2000), allow], range), DENIED);
    assert.equal(stopped([ports(1000, null), allow], range), DENIED);
    assert.equal(stopped([ports(1001, 2000), allow], range), null);
    assert.equal(stopped([ports(1000, 1999), allow], range), null);
    assert.equal(stopped([entry({ Protocol: '6' }), allow], range), DENIED);
    // Ports of a rule for every protocol do not count.
    assert.equal(stopped([ports(1, 2, { Protocol: '-1' }), allow], range), DENIED);
  });

  test('and one port that meets an open one is enough', () => {
    const open = (From: number, To: number) =>
      stopped([entry({ ...ALLOW, Protocol: '6', PortRange: { From, To } })], {
        from: 1000,
        to: 2000,
      });
    assert.equal(open(2000, 3000), null);
    assert.equal(open(1, 1000), null);
    assert.equal(open(2001, 3000), NO_RULE);
    assert.equal(open(1, 999), NO_RULE);
  });

  test('by a rule without a number first', () => {
    const first = entry({ RuleNumber: null });
    assert.equal(stopped([entry({ ...ALLOW, RuleNumber: 1 }), first]), 'rule 0, which denies it');
  });
});

test('an address is a block of one', () => {
  assert.deepEqual(blockOf('0.0.0.9'), { first: 9, prefixLength: 32 });
  assert.equal(blockOf('x'), null);
});
