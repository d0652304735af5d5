import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isObject, listAt, textAt, type JsonObject } from '../../src/evidence/json.ts';
import { startCounting } from './steps/counting.ts';
import { growthOf, wrongWith } from './steps/growth.ts';

const counter = startCounting();
const { readPlan } = await import('../../src/readers/terraform/plan.ts');
const { foreseeAll } = await import('../../src/diagnosis/preflight.ts');
const { CAUSES } = await import('../../src/causes/index.generated.ts');
const { causeOf } = await import('../../src/causes/catalogue.ts');

const FORESEEING = await Promise.all(
  CAUSES.filter(({ foresees }) => foresees === true).map(async (entry) =>
    causeOf(await entry.load()),
  ),
);

const PLAN = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../examples/preflight/self-managed-without-mapping.json'),
    'utf8',
  ),
) as JsonObject;

/** The example with all its resources so often as the size is, each under an index. */
function planOf(size: number): string {
  const resources = Array.from({ length: size }, (_, index) =>
    listAt(PLAN, 'planned_values.root_module.resources')
      .filter(isObject)
      .map((one) => ({ ...one, index, address: `${textAt(one, 'address') ?? ''}[${index}]` })),
  ).flat();
  return JSON.stringify({ ...PLAN, planned_values: { root_module: { resources } } });
}

/** Large enough to show a part that grows faster. */
const LARGE = { first: 800, last: 1600 };

test('a plan of twice the resources takes twice the steps to read', () => {
  const read = (text: string): unknown => readPlan(JSON.parse(text), 'plan.json');
  const growth = growthOf(counter, read, planOf, LARGE);
  assert.equal(growth.points.length, 2);
  assert.equal(wrongWith(growth), null);
});

/** Judges a plan by every cause that plans show. */
function judge(text: string): unknown {
  const read = readPlan(JSON.parse(text), 'plan.json');
  assert.ok(read.ok);
  return foreseeAll(FORESEEING, read.contents, 'plan.json');
}

/** A plan of as many clusters as the size is, each with a group, subnets and security groups. */
function stacksOf(size: number): string {
  const text = readFileSync(
    join(
      import.meta.dirname,
      '../../src/causes/reachable/api-port-blocked/plans/clear-rule-for-the-nodes.json',
    ),
    'utf8',
  );
  const stacks = Array.from({ length: size }, (_, index) => stackOf(text, index));
  const listed = (path: string): readonly unknown[] => stacks.flatMap((one) => listAt(one, path));
  return JSON.stringify({
    format_version: '1.2',
    planned_values: { root_module: { resources: listed('planned_values.root_module.resources') } },
    resource_changes: listed('resource_changes'),
    configuration: { root_module: { resources: listed('configuration.root_module.resources') } },
  });
}

function stackOf(text: string, index: number): JsonObject {
  const named = text
    .replaceAll(/\b(aws_[a-z_]+\.)(\w+)/g, `$1$2_${index}`)
    .replaceAll(/^ {8,10}"name": "(\w+)"/gm, `"name": "$1_${index}"`)
    .replaceAll('orders', `orders-${index}`);
  return JSON.parse(named) as JsonObject;
}

test('a plan of twice the groups takes twice the steps to judge', () => {
  const growth = growthOf(counter, judge, planOf, { first: 400, last: 800 });
  assert.equal(growth.points.length, 2);
  assert.equal(wrongWith(growth), null);
});

test('a plan of twice the clusters with their networks takes twice the steps to judge', () => {
  const growth = growthOf(counter, judge, stacksOf, { first: 100, last: 200 });
  assert.equal(growth.points.length, 2);
  assert.equal(wrongWith(growth), null);
});
