import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InstanceType, isUnknownType } from '../../src/capacity/instance-type.ts';
import { INSTANCE_TYPES } from '../../src/capacity/instance-types.generated.ts';
import { instanceTypes } from '../../src/capacity/instance-types.ts';
import { maxPodsOf } from '../../src/capacity/max-pods.ts';
import { DEFAULT_MODE, type NetworkMode } from '../../src/capacity/mode.ts';

const TYPES = instanceTypes(INSTANCE_TYPES);

function named(name: string): InstanceType {
  const type = TYPES.named(name);
  assert.ok(!isUnknownType(type), name);
  return type;
}

function mode(part: Partial<NetworkMode>): NetworkMode {
  return { ...DEFAULT_MODE, ...part };
}

/** `max-pods-calculator.sh` of amazon-eks-ami v20251217 in its own steps, hypervisor apart. */
function calculator(type: InstanceType, prefix: boolean, custom: boolean, maxEni: number | null) {
  const nitro = type.hypervisor === 'nitro' || type.bareMetal === true;
  const enis = Math.min(type.enis, maxEni ?? type.enis) - (custom ? 1 : 0);
  const slots = type.ipv4PerEni - 1;
  return enis * (prefix && nitro ? slots * 16 : slots) + 2;
}

const WAYS = [false, true].flatMap((prefix) =>
  [false, true].flatMap((customNetworking) =>
    [null, 2].map((maxEni) => ({ prefix, customNetworking, maxEni })),
  ),
);

test('every type, in every way of addressing, has the pods that the calculator of AWS gives', () => {
  for (const name of TYPES.names) {
    const type = named(name);
    const ceiling = type.vcpus === null ? null : type.vcpus > 30 ? 250 : 110;
    for (const { prefix, customNetworking, maxEni } of WAYS) {
      const addressing = prefix ? 'prefix' : 'secondary';
      const found = maxPodsOf(type, mode({ addressing, customNetworking, maxEni }));
      const allowed = calculator(type, prefix, customNetworking, maxEni);
      const unsettled = allowed <= 110 ? allowed : null;
      const recommended = ceiling === null ? unsettled : Math.min(allowed, ceiling);
      assert.deepEqual([found.allowed, found.recommended], [allowed, recommended], name);
    }
  }
});

const CASES: readonly (readonly [string, Partial<NetworkMode>, number, number | null])[] = [
  ['t3.nano', {}, 4, 4],
  ['t3.medium', {}, 17, 17],
  ['m5.large', {}, 29, 29],
  ['m5.large', { addressing: 'prefix' }, 434, 110],
  ['m5.large', { addressing: 'prefix', customNetworking: true }, 290, 110],
  ['m5.large', { customNetworking: true }, 20, 20],
  ['m5.large', { podEni: true }, 20, 20],
  ['m5.large', { podEni: true, customNetworking: true }, 11, 11],
  ['m5.large', { maxEni: 0 }, 2, 2],
  ['m5.large', { addressing: 'ipv6', customNetworking: true }, 434, 110],
  ['m5.24xlarge', {}, 737, 250],
  ['m4.large', { addressing: 'prefix' }, 20, 20],
  ['m4.large', { addressing: 'ipv6' }, 20, 20],
  ['m4.large', { podEni: true }, 20, 20],
  ['a1.metal', { addressing: 'prefix' }, 3714, 110],
  ['p5.48xlarge', {}, 100, 100],
];

for (const [name, part, allowed, recommended] of CASES) {
  test(`${name} with ${JSON.stringify(part)} has addresses for ${allowed} pods`, () => {
    const found = maxPodsOf(named(name), mode(part));
    assert.deepEqual([found.allowed, found.recommended], [allowed, recommended]);
  });
}

test('each number has its sum as a line', () => {
  const line = (name: string, part: Partial<NetworkMode>) =>
    maxPodsOf(named(name), mode(part)).lines[0];
  assert.equal(
    line('a1.medium', {}),
    '2 interfaces x (4 addresses - 1 primary) + 2 host-network pods = 8',
  );
  assert.equal(
    line('m5.large', { addressing: 'prefix' }),
    '3 interfaces x (10 addresses - 1 primary) x 16 per /28 prefix + 2 host-network pods = 434',
  );
  assert.equal(
    line('m5.24xlarge', {}),
    '15 interfaces x (50 addresses - 1 primary) + 2 host-network pods = 737',
  );
});

test('reports what departs from the plain rule', () => {
  const lines = (name: string, part: Partial<NetworkMode>) =>
    maxPodsOf(named(name), mode(part)).lines.join('\n');
  assert.match(lines('m4.large', { addressing: 'prefix' }), /runs on Xen/);
  assert.match(lines('g3.4xlarge', { addressing: 'prefix' }), /may not run on Nitro/);
  assert.match(
    lines('m5.large', { addressing: 'prefix', cniVersion: 'v1.8.0' }),
    /does not support prefixes/,
  );
  assert.match(lines('m5.large', { customNetworking: true }), /primary interface without pod/);
  assert.match(lines('m5.large', { podEni: true }), /trunk ENI for pod security groups takes 1/);
  assert.match(lines('m5.large', { podEni: true }), /9 pods can have their own security groups/);
  assert.match(lines('m4.large', { podEni: true }), /does not support a trunk ENI/);
  assert.match(lines('g3.4xlarge', { podEni: true }), /Unknown whether .*; the CNI assumes/);
  assert.match(lines('m5.large', { maxEni: 2 }), /MAX_ENI=2 leaves 2 interfaces of 3/);
  assert.match(lines('p5.48xlarge', {}), /64 ENIs over 32 network cards/);
  assert.match(
    lines('a1.metal', { addressing: 'prefix' }),
    /does not count prefixes on bare metal/,
  );
  assert.match(lines('m5.large', { addressing: 'ipv6' }), /One \/80 block per interface/);
  assert.match(
    lines('c7g-flex.16xlarge'.replace('16', '8'), {}),
    /vCPUs of c7g-flex.8xlarge are unknown/,
  );
  assert.equal(lines('m5.large', {}).split('\n').length, 1);
});

test('the ceiling changes above 30 vCPUs', () => {
  const sized = (vcpus: number) => maxPodsOf({ ...named('m5.24xlarge'), vcpus }, mode({}));
  assert.deepEqual([sized(30).recommended, sized(31).recommended], [110, 250]);
});

test('branch pods come from the table, and none without a trunk', () => {
  assert.equal(maxPodsOf(named('m5.large'), mode({ podEni: true })).branchPods, 9);
  assert.equal(maxPodsOf(named('m4.large'), mode({ podEni: true })).branchPods, 0);
  assert.equal(maxPodsOf(named('m5.large'), mode({})).branchPods, 0);
  assert.equal(maxPodsOf(named('g3.4xlarge'), mode({ podEni: true })).branchPods, null);
});

const RELEASES: readonly (readonly [string, string, number, RegExp | null])[] = [
  ['t3.small', 'v1.1.0', 2, /does not know t3.small and does not ask EC2/],
  ['t3.small', 'v1.2.1', 8, /counts on 2 interfaces x 4 addresses/],
  ['t3.small', 'v1.3.0', 11, null],
  ['m5.24xlarge', 'v1.4.0', 452, /counts on 15 interfaces x 31 addresses/],
  ['r5ad.large', 'v1.4.0', 2, /does not know/],
  ['r5ad.large', 'v1.5.0', 29, null],
  ['inf1.24xlarge', 'v1.6.0', 321, /counts on 15 interfaces/],
  [
    'm7i.large',
    'v1.12.0',
    29,
    /asks EC2, which needs aws-node to have ec2:DescribeInstanceTypes\./,
  ],
  ['p5.48xlarge', 'v1.12.0', 100, /it then counts all network cards/],
  ['m7i.large', 'v1.15.0-eksbuild.2', 29, null],
  ['m8g-flex.large', 'v1.23.0', 29, /asks EC2/],
  ['m5.large', 'latest', 29, null],
];

for (const [name, cniVersion, allowed, note] of RELEASES) {
  test(`CNI ${cniVersion} gives ${name} ${allowed} pods`, () => {
    const found = maxPodsOf(named(name), mode({ cniVersion }));
    assert.equal(found.allowed, allowed);
    if (note === null) assert.deepEqual(found.budget.notes, []);
    else assert.match(found.budget.notes.join('\n'), note);
  });
}
