import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { createAsk } from '../../src/collection/asking.ts';
import {
  askPlacementScores,
  askSpotHistory,
  askSpotOffers,
} from '../../src/collection/spot-calls.ts';
import { listAt, type JsonObject } from '../../src/evidence/json.ts';
import type { Refusal } from '../../src/evidence/observations.ts';
import { readSpotAnswers } from '../../src/readers/spot/answers.ts';
import { fakeAws } from '../ports/fake/aws-api.ts';

import { answerOf, NOW_MS } from './world.ts';

const SCOPE = { zones: ['eu-west-1a'], product: 'Linux/UNIX', nowMs: NOW_MS };
const ITEMS = listAt(
  answerOf({ 'm5.large eu-west-1a': 0.04, 'm5a.large eu-west-1a': 0.05 }),
  'SpotPriceHistory',
);

function scene() {
  const clock = systemClock;
  const aws = fakeAws({ clock, region: 'eu-west-1' });
  const inputs: JsonObject[] = [];
  aws.table('ec2:DescribeSpotPriceHistory', 'SpotPriceHistory', (input) => {
    inputs.push(input);
    return ITEMS as readonly JsonObject[];
  });
  aws.table('ec2:DescribeInstanceTypes', 'InstanceTypes', () => []);
  aws.table('ec2:DescribeSpotInstanceRequests', 'SpotInstanceRequests', () => []);
  const refusals: Refusal[] = [];
  const evidence = {
    add: () => undefined,
    shorten: () => undefined,
    refuse: (refusal: Refusal) => refusals.push(refusal),
  };
  const ask = createAsk({ aws, clock }, evidence, new AbortController().signal);
  return { aws, ask, inputs, refusals };
}

describe('the calls of rollcall spot', () => {
  test('ask for the prices of now in the wanted zones, which hold until now', async () => {
    const { ask, inputs, refusals } = scene();
    const told = readSpotAnswers(await askSpotOffers(ask, SCOPE), SCOPE.product);
    assert.deepEqual(inputs, [
      {
        ProductDescriptions: ['Linux/UNIX'],
        Filters: [{ Name: 'availability-zone', Values: ['eu-west-1a'] }],
        StartTime: '2026-11-22T10:00:00.000Z',
        EndTime: '2026-11-22T10:00:00.000Z',
      },
    ]);
    assert.deepEqual(
      told.prices.map(({ type, untilMs }) => [type, untilMs]),
      [
        ['m5.large', NOW_MS],
        ['m5a.large', NOW_MS],
      ],
    );
    assert.deepEqual(refusals, []);
  });

  test('ask for the history of some types', async () => {
    const { ask, inputs } = scene();
    const types = ['m5.large'];
    await askSpotHistory(ask, SCOPE, { types, fromMs: NOW_MS - 1000 });
    assert.deepEqual(inputs[0]?.['InstanceTypes'], types);
    assert.equal(inputs[0]['StartTime'], '2026-11-22T09:59:59.000Z');
  });

  test('continue without what is refused, and name it', async () => {
    const { aws, ask, refusals } = scene();
    aws.refuse('ec2:DescribeInstanceTypes', 'denied');
    aws.refuse('ec2:DescribeSpotInstanceRequests', 'denied');
    aws.table('ec2:GetSpotPlacementScores', 'SpotPlacementScores', () => []);
    aws.refuse('ec2:GetSpotPlacementScores', 'denied');
    const offers = await askSpotOffers(ask, SCOPE);
    const scores = await askPlacementScores(ask, { types: [], vcpus: 4, region: 'eu-west-1' });
    const told = readSpotAnswers([...offers, scores], SCOPE.product);
    assert.equal(told.prices.length, 2);
    assert.deepEqual(refusals.map(({ call }) => call).toSorted(), [
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeSpotInstanceRequests',
      'ec2:GetSpotPlacementScores',
    ]);
  });
});
