import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eniBudget, podAddresses } from '../../src/capacity/eni.ts';
import { type InstanceType, isUnknownType } from '../../src/capacity/instance-type.ts';
import { INSTANCE_TYPES } from '../../src/capacity/instance-types.generated.ts';
import { instanceTypes } from '../../src/capacity/instance-types.ts';
import {
  DEFAULT_MODE,
  MANIFEST_TARGETS,
  type NetworkMode,
  type WarmTargets,
} from '../../src/capacity/mode.ts';
import { heldAddresses, networkPods } from '../../src/capacity/warm.ts';

const TYPES = instanceTypes(INSTANCE_TYPES);

function named(name: string): InstanceType {
  const type = TYPES.named(name);
  assert.ok(!isUnknownType(type), name);
  return type;
}

interface Case {
  readonly name: string;
  readonly mode?: Partial<NetworkMode>;
  readonly targets?: Partial<WarmTargets>;
  readonly pods: number;
  /** Interfaces, addresses, blocks, warm addresses. */
  readonly held: readonly [number, number, number, number];
}

const PREFIX: Partial<NetworkMode> = { addressing: 'prefix' };
const NO_ENI: Partial<WarmTargets> = { warmEniTarget: 0 };

const CASES: readonly Case[] = [
  { name: 'm5.large', pods: 0, held: [1, 10, 0, 9] },
  { name: 'm5.large', pods: 1, held: [2, 20, 0, 17] },
  { name: 'm5.large', pods: 9, held: [2, 20, 0, 9] },
  { name: 'm5.large', pods: 10, held: [3, 30, 0, 17] },
  { name: 'm5.large', pods: 27, held: [3, 30, 0, 0] },
  { name: 'm5.4xlarge', pods: 1, held: [2, 60, 0, 57] },
  { name: 't3.small', pods: 1, held: [2, 8, 0, 5] },
  { name: 't3.small', pods: 4, held: [3, 12, 0, 5] },
  { name: 'm5.large', targets: NO_ENI, pods: 8, held: [1, 10, 0, 1] },
  { name: 'm5.large', targets: NO_ENI, pods: 9, held: [2, 20, 0, 9] },
  { name: 'm5.large', targets: { warmIpTarget: 5 }, pods: 0, held: [1, 6, 0, 5] },
  { name: 'm5.large', targets: { warmIpTarget: 5 }, pods: 5, held: [2, 12, 0, 5] },
  {
    name: 'm5.large',
    targets: { warmIpTarget: 2, minimumIpTarget: 10 },
    pods: 3,
    held: [2, 12, 0, 7],
  },
  { name: 'm5.large', targets: { minimumIpTarget: 4 }, pods: 6, held: [1, 7, 0, 0] },
  { name: 'm5.large', mode: PREFIX, pods: 0, held: [1, 17, 1, 16] },
  { name: 'm5.large', mode: PREFIX, pods: 1, held: [1, 33, 2, 31] },
  { name: 'm5.large', mode: PREFIX, pods: 16, held: [1, 33, 2, 16] },
  {
    name: 'm5.large',
    mode: PREFIX,
    targets: { warmPrefixTarget: 0 },
    pods: 16,
    held: [1, 33, 2, 16],
  },
  {
    name: 'm5.large',
    mode: PREFIX,
    targets: { warmIpTarget: 5 },
    pods: 12,
    held: [1, 33, 2, 20],
  },
  { name: 'm5.large', mode: { customNetworking: true }, pods: 0, held: [2, 11, 0, 9] },
  { name: 'm5.large', mode: { customNetworking: true }, pods: 18, held: [3, 21, 0, 0] },
  { name: 'm5.large', mode: { podEni: true }, pods: 18, held: [3, 21, 0, 0] },
  { name: 'm5.large', mode: { addressing: 'ipv6' }, pods: 50, held: [1, 1, 0, 0] },
];

for (const { name, mode, targets, pods, held } of CASES) {
  const title = `${name} ${JSON.stringify({ ...mode, ...targets })} with ${pods} pods`;
  test(`${title} holds ${held[1]} addresses on ${held[0]} interfaces`, () => {
    const budget = eniBudget(named(name), { ...DEFAULT_MODE, ...mode });
    const found = heldAddresses(budget, { ...MANIFEST_TARGETS, ...targets }, pods, null);
    assert.deepEqual([found.enis, found.addresses, found.blocks, found.warm], held);
  });
}

test('with the targets of the manifest the need is that of the documented formula', () => {
  for (const name of TYPES.names) {
    const { enis, ipv4PerEni } = named(name);
    const budget = eniBudget(named(name), DEFAULT_MODE);
    for (const pods of [1, ipv4PerEni - 1, enis * (ipv4PerEni - 1)]) {
      const expected = ipv4PerEni * Math.min(enis, Math.ceil(pods / (ipv4PerEni - 1)) + 1);
      assert.equal(heldAddresses(budget, MANIFEST_TARGETS, pods, null).addresses, expected, name);
    }
  }
});

test('growth ends with the interface that covers max-pods', () => {
  const budget = eniBudget(named('m5.large'), DEFAULT_MODE);
  assert.equal(heldAddresses(budget, MANIFEST_TARGETS, 6, 8).enis, 1);
  assert.equal(heldAddresses(budget, MANIFEST_TARGETS, 9, 11).enis, 2);
  const prefixes = eniBudget(named('m5.large'), { ...DEFAULT_MODE, addressing: 'prefix' });
  assert.equal(heldAddresses(prefixes, MANIFEST_TARGETS, 108, 110).blocks, 7);
});

const TARGETS = fc.record({
  warmEniTarget: fc.integer({ min: -1, max: 5 }),
  warmIpTarget: fc.option(fc.integer({ min: -1, max: 40 })),
  minimumIpTarget: fc.option(fc.integer({ min: -1, max: 40 })),
  warmPrefixTarget: fc.integer({ min: -1, max: 5 }),
});
const MODE = fc.record({
  addressing: fc.constantFrom('secondary' as const, 'prefix' as const),
  customNetworking: fc.boolean(),
  podEni: fc.boolean(),
  maxEni: fc.option(fc.integer({ min: 0, max: 6 })),
});

test('a node never holds more than it can, and enough for its pods when it can', () => {
  const property = fc.property(
    fc.constantFrom(...TYPES.names),
    MODE,
    TARGETS,
    fc.nat({ max: 300 }),
    (name, mode, targets, wanted) => {
      const type = named(name);
      const budget = eniBudget(type, { ...DEFAULT_MODE, ...mode });
      const pods = Math.min(wanted, podAddresses(budget));
      const held = heldAddresses(budget, targets, pods, null);
      const pool = held.addresses - held.enis;
      assert.ok(held.enis >= 1 && held.enis <= type.enis);
      assert.ok(pool >= pods && pool <= podAddresses(budget), `${pool} for ${pods}`);
      assert.equal(held.warm, pool - pods);
    },
  );
  fc.assert(property);
});

test('pods on the host network do not take an address', () => {
  assert.deepEqual([networkPods(29), networkPods(1)], [27, 0]);
});
