import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../src/evidence/json.ts';
import { contentsOf } from '../../src/readers/terraform/contents.ts';
import { written } from '../../src/readers/written/resource.ts';
import {
  LOOKED_UP,
  type Names,
  readSchema,
  thingsIn,
  thingsOfAllPlans,
  typesRead,
  unknownNames,
} from './provider-schema.ts';

const { types } = readSchema();

/** Values as the schema has them, which note every name that is asked of them and is not there. */
function askable(names: Names, onUnknown: (path: string) => void, path = ''): JsonObject {
  const known = Object.fromEntries(
    Object.entries(names).map(([name, below]): [string, Json] => [
      name,
      below === null ? 'x' : [askable(below, onUnknown, `${path}${name}.`)],
    ]),
  );
  const asked = (name: string | symbol): void => {
    if (typeof name === 'string' && name !== 'toJSON' && !Object.hasOwn(known, name))
      onUnknown(`${path}${name}`);
  };
  return new Proxy(known, {
    get: (target, name) => (asked(name), Reflect.get(target, name) as Json),
    getOwnPropertyDescriptor: (target, name) => (
      asked(name), Reflect.getOwnPropertyDescriptor(target, name)
    ),
    has: (target, name) => (asked(name), Reflect.has(target, name)),
  });
}

/** What the reader of plans asks a resource for that the provider does not have. */
function askedInVain(type: string, names: Names): readonly string[] {
  const inVain = new Set<string>();
  const values = askable(names, (path) => inVain.add(path));
  const isLookedUp = type.startsWith('data.');
  const resource = written(type.replace('data.', ''), `${type}.this`, values, { isLookedUp });
  const source = { locator: 'plan', by: 'test', doubts: [], isRemoving: false, canWriteMaps: true };
  contentsOf([resource], source);
  return [...inVain].toSorted();
}

/** One function reads a resource and its data source, each of which has names that the other lacks. */
function otherOf(type: string): Names {
  const other = type.startsWith('data.') ? type.replace('data.', '') : `data.${type}`;
  return types[other] ?? {};
}

describe('the reader of plans', () => {
  test('names no type that the provider does not have', () => {
    const unknown = [...typesRead()].filter(([type]) => !Object.hasOwn(types, type));
    assert.deepEqual(unknown, []);
    for (const type of LOOKED_UP) assert.ok(Object.hasOwn(types, `data.${type}`), type);
  });

  for (const [type, names] of Object.entries(types))
    test(`asks ${type} for no attribute that it does not have`, () => {
      assert.deepEqual(askedInVain(type, { ...otherOf(type), ...names }), []);
    });
});

describe('plans of the examples', () => {
  test('set no attribute that the provider does not have', () => {
    const unknown = thingsOfAllPlans().flatMap(({ file, type, values }) =>
      unknownNames(values, types[type] ?? {}).map((name) => `${file}: ${type} ${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  test('with a misspelt attribute or block are refused', () => {
    const values = { nam: 'orders', vpc_config: [{ subnet_id: [] }], access_confg: [] };
    const plan = {
      planned_values: { root_module: { resources: [{ type: 'aws_eks_cluster', values }] } },
    };
    const [thing] = thingsIn('plan.json', plan);
    assert.deepEqual(unknownNames(thing?.values, types['aws_eks_cluster'] ?? {}), [
      'nam',
      'vpc_config.subnet_id',
      'access_confg',
    ]);
  });
});
