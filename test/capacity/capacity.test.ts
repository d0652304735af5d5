import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CapacityInput, capacityOf } from '../../src/capacity/capacity.ts';
import { cidrOf } from '../../src/domain/network/cidr.ts';
import { INSTANCE_TYPES } from '../../src/capacity/instance-types.generated.ts';
import { instanceTypes } from '../../src/capacity/instance-types.ts';
import { DEFAULT_MODE, MANIFEST_TARGETS } from '../../src/capacity/mode.ts';
import type { SubnetState } from '../../src/capacity/subnet.ts';
import { isAtLeast } from '../../src/domain/version.ts';

const TYPES = instanceTypes(INSTANCE_TYPES);

function input(name: string, part: Partial<CapacityInput> = {}): CapacityInput {
  return {
    type: TYPES.named(name),
    mode: DEFAULT_MODE,
    targets: MANIFEST_TARGETS,
    subnets: null,
    maxPodsConfigured: null,
    ...part,
  };
}

function subnet(free: number | null, freeBlocks: number | null = null): SubnetState {
  const cidr = cidrOf('10.0.0.0/22') ?? { first: 0, prefixLength: 22 };
  return {
    subnet: { id: 'subnet-0a', zone: null, cidr, available: free },
    usable: 1019,
    free,
    freeBlocks,
    unexplained: 0,
    fragmentation: null,
  };
}

const PREFIX = { ...DEFAULT_MODE, addressing: 'prefix' } as const;

const LIMITS: readonly (readonly [string, CapacityInput, string, RegExp])[] = [
  [
    'an unknown type',
    input('x9.large'),
    'unknown-type',
    /describe-instance-types --instance-types x9/,
  ],
  ['interfaces', input('m5.large'), 'interfaces', /3 interfaces with 9 pod addresses each/],
  [
    'the ceiling',
    input('m5.24xlarge'),
    'ceiling',
    /limited by the 250 pods that AWS recommends; addresses allow 737/i,
  ],
  [
    'max-pods',
    input('m5.large', { maxPodsConfigured: 8 }),
    'max-pods',
    /limited by max-pods: 8 pods/i,
  ],
  [
    'interfaces once max-pods is beyond the ceiling',
    input('m5.24xlarge', { maxPodsConfigured: 737 }),
    'interfaces',
    /15 interfaces with 49/,
  ],
  [
    'a CNI without the type',
    input('t3.small', { mode: { ...DEFAULT_MODE, cniVersion: 'v1.1.0' } }),
    'unknown-to-cni',
    /does not know t3.small/,
  ],
  [
    'addresses of the subnet',
    input('m5.large', { subnets: [subnet(20), subnet(9)] }),
    'subnet-addresses',
    /a node needs 30 addresses and 29 are free/,
  ],
  [
    'blocks of the subnet',
    input('m5.large', { mode: PREFIX, subnets: [subnet(500, 3)] }),
    'subnet-blocks',
    /500 addresses are free, but a node needs 7 whole \/28 blocks and 3 are free/,
  ],
];

for (const [title, given, factor, sentence] of LIMITS) {
  test(`what ends it: ${title}`, () => {
    const found = capacityOf(given);
    assert.equal(found.factor, factor);
    assert.match(found.sentence, sentence);
  });
}

const MISMATCHES: readonly (readonly [string, number, string | null])[] = [
  ['m5.large', 110, 'above-addresses'],
  ['m5.large', 30, 'above-addresses'],
  ['m5.large', 29, null],
  ['m5.large', 20, 'below-recommended'],
  ['m5.24xlarge', 737, 'above-recommended'],
  ['m5.24xlarge', 250, null],
  ['c7g-flex.8xlarge', 200, null],
];

for (const [name, maxPodsConfigured, kind] of MISMATCHES) {
  test(`max-pods ${maxPodsConfigured} on ${name} is ${kind ?? 'fitting'}`, () => {
    assert.equal(capacityOf(input(name, { maxPodsConfigured })).mismatch?.kind ?? null, kind);
  });
}

test('too many pods are counted', () => {
  const { mismatch } = capacityOf(input('m5.large', { maxPodsConfigured: 110 }));
  assert.match(
    mismatch?.sentence ?? '',
    /only 29 pods get addresses: up to 81 pods would hang in ContainerCreating/,
  );
});

test('nodes that fit are counted subnet by subnet', () => {
  const fit = (subnets: readonly SubnetState[] | null, mode: typeof PREFIX | typeof DEFAULT_MODE) =>
    capacityOf(input('m5.large', { mode, subnets })).fit;
  assert.deepEqual(fit([subnet(59), subnet(89)], DEFAULT_MODE), {
    nodes: 3,
    factor: 'subnet-addresses',
  });
  assert.deepEqual(fit([subnet(500, 15), subnet(500, 6)], PREFIX), {
    nodes: 2,
    factor: 'subnet-blocks',
  });
  assert.deepEqual(fit([subnet(500)], PREFIX), { nodes: 4, factor: 'subnet-addresses' });
  assert.equal(fit([subnet(59), subnet(null)], DEFAULT_MODE), null);
  assert.equal(fit([], DEFAULT_MODE), null);
  assert.equal(fit(null, DEFAULT_MODE), null);
});

test('an unknown type has no number at all', () => {
  const { addresses, maxPods, held, mismatch, fit } = capacityOf(
    input('x9.large', { maxPodsConfigured: 29, subnets: [subnet(100)] }),
  );
  assert.deepEqual([addresses, maxPods, held, mismatch, fit], [null, null, null, null, null]);
});

for (const [version, release, expected] of [
  ['v1.21.2-eksbuild.1', '1.21.2', true],
  ['1.9.0', '1.10.0', false],
  ['v1.29.3-eks-ae9a62a', '1.30.0', false],
  ['1.27', '1.27.0', true],
  ['latest', '1.0.0', null],
  ['', '1.0.0', null],
  [null, '1.0.0', null],
] as const) {
  test(`${version ?? 'no version'} at least ${release}: ${expected}`, () => {
    assert.equal(isAtLeast(version, release), expected);
  });
}
