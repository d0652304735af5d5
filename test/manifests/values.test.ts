import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../src/evidence/json.ts';
import { faultsOf } from '../../src/manifests/check-values.ts';
import { chosenValues, layerOf } from '../../src/manifests/chosen-values.ts';
import { defaultsOf, mergedValues, valuesSchema } from '../../src/manifests/values.ts';
import { HOSTILE_VALUES } from './hostile-values.ts';

const SCHEMA = valuesSchema('0.1.0');
const ajv = new Ajv({ strict: false }).compile(SCHEMA);

function chosen(...layers: readonly Json[]): ReturnType<typeof chosenValues> {
  return chosenValues({ version: '0.1.0', namespace: 'rollcall', layers });
}

describe('values of an installation', () => {
  for (const [what, values] of HOSTILE_VALUES)
    test(`with ${what} are refused`, () => {
      assert.equal(chosen(values).ok, false);
      assert.equal(ajv(values), false, 'a validator of JSON Schema takes them');
    });

  test('of values.yaml are what is taken when nothing is given', () => {
    const path = join(import.meta.dirname, '../../charts/rollcall/values.yaml');
    assert.deepEqual(load(readFileSync(path, 'utf8')), defaultsOf(SCHEMA));
    assert.deepEqual(faultsOf(SCHEMA, defaultsOf(SCHEMA)), []);
  });

  test('in later layers win, maps are merged and lists replaced', () => {
    const result = chosen(
      { gate: { replicas: 3, args: ['--dry-run'] } },
      layerOf('gate.args', ['--log-format=json']),
    );
    assert.ok(result.ok);
    const { gate } = result.into.values as { readonly gate: JsonObject };
    assert.deepEqual(
      [gate['replicas'], gate['args'], gate['enabled']],
      [3, ['--log-format=json'], true],
    );
  });

  test('named as the prototype of objects change nothing', () => {
    const layer = JSON.parse(
      '{"__proto__":{"enabled":false},"gate":{"__proto__":{"x":1}}}',
    ) as JsonObject;
    assert.equal(chosen(layer).ok, false);
    const merged = mergedValues(
      { a: { b: 1 } },
      JSON.parse('{"a":{"__proto__":{"c":2}}}') as JsonObject,
    );
    assert.equal((merged['a'] as { readonly c?: number }).c, undefined);
  });

  test('in a namespace that is not a DNS label are refused', () => {
    for (const namespace of ['', 'A', 'a.b', 'a"b', 'a\n', '-a', 'a'.repeat(64)])
      assert.equal(chosenValues({ version: '0.1.0', namespace, layers: [] }).ok, false, namespace);
  });
});

test('the check of values agrees with a validator of JSON Schema', () => {
  const leaf = fc.oneof(
    fc.constantFrom<Json>(
      0,
      1,
      16,
      17,
      1.5,
      true,
      null,
      '',
      'a',
      'a.b/c',
      '1Gi',
      'dns',
      'irsa',
      'NoSchedule',
      'x\ny',
    ),
    fc.string(),
  );
  const names = [
    'gate',
    'agent',
    'enabled',
    'replicas',
    'args',
    'probes',
    'resources',
    'limits',
    'memory',
    'nodeSelector',
    'tolerations',
    'effect',
    'key',
    'aws',
    'identity',
    'image',
    'name',
    'pullSecrets',
  ];
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (one) => {
      assert.equal(faultsOf(SCHEMA, one).length === 0, ajv(one), JSON.stringify(one));
    }),
  );
});
