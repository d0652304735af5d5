import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Json, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { ApiAnswer } from '../../../src/sim/kube/contract.ts';
import { ask, configMap, done, node, type Raw, type Scene, scene } from './scene.ts';

function apply(
  world: Scene,
  fieldManager: string,
  body: JsonObject,
  more: Partial<Raw> = {},
): ApiAnswer {
  return ask(world, {
    verb: 'patch',
    patchType: 'apply',
    plural: 'configmaps',
    name: 'a',
    body,
    ...more,
    query: { fieldManager, ...more.query },
  });
}

function contentOf({ object }: ApiAnswer): Json {
  return object['data'] ?? null;
}

function owners({ object }: ApiAnswer): readonly string[] {
  return listAt(object, 'metadata.managedFields').map(
    (one) =>
      `${textAt(one, 'manager')} ${textAt(one, 'operation')} ${JSON.stringify((one as JsonObject)['fieldsV1'])}`,
  );
}

test('what one manager applies another may apply alike, and not otherwise', () => {
  const world = scene();
  assert.equal(apply(world, 'one', configMap('a', { data: { x: '1', y: '2' } })).code, 201);
  assert.equal(apply(world, 'two', configMap('a', { data: { x: '1' } })).code, 200);
  const refused = apply(world, 'two', configMap('a', { data: { x: '3', y: '4' } }));
  assert.equal(refused.code, 409);
  assert.equal(
    textAt(refused.object, 'message'),
    'Apply failed with 2 conflicts: conflicts with "one":\n- .data.x\n- .data.y',
  );
});

test('force takes fields over, and what nobody applies any more goes', () => {
  const world = scene();
  apply(world, 'one', configMap('a', { data: { x: '1', y: '2' } }));
  const query = { force: 'true' };
  const forced = apply(world, 'two', configMap('a', { data: { x: '3' } }), { query });
  assert.deepEqual(owners(forced), [
    'one Apply {"f:data":{"f:y":{}}}',
    'two Apply {"f:data":{"f:x":{}}}',
  ]);
  assert.deepEqual(contentOf(apply(world, 'one', configMap('a'))), { x: '3' });
});

test('a change by other means takes the field away from who applied it', () => {
  const world = scene();
  apply(world, 'one', configMap('a', { data: { x: '1' } }));
  const edited = ask(world, {
    verb: 'patch',
    patchType: 'merge',
    plural: 'configmaps',
    name: 'a',
    body: { data: { x: '9' } },
    query: { fieldManager: 'editor' },
  });
  assert.deepEqual(owners(edited), ['editor Update {"f:data":{"f:x":{}}}']);
  const refused = apply(world, 'one', configMap('a', { data: { x: '1' } }));
  assert.equal(
    textAt(refused.object, 'message'),
    'Apply failed with 1 conflict: conflict with "editor" using v1: .data.x',
  );
});

test('the same configuration again changes nothing, not even the version', () => {
  const world = scene();
  const first = apply(world, 'one', configMap('a', { data: { x: '1' } }));
  world.pass(5_000);
  const second = apply(world, 'one', configMap('a', { data: { x: '1' } }));
  assert.deepEqual(second.object, first.object);
});

test('taints are one field: who applies them owns them all', () => {
  const world = scene();
  done(world.admin.create(node('n')));
  const body = node('n', { spec: { taints: [{ key: 'gate', effect: 'NoSchedule' }] } });
  const raw = { plural: 'nodes', namespace: null, name: 'n' } as const;
  const refused = apply(world, 'gate', body, raw);
  assert.match(
    textAt(refused.object, 'message') ?? '',
    /conflict with "before-first-apply" using v1: \.spec\.taints$/,
  );
  const forced = apply(world, 'gate', body, { ...raw, query: { force: 'true' } });
  assert.deepEqual(
    listAt(forced.object, 'spec.taints').map((one) => textAt(one, 'key')),
    ['gate'],
  );
});

test('an apply without a manager is refused', () => {
  const world = scene();
  const raw = { verb: 'patch', patchType: 'apply', plural: 'configmaps', name: 'a' } as const;
  const { code, object } = ask(world, { ...raw, body: configMap('a') });
  assert.equal(code, 422);
  assert.match(textAt(object, 'message') ?? '', /fieldManager: Required value/);
});

test('kubectl takes over what it applied by itself, as its note on the object says', () => {
  const world = scene();
  const last = JSON.stringify({ data: { x: '1' } });
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': last };
  const object = configMap('a', { metadata: { name: 'a', annotations }, data: { x: '1', y: '2' } });
  const query = { fieldManager: 'kubectl-client-side-apply' };
  assert.equal(ask(world, { verb: 'create', plural: 'configmaps', body: object, query }).code, 201);
  assert.equal(apply(world, 'kubectl', configMap('a', { data: { x: '9' } })).code, 200);
  assert.equal(apply(world, 'other', configMap('a', { data: { x: '7' } })).code, 409);
  assert.equal(apply(world, 'kubectl', configMap('a', { data: { x: '9' } })).code, 200);
  assert.equal(apply(world, 'kubectl', configMap('a', { data: { y: '9' } })).code, 409);
});
