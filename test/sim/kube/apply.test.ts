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

test('force takes fields over, and fields without an applier disappear', () => {
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

test('rejects applied values of a wrong type and unknown fields', () => {
  const world = scene();
  const said = (body: JsonObject): string => {
    const { code, object } = apply(world, 'one', body);
    assert.equal(code, 500);
    assert.equal(object['reason'], undefined);
    return (textAt(object, 'message') ?? '').replace('failed to create typed patch object ', '');
  };
  assert.equal(
    said(configMap('a', { data: { k: 1 } })),
    '(/a; /v1, Kind=ConfigMap): .data.k: expected string, got &value.valueUnstructured{Value:1}',
  );
  assert.equal(
    said(configMap('a', { data: 'text', other: [1, 'x'] })),
    '(/a; /v1, Kind=ConfigMap): errors:\n  .data: expected map, got &{text}\n' +
      '  .other: field not declared in schema',
  );
  const plural = 'deployments';
  const containers = [{ name: 'c', image: ['i'] }];
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'default' },
    spec: { replicas: 'two', paused: 'no', template: { spec: { containers } } },
  };
  const refused = apply(world, 'one', deployment, { plural, group: 'apps' });
  assert.deepEqual((textAt(refused.object, 'message') ?? '').split('\n  '), [
    'failed to create typed patch object (default/a; apps/v1, Kind=Deployment): errors:',
    '.spec.replicas: expected numeric (int or float), got string',
    '.spec.paused: expected boolean, got &{no}',
    '.spec.template.spec.containers[name="c"].image: expected string, got ' +
      '&value.valueUnstructured{Value:[]interface {}{"i"}}',
  ]);
});

test('fields written by other means have no owner on an object that was applied empty', () => {
  const world = scene();
  assert.deepEqual(owners(apply(world, 'one', configMap('a'))), []);
  const patched = ask(world, {
    verb: 'patch',
    patchType: 'merge',
    plural: 'configmaps',
    name: 'a',
    body: { data: { k: 'v' } },
    query: { fieldManager: 'kubectl-patch' },
  });
  assert.deepEqual(owners(patched), []);
  const refused = apply(world, 'one', configMap('a', { data: { k: 'w' } }));
  assert.equal(
    textAt(refused.object, 'message'),
    'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k',
  );
});

test('what programs made without a name is noted from the first write with one on', () => {
  const world = scene();
  done(world.admin.create(node('n1')));
  const query = { fieldManager: 'kubectl-taint' };
  const body = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } };
  const place = { plural: 'nodes', name: 'n1', namespace: null };
  const patched = ask(world, { verb: 'patch', patchType: 'merge', body, query, ...place });
  assert.match(owners(patched).join('\n'), /^kubectl-taint Update .*"f:taints"/);
});

test('replicas that were scaled belong to the scale of their owner', () => {
  const world = scene();
  const place = { plural: 'deployments', group: 'apps', name: 'a' };
  const labels = { app: 'x' };
  const containers = [{ name: 'c', image: 'i:1' }];
  const deployment = (replicas: number | null): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: {
      ...(replicas === null ? {} : { replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  assert.equal(apply(world, 'one', deployment(1), place).code, 201);
  const query = { fieldManager: 'kubectl' };
  const body = { spec: { replicas: 3 } };
  const scaled = { verb: 'patch', patchType: 'merge', body, query, subresource: 'scale' } as const;
  assert.equal(ask(world, { ...scaled, ...place }).code, 200);
  assert.equal(
    textAt(apply(world, 'one', deployment(2), place).object, 'message'),
    'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
  );
  const none = { ...scaled, body: { spec: { replicas: 0 } } };
  assert.equal(ask(world, { ...none, ...place }).code, 200);
  assert.equal(apply(world, 'two', deployment(2), place).code, 200);
  const ownerless = scene();
  assert.equal(apply(ownerless, 'one', deployment(null), place).code, 201);
  assert.equal(ask(ownerless, { ...scaled, ...place }).code, 200);
  assert.equal(apply(ownerless, 'two', deployment(2), place).code, 200);
});

test('reports conflicts with several owners by owner', () => {
  const world = scene();
  apply(world, 'two', configMap('a', { data: { x: '1' } }));
  apply(world, 'one', configMap('a', { data: { y: '1', z: '1' } }));
  const refused = apply(world, 'three', configMap('a', { data: { x: '2', y: '2', z: '2' } }));
  assert.equal(
    textAt(refused.object, 'message'),
    'Apply failed with 3 conflicts: conflicts with "one":\n- .data.y\n- .data.z\n' +
      'conflicts with "two":\n- .data.x',
  );
});
