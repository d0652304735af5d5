import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCounting } from './steps/counting.ts';
import { growthOf, wrongWith } from './steps/growth.ts';

const counter = startCounting();
const { readSpotAnswers } = await import('../../src/readers/spot/answers.ts');
const { readSpotRules } = await import('../../src/readers/spot/rules-file.ts');
const { readSpotStandings } = await import('../../src/readers/spot/answers.ts');
const { readActRules } = await import('../../src/readers/spot/act-rules-file.ts');
const { stepsOf, statisticsOf } = await import('../../src/capacity/spot/price-series.ts');
const { means } = await import('../../src/capacity/spot/rules.ts');

/** Large enough to show a part that grows faster. */
const LARGE = { first: 2000, last: 4000 };
const PRODUCT = 'Linux/UNIX';

/** So many changes of two pools, the newest first, as AWS gives them. */
function pricesOf(size: number): string {
  const items = Array.from({ length: size }, (_, index) => ({
    AvailabilityZone: 'eu-west-1a',
    AvailabilityZoneId: 'euw1-az1',
    InstanceType: index % 2 === 0 ? 'm5.large' : 'm5.xlarge',
    ProductDescription: PRODUCT,
    SpotPrice: `0.0${(index % 89) + 10}`,
    Timestamp: new Date(1_800_000_000_000 - index * 60_000).toISOString(),
  }));
  return JSON.stringify({ SpotPriceHistory: items });
}

test('twice the prices take twice the steps to read and to sum up', () => {
  const read = (text: string): unknown => {
    const content = JSON.parse(text);
    const { prices } = readSpotAnswers([{ locator: 'p', content, untilMs: null }], PRODUCT);
    return statisticsOf(stepsOf(prices), 0, 1_800_000_000_000);
  };
  const growth = growthOf(counter, read, pricesOf, LARGE);
  assert.equal(wrongWith(growth), null);
});

test('twice the rules take twice the steps to read', () => {
  const rulesOf = (size: number): string => `never:\n${'  - m5.large\n'.repeat(size)}`;
  const growth = growthOf(counter, (text) => readSpotRules(text), rulesOf, LARGE);
  assert.equal(wrongWith(growth), null);
});

test('twice the Spot requests take twice the steps to read', () => {
  const requestsOf = (size: number): string =>
    JSON.stringify({
      SpotInstanceRequests: Array.from({ length: size }, (_, index) => ({
        InstanceId: `i-${String(index).padStart(17, '0')}`,
        LaunchSpecification: { InstanceType: 'm5.large' },
        State: 'active',
        Status: { Code: 'marked-for-termination', UpdateTime: '2026-11-20T10:00:00Z' },
      })),
    });
  const read = (text: string): unknown => readSpotStandings(JSON.parse(text));
  assert.equal(wrongWith(growthOf(counter, read, requestsOf, LARGE)), null);
});

test('acting rules beyond a few are refused, and twice the text takes twice the steps', () => {
  const rulesOf = (size: number): string =>
    `rules:\n${'- {name: a, on: rebalance, do: drain}\n'.repeat(size)}`;
  assert.equal(readActRules(rulesOf(21)).ok, false);
  const growth = growthOf(counter, (text) => readActRules(text), rulesOf, LARGE);
  assert.equal(wrongWith(growth), null);
});

test('a pattern of many stars takes steps that grow with the text alone', () => {
  const textOf = (size: number): string => `${'a'.repeat(size)}b`;
  const growth = growthOf(counter, (text) => means('*a*a*a*a*a*.c', text), textOf, LARGE);
  assert.equal(wrongWith(growth), null);
});
