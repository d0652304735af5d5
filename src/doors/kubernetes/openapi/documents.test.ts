import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from '../../../evidence/json.ts';
import type { KubeKind } from '../../../sim/kube/kinds.ts';
import { addThings, openSite } from '../testing.ts';
import { describe as described } from './descriptions.ts';
import { operations } from './operations.ts';
import { pathsOf } from './paths.ts';
import { openApiV2 } from './v2.ts';
import { openApiDocument, openApiIndex, rootOf } from './v3.ts';

const things = openSite();
const SCHEMA = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: { type: 'object', additionalProperties: { oneOf: [{ type: 'string' }] } },
    list: { type: 'array', items: { type: 'string', nullable: true, default: 'x' } },
    kept: { oneOf: [], type: 'integer' },
    any: { anyOf: [{ type: 'string' }], not: {} },
  },
};
addThings(things, { schema: { openAPIV3Schema: SCHEMA } });
const { site } = things;

function kindOf(name: string): KubeKind {
  const found = site.api.kinds().find(({ kind }) => kind === name);
  assert.ok(found);
  return found;
}

function objectAt(value: Json | undefined, ...keys: readonly string[]): JsonObject {
  let here = value;
  for (const key of keys) here = isObject(here) ? here[key] : undefined;
  assert.ok(isObject(here), keys.join(' '));
  return here;
}

const NODE = kindOf('Node');
const DEPLOYMENT = kindOf('Deployment');
const THING = kindOf('Thing');
const NAMES = ['dryRun', 'fieldManager', 'fieldValidation'];
const STRATEGIC = 'application/strategic-merge-patch+json';

describe('operations', () => {
  const mark = { group: 'apps', kind: 'Deployment', version: 'v1' };
  const common = {
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-group-version-kind': mark,
  };

  test('that only read have no parameters', () => {
    assert.deepEqual(operations(DEPLOYMENT, ['get', 'delete']), {
      get: { ...common, parameters: [], 'x-kubernetes-action': 'get' },
      delete: { ...common, parameters: [], 'x-kubernetes-action': 'delete' },
    });
  });

  test('that write say what they can do', () => {
    const parameters = NAMES.map((name) => ({
      name,
      in: 'query',
      schema: { type: 'string', uniqueItems: true },
    }));
    assert.deepEqual(operations(DEPLOYMENT, ['post', 'put']), {
      post: { ...common, parameters, 'x-kubernetes-action': 'post' },
      put: { ...common, parameters, 'x-kubernetes-action': 'put' },
    });
    const force = {
      name: 'force',
      in: 'query',
      schema: { type: 'boolean', uniqueItems: true },
    };
    const patch = objectAt(operations(DEPLOYMENT, ['patch']), 'patch');
    assert.deepEqual(patch['parameters'], [...parameters, force]);
    assert.equal(patch['x-kubernetes-action'], 'patch');
  });

  test('that patch take a strategic merge of built-in kinds alone', () => {
    const types = (kind: KubeKind): JsonObject =>
      objectAt(operations(kind, ['patch']), 'patch', 'requestBody', 'content');
    const every = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json'].map(
      (type) => `application/${type}`,
    );
    assert.deepEqual(Object.keys(types(THING)), every);
    assert.deepEqual(Object.keys(types(DEPLOYMENT)), [...every, STRATEGIC]);
    assert.deepEqual(types(THING)[every[0] ?? ''], { schema: { type: 'object' } });
  });
});

test('paths of a kind lead to its list and to one object', () => {
  const told = (kind: KubeKind): readonly (readonly [string, readonly string[]])[] =>
    pathsOf(kind).map(([path, item]) => [path, Object.keys(item)]);
  const onList = ['get', 'post', 'delete'];
  const onOne = ['get', 'put', 'patch', 'delete'];
  assert.deepEqual(told(NODE), [
    ['/api/v1/nodes', onList],
    ['/api/v1/nodes/{name}', onOne],
  ]);
  const list = '/apis/apps/v1/namespaces/{namespace}/deployments';
  assert.deepEqual(told(DEPLOYMENT), [
    [list, onList],
    [`${list}/{name}`, onOne],
  ]);
});

test('descriptions are known by type and field', () => {
  assert.equal(described('Taint'), 'Keeps pods away from a node unless they tolerate it.');
  assert.equal(described('Taint', 'key'), "Name of the taint, as a label's.");
  assert.equal(described('Taint', 'none'), null);
  assert.equal(described('ConfigMap', 'immutable'), 'True when it cannot be changed any more.');
  assert.equal(described('Node'), 'A machine of the cluster, as the API server knows it.');
});

describe('documents of version 3', () => {
  test('are listed by group and version, with a mark that changes with their kinds', () => {
    assert.deepEqual([rootOf(NODE), rootOf(DEPLOYMENT)], ['api/v1', 'apis/apps/v1']);
    const index = objectAt(openApiIndex([NODE, DEPLOYMENT, THING]), 'paths');
    assert.deepEqual(Object.keys(index), ['api/v1', 'apis/apps/v1', 'apis/example.test/v1']);
    const url = (kinds: readonly KubeKind[]): string =>
      textAt(objectAt(openApiIndex(kinds), 'paths', 'api/v1'), 'serverRelativeURL') ?? '';
    assert.match(url([NODE]), /^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{32}$/);
    assert.equal(url([NODE]), url([NODE, DEPLOYMENT]));
    assert.notEqual(url([NODE]), url([NODE, kindOf('Pod')]));
  });

  test('have the paths and types of their kinds alone', () => {
    const document = openApiDocument(site, site.api.kinds(), 'apis/example.test/v1');
    assert.deepEqual(document['openapi'], '3.0.0');
    assert.deepEqual(document['info'], { title: 'Kubernetes', version: 'v1.36.3' });
    const path = '/apis/example.test/v1/things';
    assert.deepEqual(Object.keys(objectAt(document, 'paths')), [path, `${path}/{name}`]);
    const schemas = objectAt(document, 'components', 'schemas');
    const thing = objectAt(schemas, 'test.example.v1.Thing');
    assert.deepEqual(thing['required'], ['spec']);
    assert.deepEqual(at(thing, 'properties.metadata'), {
      $ref: '#/components/schemas/io.k8s.api.v1.ObjectMeta',
    });
    assert.ok(!('io.k8s.api.v1.Node' in schemas));
  });
});

describe('the document of version 2', () => {
  const document = openApiV2(site, [DEPLOYMENT, THING]);

  test('says what it is, and has all kinds', () => {
    assert.equal(document['swagger'], '2.0');
    assert.deepEqual(document['info'], { title: 'Kubernetes', version: 'v1.36.3' });
    assert.equal(Object.keys(objectAt(document, 'paths')).length, 4);
    const definitions = objectAt(document, 'definitions');
    for (const name of ['io.k8s.api.v1.Deployment', 'test.example.v1.Thing'])
      assert.ok(name in definitions, name);
  });

  test('has parameters and media types in the older form', () => {
    const path = '/apis/apps/v1/namespaces/{namespace}/deployments';
    const post = objectAt(document, 'paths', path, 'post');
    assert.deepEqual(
      post['parameters'],
      NAMES.map((name) => ({ name, in: 'query', type: 'string', uniqueItems: true })),
    );
    assert.equal('consumes' in post, false);
    const patch = objectAt(document, 'paths', `${path}/{name}`, 'patch');
    assert.equal(listAt(patch, 'consumes').length, 4);
    assert.ok(listAt(patch, 'consumes').includes(STRATEGIC));
    assert.equal('requestBody' in patch, false);
    assert.equal(patch['x-kubernetes-action'], 'patch');
  });

  test('leaves out the words of version 3, at every depth', () => {
    const thing = objectAt(document, 'definitions', 'test.example.v1.Thing');
    const {
      metadata,
      apiVersion: _apiVersion,
      kind: _kind,
      ...own
    } = objectAt(thing, 'properties');
    assert.deepEqual(metadata, { $ref: '#/definitions/io.k8s.api.v1.ObjectMeta' });
    assert.deepEqual(own, {
      spec: { type: 'object', additionalProperties: { type: 'string' } },
      list: { type: 'array', items: { type: 'string' } },
      kept: { type: 'integer' },
      any: {},
    });
    assert.deepEqual(thing['required'], ['spec']);
    assert.doesNotMatch(JSON.stringify(document), /"(?:allOf|oneOf|anyOf|not|nullable|default)":/);
  });

  test('refers to a type that version 3 wraps', () => {
    const spec = at(
      objectAt(document, 'definitions', 'io.k8s.api.v1.Deployment'),
      'properties.spec',
    );
    assert.deepEqual(spec, { $ref: '#/definitions/io.k8s.api.v1.DeploymentSpec' });
    const daemonSet = openApiV2(site, [kindOf('DaemonSet')]);
    const template = objectAt(
      daemonSet,
      'definitions',
      'io.k8s.api.v1.DaemonSetSpec',
      'properties',
      'template',
    );
    assert.deepEqual(template, {
      description: 'What each pod is made from.',
      $ref: '#/definitions/io.k8s.api.v1.PodTemplateSpec',
    });
  });
});
