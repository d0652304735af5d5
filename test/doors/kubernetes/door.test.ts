import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, listAt, textAt } from '../../../src/evidence/json.ts';
import type { ApiUser } from '../../../src/sim/kube/contract.ts';
import { ask } from './ask.ts';
import { ADMIN, type Cluster, node, openCluster, TOKEN } from './fixture.ts';

const NOBODY: ApiUser = { name: 'nobody', groups: ['system:authenticated'] };
const NOBODYS_TOKEN = 'another-token';

let cluster: Cluster;

before(async () => {
  const tokens = new Map([
    [TOKEN, ADMIN],
    [NOBODYS_TOKEN, NOBODY],
  ]);
  cluster = await openCluster({
    tokens,
    kubelet: () => ({ code: 200, type: 'text/plain', text: 'ok' }),
  });
  assert.ok(cluster.admin.create(node('node-a', '10.0.0.1')).ok);
});

after(() => cluster.close());

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } };
const CONFIGS = '/api/v1/namespaces/default/configmaps';

test('health and version need no credential, everything else does', async () => {
  for (const path of ['/healthz', '/livez', '/readyz']) {
    const answer = await ask(cluster.door, path, { token: null });
    assert.deepEqual([answer.code, answer.text], [200, 'ok'], path);
  }
  const version = await ask(cluster.door, '/version', { token: null });
  assert.equal(version.json['gitVersion'], 'v1.36.3');
  for (const path of ['/api', '/apis', '/api/v1/nodes', '/openapi/v3', '/', '/nowhere']) {
    const answer = await ask(cluster.door, path, { token: null });
    assert.equal(answer.code, 401, path);
    assert.equal(answer.json['reason'], 'Unauthorized', path);
    assert.equal(answer.json['kind'], 'Status', path);
  }
});

test('a wrong token and an overlong one are refused', async () => {
  for (const token of ['wrong', `${TOKEN}x`, 'x'.repeat(20_000)])
    assert.equal((await ask(cluster.door, '/api/v1/nodes', { token })).code, 401);
});

test('a certificate of the door gives its user; one of another authority does not', async () => {
  const subject = { commonName: 'somebody', organizations: ['system:masters', 'more'] };
  const certificate = await cluster.door.clientCertificate(subject);
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const asked = { method: 'POST', body: review, token: null, certificate };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { code, json } = await ask(cluster.door, path, asked);
  assert.equal(code, 201);
  assert.equal(textAt(json, 'status.userInfo.username'), 'somebody');
  assert.deepEqual(listAt(json, 'status.userInfo.groups').slice(0, 2), ['system:masters', 'more']);
  const other = await openCluster();
  try {
    const foreign = await other.door.clientCertificate(subject);
    const answer = await ask(cluster.door, path, { ...asked, certificate: foreign });
    assert.equal(answer.code, 401);
  } finally {
    await other.close();
  }
});

test('one without rights is refused with 403 and its name', async () => {
  const asked = { token: NOBODYS_TOKEN };
  const nodes = await ask(cluster.door, '/api/v1/nodes', asked);
  assert.equal(nodes.code, 403);
  assert.match(textAt(nodes.json, 'message') ?? '', /User "nobody" cannot list resource "nodes"/);
  const metrics = await ask(cluster.door, '/metrics', asked);
  assert.equal(metrics.code, 403);
  assert.match(textAt(metrics.json, 'message') ?? '', /User "nobody" cannot get path "\/metrics"/);
  assert.equal((await ask(cluster.door, '/api', asked)).code, 200);
});

test('requires permission to impersonate', async () => {
  const headers = { 'impersonate-user': 'nobody' };
  const asAdmin = await ask(cluster.door, '/api/v1/nodes', { headers });
  assert.match(textAt(asAdmin.json, 'message') ?? '', /User "nobody" cannot list/);
  const asNobody = await ask(cluster.door, '/api/v1/nodes', {
    token: NOBODYS_TOKEN,
    headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
  });
  assert.equal(asNobody.code, 403);
  assert.match(textAt(asNobody.json, 'message') ?? '', /cannot impersonate resource "users"/);
});

test('a token review says who holds a token', async () => {
  const review = async (token: string): Promise<unknown> => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    return (await ask(cluster.door, path, { method: 'POST', body })).json['status'];
  };
  assert.equal(textAt((await review(NOBODYS_TOKEN)) as never, 'user.username'), 'nobody');
  assert.deepEqual(await review('none'), { authenticated: false });
});

test('refusals are the Status that clients expect', async () => {
  const cases: readonly (readonly [
    string,
    string,
    Record<string, string>,
    unknown,
    number,
    string,
  ])[] = [
    ['GET', '/api/v1/nodes/none', {}, undefined, 404, 'NotFound'],
    ['GET', '/api/v1/nothing', {}, undefined, 404, 'NotFound'],
    ['GET', '/apis/none.example/v1', {}, undefined, 404, 'NotFound'],
    ['GET', '/api/v1/nodes/a/b/c/d', {}, undefined, 404, 'NotFound'],
    ['GET', '/api/v1/nodes/%zz', {}, undefined, 400, 'BadRequest'],
    ['POST', '/api/v1/nodes/a', {}, {}, 405, 'MethodNotAllowed'],
    ['PUT', '/api/v1/nodes', {}, {}, 405, 'MethodNotAllowed'],
    ['PATCH', '/api/v1/nodes', {}, {}, 405, 'MethodNotAllowed'],
    ['OPTIONS', '/api/v1/nodes', {}, undefined, 405, 'MethodNotAllowed'],
    ['DELETE', '/version/x', {}, undefined, 405, 'MethodNotAllowed'],
    ['GET', '/api/v1/nodes', { accept: 'text/html' }, undefined, 406, 'NotAcceptable'],
    ['GET', '/api/v1/nodes', { accept: 'application/cbor' }, undefined, 406, 'NotAcceptable'],
    ['POST', CONFIGS, { 'content-type': 'application/cbor' }, 'x', 415, 'UnsupportedMediaType'],
    ['PATCH', `${CONFIGS}/a`, { 'content-type': 'text/plain' }, 'x', 415, 'UnsupportedMediaType'],
    ['POST', CONFIGS, { 'content-type': 'application/json' }, '{"a":', 400, 'BadRequest'],
    ['POST', CONFIGS, { 'content-type': 'application/yaml' }, 'a: [', 400, 'BadRequest'],
    [
      'POST',
      CONFIGS,
      { 'content-type': 'application/vnd.kubernetes.protobuf' },
      'garbage',
      400,
      'BadRequest',
    ],
    ['POST', CONFIGS, {}, '['.repeat(101), 400, 'BadRequest'],
    ['POST', CONFIGS, {}, '\u00ff', 400, 'BadRequest'],
  ];
  for (const [method, path, headers, body, code, reason] of cases) {
    const asked = { method, headers, ...(body === undefined ? {} : { body: body as string }) };
    const answer = await ask(cluster.door, path, asked);
    const told = `${method} ${path} ${JSON.stringify(headers)}: ${answer.text}`;
    assert.equal(answer.code, code, told);
    assert.equal(answer.json['kind'], 'Status', told);
    assert.equal(answer.json['reason'], reason, told);
    assert.equal(answer.json['code'], code, told);
  }
});

test('objects are created, read, changed in four ways and deleted', async () => {
  const { door } = cluster;
  const made = await ask(door, CONFIGS, { method: 'POST', body: CONFIG });
  assert.equal(made.code, 201);
  const path = `${CONFIGS}/one`;
  const patch = async (type: string, body: string | object): Promise<string | null> => {
    const headers = { 'content-type': type };
    const answer = await ask(door, path, { method: 'PATCH', headers, body });
    assert.equal(answer.code, 200, answer.text);
    return JSON.stringify(answer.json['data']);
  };
  assert.equal(await patch('application/merge-patch+json', { data: { a: '1' } }), '{"a":"1"}');
  assert.equal(
    await patch('application/strategic-merge-patch+json', { data: { b: '2' } }),
    '{"a":"1","b":"2"}',
  );
  assert.equal(
    await patch('application/json-patch+json', [{ op: 'remove', path: '/data/a' }]),
    '{"b":"2"}',
  );
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata:\n  c: "3"\n';
  const applied = await ask(door, `${path}?fieldManager=me`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: yaml,
  });
  assert.equal(applied.code, 200, applied.text);
  assert.equal(textAt(applied.json, 'data.c'), '3');
  const gone = await ask(door, path, { method: 'DELETE' });
  assert.deepEqual([gone.code, gone.json['status']], [200, 'Success']);
  assert.equal((await ask(door, path)).code, 404);
});

test('names a writer after its program; an applier names itself', async () => {
  const managers: (string | undefined)[] = [];
  const spied = await openCluster({
    wrap: (api) => ({
      ...api,
      answer: (request) => {
        managers.push(request.query['fieldManager']);
        return api.answer(request);
      },
    }),
  });
  try {
    const headers = { 'user-agent': 'my-tool/1.2 (linux/amd64)' };
    const body = { ...CONFIG, metadata: { name: 'named' } };
    await ask(spied.door, CONFIGS, { method: 'POST', headers, body });
    await ask(spied.door, `${CONFIGS}?fieldManager=other`, { method: 'POST', headers, body });
    const type = { 'content-type': 'application/apply-patch+yaml' };
    await ask(spied.door, `${CONFIGS}/named`, {
      method: 'PATCH',
      headers: { ...headers, ...type },
      body,
    });
    await ask(spied.door, CONFIGS, { headers });
  } finally {
    await spied.close();
  }
  assert.deepEqual(managers, ['my-tool', 'other', undefined, undefined]);
});

test('a dry run changes nothing', async () => {
  const body = { ...CONFIG, metadata: { name: 'dry' } };
  const made = await ask(cluster.door, `${CONFIGS}?dryRun=All`, { method: 'POST', body });
  assert.equal(made.code, 201);
  assert.equal((await ask(cluster.door, `${CONFIGS}/dry`)).code, 404);
});

test('warnings of the server come as headers', async () => {
  const body = { ...CONFIG, metadata: { name: 'warned' }, strange: 1 };
  const path = `${CONFIGS}?fieldValidation=Warn`;
  const { code, headers } = await ask(cluster.door, path, { method: 'POST', body });
  assert.equal(code, 201);
  assert.match(String(headers['warning']), /^299 - "unknown field \\"strange\\""$/);
});

test('answers carry the time of the world', async () => {
  const first = Date.parse(String((await ask(cluster.door, '/version')).headers['date']));
  cluster.advance(3_600_000);
  const later = Date.parse(String((await ask(cluster.door, '/version')).headers['date']));
  const passed = later - first;
  assert.ok(passed >= 3_600_000 && passed < 3_660_000, String(passed));
});

test('discovery lists the same kinds in every form', async () => {
  const { door } = cluster;
  const plain: string[] = [];
  const groups = listAt((await ask(door, '/apis')).json, 'groups').flatMap((group) =>
    listAt(group, 'versions').map((version) => textAt(version, 'groupVersion') ?? ''),
  );
  for (const path of ['/api/v1', ...groups.map((group) => `/apis/${group}`)]) {
    const { json } = await ask(door, path);
    for (const one of listAt(json, 'resources'))
      plain.push(`${textAt(json, 'groupVersion')} ${textAt(one, 'name')}`);
  }
  assert.ok(plain.includes('v1 pods/eviction') && plain.includes('apps/v1 daemonsets'));
  for (const version of ['v2', 'v2beta1']) {
    const accept = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
    const found: string[] = [];
    for (const root of ['/api', '/apis']) {
      const { json, headers } = await ask(door, root, { headers: { accept } });
      assert.equal(headers['content-type'], accept);
      found.push(...aggregatedNames(json));
    }
    assert.deepEqual(found.toSorted(), plain.toSorted());
  }
});

function aggregatedNames(json: Parameters<typeof listAt>[0]): readonly string[] {
  return listAt(json, 'items').flatMap((group) =>
    listAt(group, 'versions').flatMap((version) =>
      listAt(version, 'resources').flatMap((resource) => {
        const name = textAt(group, 'metadata.name');
        const own = `${name === null ? '' : `${name}/`}${textAt(version, 'version')}`;
        const plural = textAt(resource, 'resource');
        const parts = listAt(resource, 'subresources').map(
          (part) => `${own} ${plural}/${textAt(part, 'subresource')}`,
        );
        return [`${own} ${plural}`, ...parts];
      }),
    ),
  );
}

test('an unchanged document is not sent again', async () => {
  const first = await ask(cluster.door, '/openapi/v3');
  const headers = { 'if-none-match': String(first.headers['etag']) };
  const second = await ask(cluster.door, '/openapi/v3', { headers });
  assert.deepEqual([second.code, second.text], [304, '']);
});

test('every reference of every OpenAPI document leads somewhere', async () => {
  const index = await ask(cluster.door, '/openapi/v3');
  const paths = Object.values(at(index.json, 'paths') as object) as { serverRelativeURL: string }[];
  assert.ok(paths.length > 10);
  for (const { serverRelativeURL } of [...paths, { serverRelativeURL: '/openapi/v2' }]) {
    const { code, json, text } = await ask(cluster.door, serverRelativeURL);
    assert.equal(code, 200, serverRelativeURL);
    const known = at(json, 'components.schemas') ?? at(json, 'definitions');
    const names = new Set(Object.keys(known as object));
    const references = [
      ...text.matchAll(/"\$ref":"#\/(?:components\/schemas|definitions)\/([^"]+)"/g),
    ];
    assert.ok(references.length > 0, serverRelativeURL);
    for (const [, name = ''] of references)
      assert.ok(names.has(name), `${serverRelativeURL}: ${name}`);
  }
});

test('a kind that a CustomResourceDefinition brings is discovered, described and printed', async () => {
  const { door } = cluster;
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { size: { type: 'integer', description: 'How big.' } } },
    },
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  };
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const made = await ask(door, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    method: 'POST',
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.test' },
      spec: { group: 'example.test', scope: 'Cluster', names, versions: [version] },
    },
  });
  assert.equal(made.code, 201, made.text);
  cluster.advance(5_000);
  const body = {
    apiVersion: 'example.test/v1',
    kind: 'Thing',
    metadata: { name: 'a' },
    spec: { size: 7 },
  };
  const thing = await ask(door, '/apis/example.test/v1/things', { method: 'POST', body });
  assert.equal(thing.code, 201, thing.text);
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const table = await ask(door, '/apis/example.test/v1/things', { headers });
  assert.deepEqual(at(listAt(table.json, 'rows')[0], 'cells'), ['a', 7]);
  const document = await ask(door, '/openapi/v3/apis/example.test/v1');
  assert.match(document.text, /"description":"How big\."/);
});

test('metadata alone is sent to who asks for that', async () => {
  const headers = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
  const { json } = await ask(cluster.door, '/api/v1/nodes', { headers });
  assert.equal(json['kind'], 'PartialObjectMetadataList');
  assert.deepEqual(Object.keys(listAt(json, 'items')[0] as object), [
    'kind',
    'apiVersion',
    'metadata',
  ]);
});

test('the health of a kubelet is asked through its node', async () => {
  const { code, text } = await ask(cluster.door, '/api/v1/nodes/node-a/proxy/healthz');
  assert.deepEqual([code, text], [200, 'ok']);
});
