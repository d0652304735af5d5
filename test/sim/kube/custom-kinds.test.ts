import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { done, refusal, type Scene, scene, seen } from './scene.ts';

const SPEC: JsonObject = {
  type: 'object',
  required: ['key'],
  properties: {
    key: { type: 'string', minLength: 2, pattern: '^[a-z]+$' },
    mode: { type: 'string', enum: ['A', 'B'], default: 'A' },
    count: { type: 'integer', minimum: 1 },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, size: { type: 'integer', default: 3 } },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rules.rollcall.test' },
  spec: {
    group: 'rollcall.test',
    scope: 'Cluster',
    names: { plural: 'rules', kind: 'Rule' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } },
      },
    ],
  },
};

function rule(spec: JsonObject, name = 'r'): JsonObject {
  return { apiVersion: 'rollcall.test/v1', kind: 'Rule', metadata: { name }, spec };
}

function defined(): Scene {
  const world = scene();
  done(world.admin.create(DEFINITION));
  return world;
}

test('a kind is served from its definition on, and listed among the kinds', () => {
  const world = scene();
  assert.throws(() => world.admin.create(rule({ key: 'abc' })), /serves no kind Rule/);
  done(world.admin.create(DEFINITION));
  const established = world.admin.get('CustomResourceDefinition', 'rules.rollcall.test') ?? {};
  assert.deepEqual(
    listAt(established, 'status.conditions').map((one) => textAt(one, 'type')),
    ['NamesAccepted', 'Established'],
  );
  assert.ok(world.server.kinds().some(({ kind, plural }) => kind === 'Rule' && plural === 'rules'));
});

test('fields without a schema are dropped, defaults are filled in', () => {
  const { admin } = defined();
  const spec = { key: 'abc', unknown: 1, parts: [{ name: 'a', other: 2 }], free: { any: 1 } };
  const made = done(admin.create(rule(spec)));
  assert.deepEqual(made['spec'], {
    key: 'abc',
    mode: 'A',
    parts: [{ name: 'a', size: 3 }],
    free: { any: 1 },
  });
});

test('what does not fit the schema is refused in the words of the server', () => {
  const { admin } = defined();
  const said = (spec: JsonObject): string => refusal(admin.create(rule(spec)));
  assert.match(said({}), /spec\.key: Required value$/);
  assert.match(said({ key: 5 }), /spec\.key in body must be of type string: "integer"$/);
  assert.match(said({ key: 'ABC' }), /spec\.key in body should match '\^\[a-z\]\+\$'$/);
  assert.match(
    said({ key: 'abc', mode: 'C' }),
    /Unsupported value: "C": supported values: "A", "B"$/,
  );
  assert.match(said({ key: 'abc', count: 0 }), /should be greater than or equal to 1$/);
  assert.match(
    said({ key: 'abc', parts: [{ name: 'a' }, { name: 'a' }] }),
    /Duplicate value: {"name":"a"}$/,
  );
});

test('generations count changes of the spec and not of the status', () => {
  const { admin } = defined();
  done(admin.create(rule({ key: 'abc' })));
  const status = done(admin.patch('Rule', 'r', 'merge', { status: { phase: 'x' } }, 'status'));
  assert.equal(at(status, 'metadata.generation'), 1);
  const spec = done(admin.patch('Rule', 'r', 'merge', { spec: { key: 'xyz' } }));
  assert.equal(at(spec, 'metadata.generation'), 2);
  assert.equal(refusal(admin.patch('Rule', 'r', 'strategic', {})).slice(0, 3), '415');
});

test('with a definition go its objects and its watches', () => {
  const world = defined();
  done(world.admin.create(rule({ key: 'abc' })));
  const watch = seen(world, { group: 'rollcall.test', plural: 'rules', namespace: null });
  done(world.admin.delete('CustomResourceDefinition', 'rules.rollcall.test'));
  world.pass(0);
  assert.deepEqual(watch.told(), ['ADDED r', 'DELETED r']);
  assert.ok(watch.isEnded());
  done(world.admin.create(DEFINITION));
  assert.equal(world.admin.list('Rule').length, 0);
});
