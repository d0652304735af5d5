import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { SELECTOR, type Selector } from '../../evidence/kube/object.ts';
import { project } from '../../evidence/project.ts';
import { selects, selectsAll } from './label-selector.ts';

const labels = { app: 'shop', tier: 'web' };

function read(selector: JsonObject): Selector {
  return project(SELECTOR, selector) as Selector;
}

function of(key: string, operator: string, ...values: readonly string[]): Selector {
  return read({ matchExpressions: [{ key, operator, values }] });
}

test('an empty selector selects everything, and so does none', () => {
  assert.ok(selects(read({}), labels) && selects(undefined, {}));
  assert.ok(selectsAll(read({})) && selectsAll(undefined));
  assert.ok(
    !selectsAll(read({ matchLabels: { app: 'shop' } })) && !selectsAll(of('app', 'Exists')),
  );
});

test('every label and every requirement must fit', () => {
  assert.ok(selects(read({ matchLabels: { app: 'shop' } }), labels));
  assert.ok(!selects(read({ matchLabels: { app: 'shop', tier: 'db' } }), labels));
  assert.ok(!selects({ ...of('tier', 'NotIn', 'web'), matchLabels: { app: 'shop' } }, labels));
});

test('each operator does what the API server does', () => {
  assert.deepEqual(
    [
      of('app', 'In', 'shop', 'bank'),
      of('zone', 'In', 'a'),
      of('zone', 'NotIn', 'a'),
      of('app', 'NotIn', 'shop'),
      of('app', 'Exists'),
      of('zone', 'DoesNotExist'),
      of('app', 'Gt', '1'),
    ].map((selector) => selects(selector, labels)),
    [true, false, true, false, true, true, false],
  );
});

test('a requirement of a label that must be there, or must not, looks at nothing else', () => {
  assert.ok(selects(of('app', 'Exists'), labels) && !selects(of('zone', 'Exists'), labels));
  assert.ok(selects(of('zone', 'DoesNotExist'), labels));
  assert.ok(!selects(of('app', 'DoesNotExist'), labels));
  assert.ok(selects(of('zone', 'NotIn', 'a'), labels) && !selects(of('zone', 'In', 'a'), labels));
  assert.ok(!selects(of('app', 'Near', 'shop'), labels));
});
