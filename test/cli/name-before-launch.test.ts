/** What a machine will be called that is not there yet, by its subnet and its image. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { gather } from '../../src/collection/capacity-calls.ts';
import { askPlace } from '../../src/collection/naming-calls.ts';
import { namingInPlace } from '../../src/capacity/naming/before-launch.ts';
import { machinePage } from '../../src/apps/cli/pages/name-page.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { fakeAws } from '../ports/fake/aws-api.ts';
import { fits, tooWide } from './evidence.ts';

const VPC = 'vpc-0aaaaaaaaaaaaaaa1';
const SUBNET = 'subnet-0aaaaaaaaaaaaaaa1';
const IMAGE = 'ami-0aaaaaaaaaaaaaaa1';
const PLACE = { subnetId: SUBNET, imageId: IMAGE };
const GIVEN = { seen: {}, options: {} };

interface World {
  readonly image: string;
  readonly cidr: string;
  readonly taken: readonly string[];
  readonly domain: string;
}

const WORLD: World = {
  image: 'amazon-eks-node-1.33-v20261101',
  cidr: '10.20.1.0/24',
  taken: [],
  domain: 'eu-west-1.compute.internal',
};

function subnetIn(cidr: string): JsonObject {
  const PrivateDnsNameOptionsOnLaunch = { HostnameType: 'ip-name' };
  const zone = { AvailabilityZone: 'eu-west-1a', AvailabilityZoneId: 'euw1-az1' };
  return { SubnetId: SUBNET, VpcId: VPC, CidrBlock: cidr, ...zone, PrivateDnsNameOptionsOnLaunch };
}

function interfaceAt(PrivateIpAddress: string): JsonObject {
  return { NetworkInterfaceId: 'eni-0aaaaaaaaaaaaaaa1', SubnetId: SUBNET, PrivateIpAddress };
}

async function namingIn(changed: Partial<World>) {
  const { image, cidr, taken, domain } = { ...WORLD, ...changed };
  const aws = fakeAws({ clock: systemClock, region: 'eu-west-1' });
  const config = [{ Key: 'domain-name', Values: [{ Value: domain }] }];
  const rows: Readonly<Record<string, readonly JsonObject[]>> = {
    Images: [{ ImageId: IMAGE, Name: image }],
    Subnets: [subnetIn(cidr)],
    NetworkInterfaces: taken.map(interfaceAt),
    Vpcs: [{ VpcId: VPC, DhcpOptionsId: 'dopt-0aaaaaaaaaaaaaaa1' }],
    DhcpOptions: [{ DhcpOptionsId: 'dopt-0aaaaaaaaaaaaaaa1', DhcpConfigurations: config }],
  };
  for (const [member, items] of Object.entries(rows))
    aws.answer(`ec2:Describe${member}`, () => [{ [member]: [...items] }]);
  aws.answer('ec2:DescribeVpcAttribute', ({ Attribute }) => [
    { VpcId: VPC, [`E${(Attribute as string).slice(1)}`]: { Value: true } },
  ]);
  const { observations, refusals } = await gather({ aws, clock: systemClock }, async (ask) =>
    askPlace(ask, PLACE),
  );
  assert.deepEqual(refusals, []);
  const document = namingInPlace(observations, PLACE, GIVEN, []);
  assert.equal(fits('naming', document), '');
  const page = machinePage(document).join('\n');
  assert.deepEqual(tooWide(page), []);
  return { document, page };
}

for (const [how, world, address] of [
  ['the tenth', {}, '10.20.1.10'],
  ['the next free one', { taken: ['10.20.1.10', '10.20.1.11'] }, '10.20.1.12'],
  [
    'the tenth where all are taken',
    { cidr: '10.20.1.0/28', taken: [10, 11, 12, 13, 14].map((last) => `10.20.1.${last}`) },
    '10.20.1.10',
  ],
] as const)
  test(`the address of an example is ${how}`, async () => {
    const { page } = await namingIn(world);
    assert.match(page, new RegExp(`ip-${address.replaceAll('.', '-')}\\.`));
    assert.ok(page.includes(`the instance gets the address ${address}, an example`));
  });

test('marks an example where the name is unknown', async () => {
  const { document, page } = await namingIn({
    image: 'ubuntu-noble-24.04',
    domain: 'corp.example.com',
  });
  assert.equal(document.name.state, 'unknown');
  assert.match(page, /It may be: .*ip-10-20-1-10/);
  assert.match(page, /gets the address 10\.20\.1\.10, an example/);
});

test('the row of the address has a title without a name too', async () => {
  const { document } = await namingIn({ image: 'ubuntu-noble-24.04', domain: 'corp.example.com' });
  const row = document.names.find(({ name }) => name === 'dns-a');
  assert.equal(row?.title, 'address of that name');
});
