import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { spotDocument } from '../../src/capacity/spot/document.ts';
import { type MixAnswer, mixOf, programOf } from '../../src/capacity/spot/mix.ts';
import { costOf, isFeasible } from '../../src/capacity/spot/program.ts';
import type { SpotRules } from '../../src/capacity/spot/rules.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { DAY_MS, NOW_MS, type Prices, questionOf, type World } from './world.ts';

const THREE: Prices = {
  'm5.large eu-west-1a': 0.04,
  'm5.large eu-west-1b': 0.041,
  'm5a.large eu-west-1a': 0.042,
  'm5a.large eu-west-1c': 0.043,
  'm6g.large eu-west-1b': 0.039,
  'm6g.large eu-west-1c': 0.044,
};

function nodesOf({ mix }: MixAnswer): Readonly<Record<string, number>> {
  return Object.fromEntries(
    mix?.takes.map(({ pool, nodes }) => [`${pool.type} ${pool.zone}`, nodes]) ?? [],
  );
}

function impossible(world: World): string {
  return mixOf(questionOf(world)).impossible ?? '';
}

describe('a mix', () => {
  test('is the cheapest pool when nothing is to be lost and nothing bounded', () => {
    const rules = { lossWeight: 0, maxSharePerPool: 1, maxSharePerZone: 1, maxSharePerFamily: 1 };
    assert.deepEqual(nodesOf(mixOf(questionOf({ prices: THREE, rules }))), {
      'm6g.large eu-west-1b': 8,
    });
  });

  test('spreads over pools, the more the dearer their loss', () => {
    const poolsAt = (lossWeight: number): number => {
      const rules = { lossWeight, maxSharePerPool: 1, maxSharePerZone: 1, maxSharePerFamily: 1 };
      return Object.keys(nodesOf(mixOf(questionOf({ prices: THREE, rules })))).length;
    };
    assert.deepEqual([0, 0.05, 0.2, 1].map(poolsAt), [1, 2, 4, 6]);
  });

  test('takes fewer nodes of a pool from which EC2 took more', () => {
    const runs: JsonObject = {
      SpotInstanceRequests: Array.from({ length: 6 }, (_, at) => ({
        CreateTime: new Date(NOW_MS - 4 * DAY_MS).toISOString(),
        LaunchSpecification: { InstanceType: 'm5.large' },
        LaunchedAvailabilityZone: at < 3 ? 'eu-west-1a' : 'eu-west-1b',
        State: at < 3 ? 'closed' : 'active',
        Status: {
          Code: at < 3 ? 'instance-terminated-no-capacity' : 'fulfilled',
          UpdateTime: new Date(NOW_MS).toISOString(),
        },
      })),
    };
    const prices = { 'm5.large eu-west-1a': 0.04, 'm5.large eu-west-1b': 0.04 };
    const rules = { lossWeight: 2, maxSharePerPool: 1, maxSharePerZone: 1 };
    const before = mixOf(questionOf({ prices, rules }));
    assert.deepEqual(nodesOf(before), { 'm5.large eu-west-1a': 4, 'm5.large eu-west-1b': 4 });
    const after = mixOf(questionOf({ prices, rules, more: [runs] }));
    assert.ok((nodesOf(after)['m5.large eu-west-1a'] ?? 0) < 4);
    const [safe, taken] = after.mix?.takes.map(({ pool }) => pool.interruptions) ?? [];
    assert.equal(safe?.perThousandHours, 0);
    assert.ok((taken?.perThousandHours ?? 0) > 10);
  });

  test('takes a preferred type that is a little dearer, and says its true price', () => {
    const rules = { prefer: ['m5a'], lossWeight: 0, maxSharePerPool: 1, maxSharePerZone: 1 };
    const prices = { 'm5.large eu-west-1a': 0.04, 'm5a.large eu-west-1a': 0.042 };
    const { mix } = mixOf(questionOf({ prices, rules: { ...rules, maxSharePerFamily: 1 } }));
    assert.equal(mix?.takes[0]?.pool.type, 'm5a.large');
    assert.equal(mix.costPerHour.toFixed(3), '0.336');
  });
});

describe('a mix of whole nodes', () => {
  test('counts the pods that ENIs can hold', () => {
    const prices = { 'm5.large eu-west-1a': 0.04, 'm5.xlarge eu-west-1a': 0.09 };
    const rules = { lossWeight: 0, maxSharePerPool: 1 };
    const nodes = (daemonPods: number) =>
      nodesOf(mixOf(questionOf({ prices, demand: { pods: 100, daemonPods }, rules })));
    // m5.large has 3 x (10 - 1) addresses and m5.xlarge 4 x (15 - 1).
    assert.deepEqual(nodes(0), { 'm5.large eu-west-1a': 4 });
    assert.deepEqual(nodes(7), { 'm5.large eu-west-1a': 5 });
    assert.deepEqual(nodes(20), { 'm5.xlarge eu-west-1a': 3 });
  });

  test('counts the memory that the kubelet leaves to pods', () => {
    const prices = { 'm5.large eu-west-1a': 0.04 };
    const rules = { lossWeight: 0, maxSharePerPool: 1 };
    const nodes = (memoryGiB: number) =>
      nodesOf(mixOf(questionOf({ prices, demand: { memoryGiB }, rules })))['m5.large eu-west-1a'];
    assert.equal(nodes(14), 2);
    assert.equal(nodes(16), 3);
  });

  test('takes only types whose GPUs EC2 told', () => {
    const prices = { 'm5.large eu-west-1a': 0.04, 'g5.xlarge eu-west-1a': 0.4 };
    const rules = { maxSharePerPool: 1 };
    assert.match(impossible({ prices, demand: { gpus: 2 }, rules }), /its GPUs are unknown/);
    const told = {
      InstanceTypes: [
        {
          InstanceType: 'g5.xlarge',
          NetworkInfo: {
            MaximumNetworkInterfaces: 4,
            MaximumNetworkCards: 1,
            Ipv4AddressesPerInterface: 15,
          },
          VCpuInfo: { DefaultVCpus: 4 },
          MemoryInfo: { SizeInMiB: 16_384 },
          ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
          GpuInfo: { Gpus: [{ Count: 1 }] },
        },
      ],
    };
    const question = questionOf({ prices, demand: { gpus: 2 }, rules, more: [told] });
    assert.deepEqual(nodesOf(mixOf(question)), { 'g5.xlarge eu-west-1a': 2 });
  });
});

describe('a mix within rules', () => {
  test('leaves out zones with a lower placement score than the rules ask for', () => {
    const more = [
      {
        SpotPlacementScores: [
          { AvailabilityZoneId: 'euw1-az1', Score: 2 },
          { AvailabilityZoneId: 'euw1-az2', Score: 9 },
        ],
      },
    ];
    const rules = { minPlacementScore: 5, maxSharePerPool: 1, maxSharePerZone: 1 };
    const { mix } = mixOf(questionOf({ prices: THREE, rules, more }));
    assert.deepEqual(
      [...new Set(mix?.takes.map(({ pool }) => `${pool.zone} ${pool.score}`))].toSorted(),
      ['eu-west-1b 9', 'eu-west-1c null'],
    );
  });

  test('keeps every rule and is not beaten by any other mix', () => {
    const rules: fc.Arbitrary<Partial<SpotRules>> = fc.record({
      lossWeight: fc.constantFrom(0, 0.2, 1),
      maxSharePerPool: fc.constantFrom(0.25, 0.5, 1),
      maxSharePerZone: fc.constantFrom(null, 0.6, 1),
      maxSharePerFamily: fc.constantFrom(null, 0.7, 1),
      budget: fc.constantFrom(null, 0.35),
    });
    const prices = fc.record(
      Object.fromEntries(
        Object.keys(THREE).map((pool) => [
          pool,
          fc.integer({ min: 30, max: 60 }).map((price) => price / 1000),
        ]),
      ),
    );
    let solved = 0;
    fc.assert(
      fc.property(rules, prices, (ruled, priced) => {
        const question = questionOf({ prices: priced, rules: ruled });
        const answer = mixOf(question, { stepsMax: 5000, gap: 0 });
        const { pools } = answer.candidates;
        const all = answer.mix?.loss.dollarsForAll ?? 0;
        const program = programOf(pools, question.demand, answer.rules, all);
        let least = Infinity;
        for (const counts of countsUpTo(
          program.variables.map(({ most }) => most),
          8,
        ))
          if (isFeasible(program, counts)) least = Math.min(least, costOf(program, counts));
        assert.equal(answer.mix === null, least === Infinity);
        if (answer.mix === null) return;
        solved++;
        assert.ok(Math.abs(answer.mix.proof.objective - least) < 1e-9);
        assert.ok(answer.mix.loss.worstShare <= (ruled.maxSharePerPool ?? 1) + 1e-9);
      }),
      { numRuns: 60, seed: 4 },
    );
    assert.ok(solved > 20, String(solved));
  });
});

/** All counts of so many nodes together. */
function* countsUpTo(most: readonly number[], nodes: number): Generator<number[]> {
  const [first, ...rest] = most;
  if (first === undefined) {
    if (nodes === 0) yield [];
    return;
  }
  for (let count = 0; count <= Math.min(first, nodes); count++)
    for (const others of countsUpTo(rest, nodes - count)) yield [count, ...others];
}

describe('no mix is possible, and one sentence says why:', () => {
  for (const [what, world, why] of [
    [
      'a budget',
      { prices: THREE, rules: { budget: 0.2 } },
      'The budget of $0.2 an hour is less than the $0.3240 that the cheapest mix costs.',
    ],
    [
      'shares of pools',
      { prices: { 'm5.large eu-west-1a': 0.04, 'm5.large eu-west-1b': 0.04 } },
      'The 2 pools that are left give at most 8 of the 16 vCPUs with maxSharePerPool 25 %.',
    ],
    [
      'shares smaller than a node',
      { prices: { 'm5.2xlarge eu-west-1a': 0.16 } },
      'maxSharePerPool 25 % allows 4 vCPUs of one pool, and the smallest node that is left has 8.',
    ],
    [
      'shares of zones',
      {
        prices: { 'm5.large eu-west-1a': 0.04 },
        rules: { maxSharePerPool: 1, maxSharePerZone: 0.6 },
      },
      'maxSharePerZone 60 % with the only zone that is left allows 60 % of what is wanted.',
    ],
    [
      'rules that exclude all',
      { prices: { 'm5.large eu-west-1a': 0.04 }, rules: { never: ['m5'] } },
      'No type is left: 1 type left out, 1 of them because: excluded by never: m5.',
    ],
    [
      'zones without prices',
      { prices: THREE, demand: { zones: ['eu-west-1d'] } },
      'No price of any type in eu-west-1d was found.',
    ],
  ] as const)
    test(what, () => {
      assert.equal(impossible(world), why);
    });
});

describe('every type has a line that says why it is in or out:', () => {
  const prices = {
    ...THREE,
    'm5.metal eu-west-1a': 2,
    't3.large eu-west-1a': 0.01,
    'r5.large eu-west-1a': 0.09,
    'x9.huge.large eu-west-1a': 1,
    'zz1.large eu-west-1a': 0.01,
    'm5.4xlarge eu-west-1a': 0.3,
  };
  const document = spotDocument(questionOf({ prices, rules: { never: ['t3'] } }));
  const whyOf = (name: string) => document.types.find(({ type }) => type === name)?.why ?? '';

  for (const [type, why] of [
    [
      'm5.large',
      /^\d nodes? in eu-west-1a, \d nodes? in eu-west-1b; \$0\.0200 to \$0\.0205 per vCPU and hour$/,
    ],
    ['t3.large', /^excluded by never: t3$/],
    ['m5.metal', /^96 vCPUs are too many for one node$/],
    ['r5.large', /^\$0\.0900 in eu-west-1a is too dear: at about \$0\.0\d{3} it would come in$/],
    [
      'zz1.large',
      /^unknown type; ask EC2: aws ec2 describe-instance-types --instance-types zz1\.large$/,
    ],
    ['m5.4xlarge', /^one node has 16 vCPUs, more than maxSharePerPool allows of one pool$/],
  ] as const)
    test(type, () => {
      assert.match(whyOf(type), why);
    });

  test('those that are in come first, and none is missing but those without a usable name', () => {
    assert.equal(document.types.length, 8);
    const [first] = document.types.map(({ isIn }) => isIn);
    assert.equal(first, true);
  });

  test('the price at which a type would come in is about right', () => {
    const at = Number(/at about \$(0\.\d+)/.exec(whyOf('r5.large'))?.[1]);
    const isInAt = (price: number): boolean =>
      mixOf(
        questionOf({
          prices: { ...prices, 'r5.large eu-west-1a': price },
          rules: { never: ['t3'] },
        }),
      ).mix?.takes.some(({ pool }) => pool.type === 'r5.large') === true;
    assert.deepEqual([isInAt(at * 0.9), isInAt(at * 1.1)], [true, false]);
  });

  test('reports what is unknown', () => {
    assert.match(document.unknown.join('\n'), /^Interruptions are unknown for \d of the \d pools/);
    assert.match(document.unknown.join('\n'), /Placement scores are unknown/);
    assert.match(document.unknown.join('\n'), /1 price without a usable type/);
  });
});
