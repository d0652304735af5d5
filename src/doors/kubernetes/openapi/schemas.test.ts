import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, isObject, type JsonObject } from '../../../evidence/json.ts';
import { BUILT_IN_KINDS, type KubeKind } from '../../../sim/kube/kinds.ts';
import type { ListSchema, ObjectSchema, Schema } from '../../../sim/kube/schema/schema.ts';
import { addThings, openSite } from '../testing.ts';
import { definitionName, SchemaWriter } from './schemas.ts';

const TEXT: Schema = { is: 'scalar', code: 's' };
const REFS = '#/definitions/';

function kindOf(name: string): KubeKind {
  const found = BUILT_IN_KINDS.find(({ kind }) => kind === name);
  assert.ok(found);
  return found;
}

function object(name: string, fields: Readonly<Record<string, Schema>>, more = {}): ObjectSchema {
  return {
    is: 'object',
    name,
    fields: new Map(Object.entries(fields)),
    isAtomic: false,
    retainsKeys: false,
    keepsUnknown: false,
    ...more,
  };
}

function list(element: Schema, more: Partial<ListSchema> = {}): ListSchema {
  return { is: 'list', element, type: 'atomic', keys: [], merges: false, mergeKey: null, ...more };
}

/** A property of an object as it is written. */
function property(schema: Schema, name = 'Owner', field = 'one'): JsonObject {
  const writer = new SchemaWriter(REFS);
  writer.write(object(name, { [field]: schema }));
  const written = at(writer.definitions.get(definitionName(name)), `properties.${field}`);
  assert.ok(isObject(written));
  return written;
}

test('types have a name each; those that share one have their group before it', () => {
  assert.equal(definitionName('NodeSpec'), 'io.k8s.api.v1.NodeSpec');
  assert.equal(definitionName('eventsEvent'), 'io.k8s.api.v1.events.Event');
  assert.equal(definitionName('lower'), 'io.k8s.api.v1.lower');
});

describe('a value', () => {
  test('of a scalar has its type and format', () => {
    assert.deepEqual(property(TEXT), { type: 'string' });
    assert.deepEqual(property({ is: 'scalar', code: 'i' }), { type: 'integer', format: 'int64' });
    assert.deepEqual(property({ is: 'scalar', code: 'n' }), { type: 'number', format: 'double' });
    assert.deepEqual(property({ is: 'scalar', code: 'b' }), { type: 'boolean' });
    assert.deepEqual(property({ is: 'scalar', code: 'y' }), { type: 'string', format: 'byte' });
    assert.deepEqual(property({ is: 'scalar', code: '?' }), { type: 'string' });
    assert.deepEqual(property({ is: 'anything' }), { type: 'object' });
  });

  test('of a small type of Kubernetes refers to it', () => {
    const time = { type: 'string', format: 'date-time' };
    for (const [code, name, definition] of [
      ['q', 'Quantity', { oneOf: [{ type: 'string' }, { type: 'number' }] }],
      ['t', 'Time', time],
      ['u', 'MicroTime', time],
      [
        'x',
        'IntOrString',
        { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
      ],
    ] as const) {
      const writer = new SchemaWriter('#/components/schemas/');
      const written = writer.write({ is: 'scalar', code });
      assert.deepEqual(written, { $ref: `#/components/schemas/io.k8s.api.v1.${name}` });
      assert.deepEqual([...writer.definitions], [[`io.k8s.api.v1.${name}`, definition]]);
    }
  });

  test('of a map has the type of its entries', () => {
    const map: Schema = { is: 'map', element: TEXT, isAtomic: false };
    assert.deepEqual(property(map), { type: 'object', additionalProperties: { type: 'string' } });
  });
});

describe('a value with more than a type', () => {
  test('of a list says how lists are merged', () => {
    const own = { type: 'array', items: { type: 'string' } };
    assert.deepEqual(property(list(TEXT)), { ...own, 'x-kubernetes-list-type': 'atomic' });
    const merged = list(TEXT, { type: 'map', keys: ['a', 'b'], merges: true, mergeKey: 'a' });
    assert.deepEqual(property(merged), {
      ...own,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'a',
    });
    const strategy = (element: Schema): unknown =>
      property(list(element, { merges: true }))['x-kubernetes-patch-strategy'];
    assert.equal(strategy(object('Kept', {}, { retainsKeys: true })), 'merge,retainKeys');
    assert.equal(strategy(object('Kept', {})), 'merge');
  });

  test('of an object refers to it, with its marks beside', () => {
    const $ref = `${REFS}io.k8s.api.v1.Inner`;
    assert.deepEqual(property(object('Inner', {})), { $ref });
    assert.deepEqual(property(object('Inner', {}, { retainsKeys: true })), {
      allOf: [{ $ref }],
      'x-kubernetes-patch-strategy': 'retainKeys',
    });
    assert.deepEqual(property(object('Inner', {}, { isAtomic: true })), {
      allOf: [{ $ref }],
      'x-kubernetes-map-type': 'atomic',
    });
  });

  test('has its description, beside a reference as well', () => {
    const described = property(object('NodeSpec', {}), 'Node', 'spec');
    assert.deepEqual(described, {
      allOf: [{ $ref: `${REFS}io.k8s.api.v1.NodeSpec` }],
      description: 'What the machine is and what may be put on it.',
    });
    assert.deepEqual(property(TEXT, 'Taint', 'key'), {
      type: 'string',
      description: "Name of the taint, as a label's.",
    });
  });
});

test('an object is defined once, and may contain itself', () => {
  const fields = new Map<string, Schema>();
  const own: ObjectSchema = { ...object('Node', {}), fields };
  fields.set('inner', own);
  const writer = new SchemaWriter(REFS);
  writer.write(own);
  assert.deepEqual(
    [...writer.definitions],
    [
      [
        'io.k8s.api.v1.Node',
        {
          type: 'object',
          description: 'A machine of the cluster, as the API server knows it.',
          properties: { inner: { $ref: `${REFS}io.k8s.api.v1.Node` } },
        },
      ],
    ],
  );
  const again = writer.definitions.get('io.k8s.api.v1.Node');
  writer.write(own);
  assert.equal(writer.definitions.get('io.k8s.api.v1.Node'), again);
  writer.write(object('Undescribed', {}));
  assert.deepEqual(writer.definitions.get('io.k8s.api.v1.Undescribed'), {
    type: 'object',
    properties: {},
  });
});

test('a kind is marked with its group, version and name', () => {
  const writer = new SchemaWriter(REFS);
  writer.addKind(kindOf('DaemonSet'), null);
  const daemonSet = writer.definitions.get('io.k8s.api.v1.DaemonSet');
  assert.deepEqual(daemonSet?.['x-kubernetes-group-version-kind'], [
    { group: 'apps', kind: 'DaemonSet', version: 'v1' },
  ]);
  assert.ok(isObject(at(daemonSet, 'properties.spec')));
});

test('a custom kind has its schema and what every object has', () => {
  const things = openSite();
  addThings(things);
  const kind = things.site.api.kinds().find(({ plural }) => plural === 'things');
  assert.ok(kind);
  const marks = [{ group: 'example.test', kind: 'Thing', version: 'v1' }];
  const common = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { $ref: `${REFS}io.k8s.api.v1.ObjectMeta` },
  };
  const written = (schema: JsonObject | null): JsonObject | undefined => {
    const writer = new SchemaWriter(REFS);
    writer.addKind(kind, schema);
    assert.ok(writer.definitions.has('io.k8s.api.v1.ObjectMeta'));
    return writer.definitions.get('test.example.v1.Thing');
  };
  const spec = { type: 'object', description: 'How big.' };
  assert.deepEqual(written({ type: 'object', required: ['spec'], properties: { spec } }), {
    type: 'object',
    required: ['spec'],
    properties: { spec, ...common },
    'x-kubernetes-group-version-kind': marks,
  });
  for (const none of [null, { type: 'object', properties: 'none' }])
    assert.deepEqual(written(none), {
      type: 'object',
      properties: common,
      'x-kubernetes-group-version-kind': marks,
    });
});
