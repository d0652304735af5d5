import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from '../../../src/evidence/json.ts';
import { jsonPatch, PatchFailure } from '../../../src/sim/kube/patch/json.ts';
import { mergePatch } from '../../../src/sim/kube/patch/merge.ts';
import { strategicPatch } from '../../../src/sim/kube/patch/strategic.ts';
import { BUILT_IN_KINDS } from '../../../src/sim/kube/kinds.ts';
import { ask, configMap, done, refusal, scene } from './scene.ts';
import { type ObjectSchema, schemaOf } from '../../../src/sim/kube/schema/schema.ts';

function schema(kind: string): ObjectSchema {
  const found = BUILT_IN_KINDS.find((one) => one.kind === kind);
  assert.ok(found !== undefined);
  return schemaOf(found);
}

test('JSON patches follow RFC 6902 for lists, escapes and moves', () => {
  const target = { a: [1, 2], 'x/y': { '~': 1 } };
  const operations = [
    { op: 'add', path: '/a/1', value: 9 },
    { op: 'add', path: '/a/-', value: 3 },
    { op: 'remove', path: '/a/0' },
    { op: 'move', from: '/x~1y/~0', path: '/b' },
    { op: 'copy', from: '/a/0', path: '/c' },
    { op: 'test', path: '/b', value: 1 },
  ];
  assert.deepEqual(jsonPatch(target, operations), { a: [9, 2, 3], 'x/y': {}, b: 1, c: 9 });
  assert.deepEqual(target.a, [1, 2]);
  for (const [op, path] of [
    ['remove', '/none'],
    ['add', '/none/x'],
    ['add', '/a/7'],
    ['add', 'a'],
  ])
    assert.throws(
      () => jsonPatch(target, [{ op: op ?? '', path: path ?? '', value: 1 }]),
      PatchFailure,
    );
});

/** What gopkg.in/evanphx/json-patch.v4 4.13.0, the library of the API server, makes of each. */
const AS_UPSTREAM: readonly (readonly [Json, JsonObject, Json | undefined])[] = [
  [{ a: 1 }, { op: 'replace', path: '/b', value: 2 }, { a: 1, b: 2 }],
  [{ a: 1 }, { op: 'replace', path: '', value: { b: 2 } }, { b: 2 }],
  [{ a: 1 }, { op: 'replace', path: '', value: 2 }, undefined],
  [{ a: 1 }, { op: 'add', path: '', value: { b: 2 } }, undefined],
  [{ a: {} }, { op: 'add', path: 'b/a', value: 1 }, { a: 1 }],
  [{ a: [1, 2] }, { op: 'add', path: '/a/-1', value: 3 }, { a: [1, 2, 3] }],
  [{ a: [1, 2] }, { op: 'add', path: '/a/+1', value: 3 }, { a: [1, 3, 2] }],
  [{ a: [1, 2] }, { op: 'add', path: '/a/-4', value: 3 }, undefined],
  [{ a: [1, 2] }, { op: 'replace', path: '/a/-2', value: 3 }, { a: [3, 2] }],
  [{ a: [{ b: 1 }] }, { op: 'remove', path: '/a/-1/b' }, { a: [{}] }],
  [{ a: { b: 1 } }, { op: 'copy', from: '/a/c', path: '/a' }, { a: null }],
  [{ a: 1 }, { op: 'copy', from: '', path: '/b' }, undefined],
  [{ a: [null] }, { op: 'copy', from: '/a/0', path: '/a' }, { a: null }],
  [{ a: null }, { op: 'move', from: '/a', path: '/b' }, { b: null }],
  [{ a: null }, { op: 'test', path: '/a/b/c', value: null }, undefined],
  [{ a: [] }, { op: 'test', path: '/a/-', value: null }, undefined],
  [{ a: 1 }, { op: 'test', path: '/b', value: null }, { a: 1 }],
  [{ a: 1 }, { op: 'test', path: '', value: { a: 1 } }, { a: 1 }],
];

for (const [target, operation, result] of AS_UPSTREAM)
  test(`a JSON patch ${JSON.stringify(operation)} of ${JSON.stringify(target)} ends as in the API server`, () => {
    if (result === undefined) assert.throws(() => jsonPatch(target, [operation]), PatchFailure);
    else assert.deepEqual(jsonPatch(target, [operation]), result);
  });

test('a merge patch removes by null and never touches prototypes', () => {
  assert.deepEqual(mergePatch({ a: { b: 1, c: 2 } }, { a: { b: null, d: { e: null } } }), {
    a: { c: 2, d: {} },
  });
  const hostile = JSON.parse('{"__proto__":{"polluted":true}}') as JsonObject;
  const merged = mergePatch({}, hostile);
  assert.ok(isObject(merged) && Object.hasOwn(merged, '__proto__'));
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
});

test('a merge patch that changes nothing leaves the very same object', () => {
  const target = { a: { b: 1 }, c: { d: [1] } };
  assert.equal(mergePatch(target, { a: { b: 1, none: null }, none: null }), target);
  const merged = mergePatch(target, { a: { b: 2 } });
  assert.ok(isObject(merged));
  assert.equal(merged['c'], target.c);
  assert.deepEqual([merged['a'], target.a], [{ b: 2 }, { b: 1 }]);
});

test('checks a patch wherever it differs from the stored object, however deep', () => {
  const { admin } = scene();
  const toleration = { key: 'a', operator: 'Exists' };
  const container = { name: 'app', image: 'app:1', env: [{ name: 'A', value: '1' }] };
  const spec = { containers: [container], tolerations: [toleration] };
  const template = { metadata: { labels: { app: 'x' } }, spec };
  const set = { selector: { matchLabels: { app: 'x' } }, template };
  const metadata = { name: 'x', namespace: 'default' };
  done(admin.create({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: set }));
  const place = '/spec/template/spec';
  const asked = (path: string, value: Json): readonly Json[] => [{ op: 'add', path, value }];
  const patched = (path: string, value: Json): ReturnType<typeof admin.patch> =>
    admin.patch('DaemonSet', 'default/x', 'json', asked(`${place}${path}`, value));
  for (const [path, value] of [
    ['/containers/0/env/-', { name: 'B', value: 7 }],
    ['/tolerations/0/tolerationSeconds', 'soon'],
    ['/containers/0/env/0', 'A=1'],
  ] as const)
    assert.match(refusal(patched(path, value)), /cannot unmarshal/, path);
  const stored = done(patched('/containers/0/unknown', true));
  assert.deepEqual(listAt(stored, 'spec.template.spec.containers').map(keysOf), [
    ['env', 'image', 'imagePullPolicy', 'name', 'resources', ...TERMINATION],
  ]);
});

const TERMINATION = ['terminationMessagePath', 'terminationMessagePolicy'];

function keysOf(value: Json): readonly string[] {
  assert.ok(isObject(value));
  return Object.keys(value).toSorted();
}

test('the same merge patch twice is the patch once', () => {
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(value, value, (target, patch) => {
      const once = mergePatch(target, patch);
      assert.deepEqual(mergePatch(once, patch), once);
    }),
    { numRuns: 200 },
  );
});

test('a strategic patch merges conditions by type and replaces taints', () => {
  const node = {
    spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
    status: {
      conditions: [
        { type: 'Ready', status: 'False', reason: 'x' },
        { type: 'Disk', status: 'False' },
      ],
    },
  };
  const patch = {
    spec: { taints: [{ key: 'b', effect: 'NoExecute' }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
  assert.deepEqual(strategicPatch(node, patch, schema('Node')), {
    spec: { taints: [{ key: 'b', effect: 'NoExecute' }] },
    status: {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'x' },
        { type: 'Disk', status: 'False' },
      ],
    },
  });
});

test('a strategic patch deletes items, sets their order, and drops values of sets', () => {
  const pod = {
    metadata: { finalizers: ['a.io/x', 'b.io/x'] },
    spec: {
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '2' },
        { name: 'c', image: '3' },
      ],
    },
  };
  const patch = {
    metadata: { '$deleteFromPrimitiveList/finalizers': ['a.io/x'] },
    spec: {
      '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }],
      containers: [
        { $patch: 'delete', name: 'a' },
        { name: 'b', image: '9' },
      ],
    },
  };
  const after = strategicPatch(pod, patch, schema('Pod'));
  assert.deepEqual(listAt(after, 'metadata.finalizers'), ['b.io/x']);
  assert.deepEqual(
    listAt(after, 'spec.containers').map((one) => `${textAt(one, 'name')}${textAt(one, 'image')}`),
    ['c3', 'b9'],
  );
});

test('a strategic patch may replace a whole map and keep only some keys', () => {
  const deployment = {
    spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
  };
  const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
  assert.deepEqual(strategicPatch(deployment, patch, schema('Deployment')), {
    spec: { strategy: { type: 'Recreate' } },
  });
  const target = { data: { a: '1' } };
  const whole = { data: { $patch: 'replace', b: '2' } };
  assert.deepEqual(strategicPatch(target, whole, schema('ConfigMap')), { data: { b: '2' } });
});

test('a long strategic patch takes time in proportion to its length', () => {
  const items = (count: number): readonly Json[] =>
    Array.from({ length: count }, (_, index) => ({ type: `t${index}`, status: 'True' }));
  const patch = { status: { conditions: items(40_000) } };
  const after = strategicPatch({ status: { conditions: items(40_000) } }, patch, schema('Node'));
  assert.equal(listAt(after, 'status.conditions').length, 40_000);
});

test('a strategic patch with a text for a map is refused in the words of the server', () => {
  const world = scene();
  done(world.admin.create(configMap('a', { data: { k: 'v' } })));
  assert.equal(
    refusal(world.admin.patch('ConfigMap', 'default/a', 'strategic', { data: 'text' })),
    '422 Invalid:  "" is invalid: patch: Invalid value: "map[data:text]": cannot restore map from string',
  );
});

test('a strategic patch with bytes that are not base64 is refused in the words of the converter', () => {
  const world = scene();
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };
  done(world.admin.create(secret));
  const place = { verb: 'patch', plural: 'secrets', name: 'a', patchType: 'strategic' } as const;
  const { code, object } = ask(world, { ...place, body: { data: { l: '!' } } });
  assert.equal(code, 422);
  assert.equal(
    textAt(object, 'message'),
    ' "" is invalid: patch: Invalid value: "map[data:map[l:!]]": error decoding from json: illegal base64 data at input byte 0',
  );
});

test('a patch that leads to a value of another type is refused with what it leads to', () => {
  const world = scene();
  done(world.admin.create(configMap('a', { data: { k: 'v' } })));
  const said = (patchType: 'merge' | 'json' | 'strategic', body: Json): string => {
    const place = { verb: 'patch', plural: 'configmaps', name: 'a' } as const;
    const { code, object } = ask(world, { ...place, patchType, body });
    assert.equal(code, 422);
    return textAt(object, 'message') ?? '';
  };
  const why =
    /^ "" is invalid: patch: Invalid value: "\{.*\\"k\\":1.*\}": json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/;
  assert.match(said('merge', { data: { k: 1 } }), why);
  assert.match(said('json', [{ op: 'replace', path: '/data/k', value: 1 }]), why);
  assert.equal(
    said('strategic', { data: { k: 1 }, metadata: { labels: { b: 'x', a: 'y' } } }),
    ' "" is invalid: patch: Invalid value: "map[data:map[k:1] metadata:map[labels:map[a:y b:x]]]": cannot convert int64 to string',
  );
});
