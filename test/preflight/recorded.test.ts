/**
 * The form of a plan, by one that Terraform 1.11.4 printed of `terraform_data` in modules with
 * for_each, a moved, an imported and a forgotten resource, a sensitive variable and a check.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { at, type Json, listAt, textAt } from '../../src/evidence/json.ts';
import { placedIn } from '../../src/readers/terraform/module.ts';
import { readPlan } from '../../src/readers/terraform/plan.ts';
import { changeOf, isUnknownIn } from '../../src/readers/terraform/resource.ts';

const PATH = join(import.meta.dirname, 'recorded/terraform-1.11-modules.json');
const PLAN = JSON.parse(readFileSync(PATH, 'utf8')) as Json;

function changeAt(address: string): Json | undefined {
  const all = listAt(PLAN, 'resource_changes');
  return at(
    all.find((one) => textAt(one, 'address') === address),
    'change',
  );
}

const BLUE = 'module.nodes["blue.one"]';

describe('a plan that Terraform printed', () => {
  test('has its resources in modules, each with the configuration of its call', () => {
    const placed = [
      ...placedIn(at(PLAN, 'planned_values.root_module'), at(PLAN, 'configuration.root_module')),
    ];
    const inner = placed.find(({ module }) => module.address === `${BLUE}.module.inner`);
    assert.equal(inner?.module.call, 'inner');
    assert.deepEqual([inner.module.parent?.address, inner.module.parent?.call], [BLUE, 'nodes']);
    for (const { module } of placed)
      assert.ok(listAt(module.configuration, 'resources').length > 0, module.address);
    // What is forgotten is there still, in the plan too.
    assert.equal(placed.length, 9);
  });

  test('marks what is known after apply at any depth', () => {
    const unknown = at(changeAt(`${BLUE}.module.inner.terraform_data.tags`), 'after_unknown');
    assert.equal(isUnknownIn(at(unknown, 'input')), true);
    const machine = at(changeAt(`${BLUE}.terraform_data.machine[1]`), 'after_unknown');
    assert.equal(isUnknownIn(at(machine, 'triggers_replace')), false);
  });

  test('leaves what it moves, imports or forgets, and makes the rest', () => {
    const changes = ['cluster', 'renamed', 'imported', 'gone'].map((name) =>
      changeOf(changeAt(`terraform_data.${name}`)),
    );
    assert.deepEqual(changes, ['create', 'keep', 'keep', 'keep']);
  });

  test('is read whole, holds no node, and gives away no sensitive value', () => {
    const read = readPlan(PLAN, 'plan.json');
    assert.ok(read.ok);
    const { facts, doubts, isChanging, resourceCount } = read.contents;
    assert.deepEqual([facts, doubts, isChanging, resourceCount], [[], [], false, 9]);
    assert.ok(JSON.stringify(PLAN).includes('hunter2'), 'the plan itself has it');
    assert.doesNotMatch(JSON.stringify(read), /hunter2/);
  });
});
