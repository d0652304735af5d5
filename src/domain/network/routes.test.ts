import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NatGateway, RouteTable } from '../../evidence/aws/network.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { Json, JsonObject } from '../../evidence/json.ts';
import { awsOf, fact } from '../../evidence/testing.ts';
import { endpointOf, sourceAddresses, tableOfSubnet, wayOut, type WayOut } from './routes.ts';

const DEFAULT = '0.0.0.0/0';
const LOCAL = { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local' };
const S3 = { DestinationPrefixListId: 'pl-1', GatewayId: 'vpce-1' };
const TO_INTERNET = { DestinationCidrBlock: DEFAULT, GatewayId: 'igw-1' };
const TO_NAT = { DestinationCidrBlock: DEFAULT, NatGatewayId: 'nat-1' };

function table(id: string, associations: Json, routes: Json = []): Seen<RouteTable> {
  return fact(
    awsOf('aws/route-table', {
      RouteTableId: id,
      VpcId: 'vpc-1',
      Associations: associations,
      Routes: routes,
    }),
  );
}

/** The table of the subnet `private`. */
function own(...routes: readonly JsonObject[]): Seen<RouteTable> {
  return table('rtb-own', [{ SubnetId: 'private' }], [LOCAL, ...routes]);
}

const PUBLIC = table('rtb-public', [{ SubnetId: 'public' }], [LOCAL, TO_INTERNET]);

function nat(change: JsonObject = {}): Seen<NatGateway> {
  const plain = { NatGatewayId: 'nat-1', SubnetId: 'public', VpcId: 'vpc-1', State: 'available' };
  return fact(awsOf('aws/nat-gateway', { ...plain, ...change }));
}

function way(
  tables: readonly Seen<RouteTable>[],
  natGateways: readonly Seen<NatGateway>[] = [],
  areNatGatewaysKnown = true,
): WayOut {
  return wayOut({ tables, natGateways, areNatGatewaysKnown }, 'private', 'vpc-1');
}

/** The kind of a way, and why it is closed. */
function told(found: WayOut): string {
  return found.kind === 'closed' ? `closed: ${found.why}` : found.kind;
}

describe('the table of a subnet', () => {
  const main = table('rtb-main', [{ Main: true }]);

  test('is the one associated with it', () => {
    assert.equal(
      tableOfSubnet([main, PUBLIC, own()], 'private', 'vpc-1')?.value.RouteTableId,
      'rtb-own',
    );
    const several = table('rtb-2', [{ SubnetId: 'x' }, { SubnetId: 'private' }]);
    assert.equal(tableOfSubnet([several], 'private', null), several);
  });

  test('is else the main table of its VPC', () => {
    assert.equal(tableOfSubnet([PUBLIC, main], 'private', 'vpc-1'), main);
    assert.equal(tableOfSubnet([main], 'private', 'vpc-2'), null);
    assert.equal(tableOfSubnet([main], 'private', null), null);
    assert.equal(tableOfSubnet([table('x', [{ Main: false }])], 'private', 'vpc-1'), null);
    assert.equal(tableOfSubnet([table('x', null)], 'private', 'vpc-1'), null);
  });
});

describe('packets leave a subnet', () => {
  test('directly by an internet gateway', () => {
    const direct = own(S3, TO_INTERNET);
    assert.deepEqual(way([direct]), { kind: 'direct', table: direct });
  });

  test('translated by a NAT gateway that has an internet gateway behind it', () => {
    const [to, gateway] = [own(TO_NAT), nat()];
    assert.deepEqual(way([to, PUBLIC], [nat({ NatGatewayId: 'nat-0' }), gateway]), {
      kind: 'translated',
      table: to,
      gateway,
    });
    assert.equal(told(way([own(TO_NAT), PUBLIC], [nat({ State: null })])), 'translated');
  });

  test('translated, where the table of the NAT gateway was not seen', () => {
    assert.equal(told(way([own(TO_NAT)], [nat()])), 'translated');
    assert.equal(told(way([own(TO_NAT)], [nat({ SubnetId: null, VpcId: null })])), 'translated');
  });

  test('translated, where the NAT gateways were not listed', () => {
    const to = own(TO_NAT);
    assert.deepEqual(way([to], [], false), { kind: 'translated', table: to, gateway: null });
  });

  test('elsewhere, where no table or another device decides', () => {
    assert.equal(told(way([])), 'elsewhere');
    assert.equal(
      told(way([own({ DestinationCidrBlock: DEFAULT, TransitGatewayId: 'tgw-1' })])),
      'elsewhere',
    );
    assert.equal(
      told(way([own({ DestinationCidrBlock: '192.168.0.0/16', TransitGatewayId: 'tgw-1' })])),
      'elsewhere',
    );
    assert.equal(
      told(way([own({ DestinationCidrBlock: DEFAULT, GatewayId: 'vgw-1' })])),
      'elsewhere',
    );
  });
});

describe('a subnet is closed', () => {
  test('without a route to other networks', () => {
    const closed = own(S3);
    assert.deepEqual(way([closed]), {
      kind: 'closed',
      table: closed,
      why: 'no route to 0.0.0.0/0',
      gateway: null,
    });
    assert.equal(
      told(way([table('x', [{ SubnetId: 'private' }], null)])),
      'closed: no route to 0.0.0.0/0',
    );
  });

  test('when its route leads to what was deleted', () => {
    const dead = (target: JsonObject) =>
      told(way([own({ DestinationCidrBlock: DEFAULT, State: 'blackhole', ...target })]));
    const words = (target: string) => `closed: the route 0.0.0.0/0 to ${target} is a blackhole`;
    assert.equal(dead({ NatGatewayId: 'nat-1' }), words('nat-1'));
    assert.equal(dead({ GatewayId: 'igw-1' }), words('igw-1'));
    assert.equal(dead({}), words('a deleted target'));
  });

  test('and not when a dead route is to another place', () => {
    const dead = { DestinationCidrBlock: '192.168.0.0/16', State: 'blackhole' };
    assert.equal(told(way([own(dead)])), 'closed: no route to 0.0.0.0/0');
    assert.equal(told(way([own(dead, TO_INTERNET)])), 'direct');
  });

  test('with the NAT gateway of the dead route where it is still listed', () => {
    const deleted = nat({ State: 'deleted' });
    const found = way([own({ ...TO_NAT, State: 'blackhole' })], [deleted]);
    assert.equal(found.kind === 'closed' ? found.gateway : null, deleted);
    const other = way([own({ ...TO_INTERNET, State: 'blackhole' })], [nat({ NatGatewayId: null })]);
    assert.equal(other.kind === 'closed' ? other.gateway : 'x', null);
  });
});

describe('a subnet is closed by its NAT gateway', () => {
  const faults: readonly (readonly [JsonObject, string])[] = [
    [
      { State: 'failed', FailureMessage: 'no free address' },
      'nat-1, which is failed (no free address)',
    ],
    [{ State: 'pending' }, 'nat-1, which is pending'],
    [{ ConnectivityType: 'private' }, 'nat-1, a private NAT gateway, which reaches no internet'],
    [
      { SubnetId: 'private' },
      'nat-1 in the subnet private, which has no route to an internet gateway itself',
    ],
  ];
  for (const [change, words] of faults)
    test(`when its NAT gateway is ${words}`, () => {
      const gateway = nat(change);
      const to = own(TO_NAT);
      assert.deepEqual(way([to, PUBLIC], [gateway]), {
        kind: 'closed',
        table: to,
        why: `the route 0.0.0.0/0 leads to ${words}`,
        gateway,
      });
    });

  test('when its NAT gateway does not exist', () => {
    assert.equal(
      told(way([own(TO_NAT), PUBLIC], [nat({ NatGatewayId: 'nat-2' })])),
      'closed: the route 0.0.0.0/0 leads to nat-1, which does not exist',
    );
  });

  test('unless something behind its NAT gateway may lead outside', () => {
    const behind = (...routes: readonly JsonObject[]) =>
      told(way([own(TO_NAT), table('x', [{ SubnetId: 'public' }], [LOCAL, ...routes])], [nat()]));
    const device = { DestinationCidrBlock: DEFAULT, NetworkInterfaceId: 'eni-1' };
    assert.equal(behind(device), 'translated');
    assert.match(behind({ ...device, State: 'blackhole' }), /^closed/);
    assert.match(behind({ ...device, DestinationCidrBlock: '192.168.0.0/16' }), /^closed/);
    assert.match(behind({ ...device, GatewayId: 'local' }), /^closed/);
    assert.match(behind(), /^closed/);
  });
});

describe('packets come from', () => {
  const instance = (PublicIpAddress: string | null) => awsOf('aws/instance', { PublicIpAddress });

  test('the public address of the instance itself', () => {
    const direct = way([own(TO_INTERNET)]);
    assert.deepEqual(sourceAddresses(direct, instance('3.3.3.3')), ['3.3.3.3']);
    assert.deepEqual(sourceAddresses(direct, instance(null)), []);
  });

  test('the addresses of the NAT gateway', () => {
    const NatGatewayAddresses = [{ PublicIp: '4.4.4.4' }, { PrivateIp: '10.0.0.4' }];
    const translated = way([own(TO_NAT), PUBLIC], [nat({ NatGatewayAddresses })]);
    assert.deepEqual(sourceAddresses(translated, instance('3.3.3.3')), ['4.4.4.4']);
    assert.deepEqual(sourceAddresses(way([own(TO_NAT)], [], false), instance(null)), []);
    const closed = way([own(TO_NAT)], [nat({ State: 'failed', NatGatewayAddresses })]);
    assert.deepEqual(sourceAddresses(closed, instance('3.3.3.3')), []);
  });
});

describe('the endpoint of a service', () => {
  const plain = {
    VpcId: 'vpc-1',
    ServiceName: 'com.amazonaws.eu-west-1.ec2',
    State: 'available',
    VpcEndpointType: 'Interface',
    PrivateDnsEnabled: true,
  };
  const isFound = (change: JsonObject) =>
    endpointOf([fact(awsOf('aws/vpc-endpoint', { ...plain, ...change }))], 'vpc-1', 'ec2') !== null;

  test('answers under its usual name in its VPC', () => {
    assert.ok(isFound({}));
    assert.ok(isFound({ State: 'Available' }));
    assert.ok(isFound({ PrivateDnsEnabled: null }));
    assert.ok(isFound({ VpcEndpointType: 'Gateway', PrivateDnsEnabled: false }));
  });

  test('is not one of another VPC, service or state, or without private DNS', () => {
    assert.ok(!isFound({ VpcId: 'vpc-2' }));
    assert.ok(!isFound({ ServiceName: 'com.amazonaws.eu-west-1.ec2messages' }));
    assert.ok(!isFound({ ServiceName: 'com.amazonaws.eu-west-1.xec2' }));
    assert.ok(!isFound({ ServiceName: null }));
    assert.ok(!isFound({ State: 'pending' }));
    assert.ok(!isFound({ State: null }));
    assert.ok(!isFound({ PrivateDnsEnabled: false }));
  });
});
