import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../evidence/json.ts';
import { wireFields } from '../protobuf/wire.ts';
import { encodeOpenApiV2 } from './v2-protobuf.ts';

type Named = readonly [string, Uint8Array];

/** The bytes of each field of a message, by its number. */
function fields(bytes: Uint8Array): ReadonlyMap<number, readonly Uint8Array[]> {
  const all = new Map<number, Uint8Array[]>();
  for (const { number, bytes: own } of wireFields(bytes))
    all.set(number, [...(all.get(number) ?? []), own]);
  return all;
}

/** What is reached by one field after the other. */
function within(bytes: Uint8Array, ...path: readonly number[]): readonly Uint8Array[] {
  return path.reduce<readonly Uint8Array[]>(
    (reached, number) => reached.flatMap((one) => fields(one).get(number) ?? []),
    [bytes],
  );
}

function textsAt(bytes: Uint8Array, ...path: readonly number[]): readonly string[] {
  return within(bytes, ...path).map((one) => Buffer.from(one).toString());
}

/** Entries of gnostic: a name and a value each. */
function named(bytes: Uint8Array, ...path: readonly number[]): readonly Named[] {
  return within(bytes, ...path).map((entry) => {
    const [name = ''] = textsAt(entry, 1);
    const [value = new Uint8Array(0)] = within(entry, 2);
    return [name, value];
  });
}

function document(parts: { paths?: JsonObject; definitions?: JsonObject }): Uint8Array {
  const { paths = {}, definitions = {} } = parts;
  const about = { title: 'Kubernetes', version: 'v1.36.3' };
  return encodeOpenApiV2({ swagger: '2.0', info: about, paths, definitions });
}

/** One schema by its name, as it is written. */
function schemaOf(definition: JsonObject): Uint8Array {
  const [entry] = named(document({ definitions: { one: definition } }), 9, 1);
  assert.equal(entry?.[0], 'one');
  return entry[1];
}

test('a document says its version and what it is about', () => {
  const bytes = document({});
  assert.deepEqual([...fields(bytes).keys()], [1, 2, 8, 9]);
  assert.deepEqual(textsAt(bytes, 1), ['2.0']);
  assert.deepEqual([textsAt(bytes, 2, 1), textsAt(bytes, 2, 2)], [['Kubernetes'], ['v1.36.3']]);
});

test('a schema has its type, its description and what is required', () => {
  const bytes = schemaOf({
    type: 'object',
    format: 'int64',
    description: 'd'.repeat(300),
    required: ['a', 'b'],
  });
  assert.deepEqual(textsAt(bytes, 22, 1), ['object']);
  assert.deepEqual(textsAt(bytes, 2), ['int64']);
  assert.deepEqual(textsAt(bytes, 4), ['d'.repeat(300)]);
  assert.deepEqual(textsAt(bytes, 19), ['a', 'b']);
  assert.deepEqual([...fields(bytes).keys()], [2, 4, 19, 22]);
  assert.equal(fields(schemaOf({ type: 7, items: 'x', properties: [] })).size, 0);
});

test('a schema holds references, lists, maps and properties', () => {
  const ref = '#/definitions/other';
  const inner = { type: 'array', items: { $ref: ref } };
  const bytes = schemaOf({ properties: { list: inner, map: { additionalProperties: inner } } });
  const [list, map] = named(bytes, 25, 1);
  assert.deepEqual([list?.[0], map?.[0]], ['list', 'map']);
  assert.ok(list !== undefined && map !== undefined);
  assert.deepEqual(textsAt(list[1], 23, 1, 1), [ref]);
  assert.deepEqual(textsAt(map[1], 21, 1, 23, 1, 1), [ref]);
});

test('a schema of any further properties says so with a truth', () => {
  const [any] = within(schemaOf({ additionalProperties: true }), 21);
  assert.ok(any !== undefined);
  assert.deepEqual(
    [...wireFields(any)].map(({ number, value }) => [number, value]),
    [[2, 1n]],
  );
  assert.equal(fields(schemaOf({ additionalProperties: false })).size, 0);
});

test('extensions are carried as they are', () => {
  const marks = [{ group: 'apps', kind: 'DaemonSet', version: 'v1' }];
  const bytes = schemaOf({ 'x-kubernetes-group-version-kind': marks, 'y-x-other': 1 });
  const extensions = named(bytes, 31);
  assert.deepEqual(
    extensions.map(([name, value]) => [name, textsAt(value, 2)]),
    [['x-kubernetes-group-version-kind', [JSON.stringify(marks)]]],
  );
});

test('a path has an operation for each method, with its parameters and answer', () => {
  const parameters = [
    { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true },
    { name: 'force', in: 'query', type: 'boolean' },
  ];
  const own = { parameters: [], 'x-kubernetes-action': 'a' };
  const patch = { ...own, parameters, consumes: ['application/json'] };
  const bytes = document({
    paths: { '/api/v1/nodes': { get: own, put: own, post: own, delete: own, patch } },
  });
  const [path] = named(bytes, 8, 2);
  assert.equal(path?.[0], '/api/v1/nodes');
  assert.deepEqual(
    [...fields(path[1]).keys()].toSorted((one, other) => one - other),
    [2, 3, 4, 5, 8],
  );
  const [operation] = within(path[1], 8);
  assert.ok(operation !== undefined);
  assert.deepEqual(textsAt(operation, 7), ['application/json']);
  assert.deepEqual(
    named(operation, 13).map(([name]) => name),
    ['x-kubernetes-action'],
  );
  assert.deepEqual(textsAt(operation, 9, 1, 1), ['200']);
  assert.deepEqual(textsAt(operation, 9, 1, 2, 1, 1), ['OK']);
  const written = within(operation, 8, 1, 2, 3).map((parameter) => [
    ...textsAt(parameter, 4),
    ...textsAt(parameter, 2),
    ...textsAt(parameter, 6),
    fields(parameter).has(20),
  ]);
  assert.deepEqual(written, [
    ['dryRun', 'query', 'string', true],
    ['force', 'query', 'boolean', false],
  ]);
});
