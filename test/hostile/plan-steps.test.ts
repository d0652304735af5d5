import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isObject, listAt, textAt, type JsonObject } from '../../src/evidence/json.ts';
import { startCounting } from './steps/counting.ts';
import { growthOf, wrongWith } from './steps/growth.ts';

const counter = startCounting();
const { readPlan } = await import('../../src/readers/terraform/plan.ts');

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
