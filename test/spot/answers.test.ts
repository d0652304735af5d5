import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../src/evidence/json.ts';
import { isSpotAnswer, readSpotAnswers } from '../../src/readers/spot/answers.ts';

const PRICE = {
  AvailabilityZone: 'eu-west-1a',
  AvailabilityZoneId: 'euw1-az2',
  InstanceType: 'm5.large',
  ProductDescription: 'Linux/UNIX',
  SpotPrice: '0.041200',
  Timestamp: '2026-11-20T10:00:00Z',
};

function read(content: Json, untilMs: number | null = null) {
  return readSpotAnswers([{ locator: 'prices.json', content, untilMs }], 'Linux/UNIX');
}

function prices(...items: readonly JsonObject[]): JsonObject {
  return { SpotPriceHistory: items };
}

describe('a saved answer with prices', () => {
  test('gives points by pool in order, and until when they hold', () => {
    const later = { ...PRICE, Timestamp: '2026-11-21T10:00:00+00:00', SpotPrice: '0.05' };
    const other = {
      ...PRICE,
      AvailabilityZone: 'eu-west-1b',
      AvailabilityZoneId: 'euw1-az3',
      Timestamp: '2026-11-22T10:00:00Z',
    };
    const told = read(prices(other, later, PRICE));
    assert.deepEqual(
      told.prices.map(({ zone, points }) => [zone, points.map(({ dollars }) => dollars)]),
      [
        ['eu-west-1b', [0.0412]],
        ['eu-west-1a', [0.0412, 0.05]],
      ],
    );
    const newestMs = Date.parse('2026-11-22T10:00:00Z');
    assert.deepEqual([...new Set(told.prices.map(({ untilMs }) => untilMs))], [newestMs]);
    assert.equal(told.asOfMs, newestMs);
    assert.equal(told.zoneNames.get('euw1-az3'), 'eu-west-1b');
    assert.deepEqual(told.losses, []);
  });

  test('counts prices in and outside of a VPC alike, and leaves other products out', () => {
    const vpc = { ...PRICE, ProductDescription: 'Linux/UNIX (Amazon VPC)' };
    const windows = { ...PRICE, ProductDescription: 'Windows' };
    const told = read(prices(vpc, windows));
    assert.equal(told.prices[0]?.points.length, 1);
    assert.deepEqual(told.losses, ['prices.json: 1 price of other products left out.']);
  });

  for (const [what, broken] of Object.entries({
    'a type': { InstanceType: 'm5 large; rm' },
    'a zone': { AvailabilityZone: 'somewhere' },
    'a time': { Timestamp: 'yesterday' },
    'a price': { SpotPrice: '-1' },
    'a price that is not one': { SpotPrice: '1e9' },
    'a price of nothing': { SpotPrice: '0.0' },
  }))
    test(`reports items without ${what}`, () => {
      const told = read(prices(PRICE, { ...PRICE, ...broken }));
      assert.equal(told.prices.length, 1);
      assert.match(told.losses[0] ?? '', /^prices\.json: 1 price without a usable type/);
    });

  test('is reported when it is cut off', () => {
    const told = read({ ...prices(PRICE), NextToken: 'abc' });
    assert.match(told.losses[0] ?? '', /cut off .* Ask again without --max-items\./);
  });

  test('is known by its members', () => {
    assert.equal(isSpotAnswer(prices()), true);
    assert.equal(isSpotAnswer({ SpotPriceHistory: 'no' }), false);
    assert.equal(isSpotAnswer([]), false);
  });
});

test('EC2 tells GPUs, and what is not sold as Spot', () => {
  const type = (name: string, more: JsonObject): JsonObject => ({
    InstanceType: name,
    NetworkInfo: {
      MaximumNetworkInterfaces: 4,
      MaximumNetworkCards: 1,
      Ipv4AddressesPerInterface: 15,
    },
    VCpuInfo: { DefaultVCpus: 48 },
    MemoryInfo: { SizeInMiB: 196_608 },
    ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
    ...more,
  });
  const gpus = { GpuInfo: { Gpus: [{ Count: 4 }, { Count: 2 }] } };
  const { types } = read({
    InstanceTypes: [
      type('g5.12xlarge', { ...gpus, SupportedUsageClasses: ['on-demand', 'spot'] }),
      type('m5.12xlarge', { SupportedUsageClasses: ['on-demand'] }),
    ],
  });
  assert.deepEqual(
    [...types.values()].map(({ gpus: count, isSpot }) => [count, isSpot]),
    [
      [6, true],
      [0, false],
    ],
  );
});

test('Spot requests tell how long an instance ran and whether EC2 took it', () => {
  const request = (State: string, Code: string): JsonObject => ({
    CreateTime: '2026-11-20T10:00:00Z',
    LaunchSpecification: { InstanceType: 'm5.large' },
    LaunchedAvailabilityZone: 'eu-west-1a',
    State,
    Status: { Code, UpdateTime: '2026-11-20T12:00:00Z' },
  });
  const { runs } = read({
    SpotInstanceRequests: [
      request('active', 'fulfilled'),
      request('closed', 'instance-terminated-no-capacity'),
      request('closed', 'instance-terminated-by-user'),
      request('active', 'marked-for-termination'),
      { ...request('open', 'pending-evaluation'), LaunchedAvailabilityZone: null },
    ],
  });
  assert.deepEqual(
    runs.map(({ fromMs, toMs, wasInterrupted }) => [
      toMs === null ? null : (toMs - fromMs) / 3_600_000,
      wasInterrupted,
    ]),
    [
      [null, false],
      [2, true],
      [2, false],
      [2, true],
    ],
  );
});

test('placement scores outside of 1 to 10 are left out', () => {
  const scores = [3, 0, 11, 'x'].map((Score) => ({ AvailabilityZoneId: 'euw1-az1', Score }));
  assert.deepEqual(read({ SpotPlacementScores: scores }).scores, [
    { zoneId: 'euw1-az1', score: 3 },
  ]);
});
