import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Planned } from '../../evidence/planned.ts';
import { lookedUp, lookup } from './indexed.ts';
import type { PlanFacts } from './plan-facts.ts';

const SUBNETS = lookup('aws/subnet', 'vpc', ({ VpcId: vpc }) => [vpc, vpc]);

function subnet(id: string, vpc: string | null): Planned<'aws/subnet'> {
  const value = { SubnetId: id, VpcId: vpc } as Planned<'aws/subnet'>['value'];
  const place = { address: id, locator: id, by: 'test' };
  return { kind: 'aws/subnet', state: 'seen', change: 'create', value, ...place };
}

function planOf(facts: readonly Planned[]): PlanFacts & { readonly asked: { count: number } } {
  const asked = { count: 0 };
  return {
    asked,
    canWriteMaps: true,
    list(kind) {
      asked.count++;
      return facts.filter((fact) => fact.kind === kind) as never;
    },
    doubtOf: () => null,
  };
}

test('finds the facts of a key once and in order, listing the plan once', () => {
  const plan = planOf([subnet('a', 'x'), subnet('b', 'y'), subnet('c', 'x'), subnet('d', null)]);
  const ids = (key: string | null): readonly unknown[] =>
    lookedUp(plan, SUBNETS, key).map(({ value }) => value.SubnetId);
  assert.deepEqual([ids('x'), ids('y'), ids('z'), ids(null)], [['a', 'c'], ['b'], [], []]);
  assert.equal(plan.asked.count, 1);
});
