import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import type { ApiAnswer, ApiPath, ApiRequest } from '../../sim/kube/contract.ts';
import { queryOf, verbOf } from './resources.ts';
import { addThings, type Answer, ask, type Asked, openSite } from './testing.ts';

const CONFIGS = '/api/v1/namespaces/default/configmaps';

/** What the API server was asked, and what it answers. */
async function passed(
  url: string,
  asked: Asked = {},
  answer: Partial<ApiAnswer> = {},
): Promise<readonly [ApiRequest | undefined, Answer]> {
  const requests: ApiRequest[] = [];
  const own = openSite();
  addThings(own);
  const api = {
    ...own.site.api,
    answer: (request: ApiRequest): ApiAnswer => {
      requests.push(request);
      return { code: 200, object: { kind: 'ConfigMap', a: 1 }, warnings: [], ...answer };
    },
  };
  const told = await ask({ ...own.site, api }, url, asked);
  return [requests.at(-1), told];
}

test('of each query parameter the first counts, up to a limit of all', () => {
  const query = queryOf(new URLSearchParams('a=1&b=&a=2&__proto__=x'));
  assert.equal(JSON.stringify(query), '{"a":"1","b":"","__proto__":"x"}');
  const most = 'x'.repeat(16 * 1024 - 1);
  assert.deepEqual(queryOf(new URLSearchParams({ a: most })), { a: most });
  assert.throws(() => queryOf(new URLSearchParams({ ab: most })), {
    code: 400,
    message: 'the query of the request is too long',
  });
});

describe('the verb of a request', () => {
  const path: ApiPath = {
    group: '',
    version: 'v1',
    plural: 'pods',
    namespace: 'shop',
    name: null,
    subresource: null,
  };
  const named = { ...path, name: 'web' };
  const part = { ...named, subresource: 'binding' };

  test('follows from its method and what it names', () => {
    for (const [method, at, query, verb] of [
      ['GET', path, {}, 'list'],
      ['GET', named, {}, 'get'],
      ['HEAD', named, {}, 'get'],
      ['GET', path, { watch: 'true' }, 'watch'],
      ['GET', named, { watch: '1' }, 'watch'],
      ['GET', path, { watch: 'false' }, 'list'],
      ['GET', path, { watch: '0' }, 'list'],
      ['POST', path, {}, 'create'],
      ['POST', part, {}, 'create'],
      ['PUT', named, {}, 'update'],
      ['PATCH', named, {}, 'patch'],
      ['DELETE', named, {}, 'delete'],
      ['DELETE', path, {}, 'deletecollection'],
    ] as const)
      assert.equal(verbOf(method, at, query), verb, `${method} ${JSON.stringify(query)}`);
  });

  test('is missing for other methods, and for an object that is created by its name', () => {
    for (const [method, at] of [
      ['POST', named],
      ['PUT', path],
      ['PATCH', path],
      ['OPTIONS', named],
    ] as const)
      assert.throws(() => verbOf(method, at, {}), { code: 405 }, method);
  });
});

describe('a request reaches the API server', () => {
  test('with who asks, what is asked and what was sent', async () => {
    const body = { kind: 'ConfigMap', data: { a: 'b' } };
    const [request] = await passed(`${CONFIGS}?dryRun=All`, { method: 'POST', body });
    const groups = ['system:masters', 'system:authenticated'];
    assert.deepEqual(request, {
      user: { name: 'admin', groups },
      verb: 'create',
      path: {
        group: '',
        version: 'v1',
        plural: 'configmaps',
        namespace: 'default',
        name: null,
        subresource: null,
      },
      query: { fieldManager: 'unknown', dryRun: 'All' },
      body,
      patchType: null,
    });
  });

  test('of a writer that is named after its program', async () => {
    const writer = async (agent: string, method = 'POST', url = CONFIGS): Promise<unknown> => {
      const headers = [['user-agent', agent]] as const;
      const [request] = await passed(url, { method, headers, body: {} });
      return request?.query['fieldManager'];
    };
    assert.equal(await writer('kubectl/v1.36.3 (linux/amd64)'), 'kubectl');
    assert.equal(await writer('/v1'), 'unknown');
    assert.equal(await writer('x'.repeat(129)), 'x'.repeat(128));
    assert.equal(await writer('kubectl', 'PUT', `${CONFIGS}/a`), 'kubectl');
    assert.equal(await writer('kubectl', 'POST', `${CONFIGS}?fieldManager=me`), 'me');
    assert.equal(await writer('kubectl', 'GET'), undefined);
    assert.equal(await writer('kubectl', 'DELETE', `${CONFIGS}/a`), undefined);
  });

  test('with the kind of its patch; who applies names itself', async () => {
    const patched = async (type: string): Promise<readonly unknown[]> => {
      const headers = [['content-type', type]] as const;
      const asked = { method: 'PATCH', headers, body: '{}' };
      const [request] = await passed(`${CONFIGS}/a`, asked);
      return [request?.patchType, request?.query['fieldManager']];
    };
    const merge = 'application/merge-patch+json';
    assert.deepEqual(await patched(merge), ['merge', 'unknown']);
    assert.deepEqual(await patched('application/apply-patch+yaml'), ['apply', undefined]);
    const strategic = [['content-type', 'application/strategic-merge-patch+json']] as const;
    const asked = { method: 'PATCH', headers: strategic, body: '{}' };
    const thing = '/apis/example.test/v1/things/a';
    const [, ofCustom] = await passed(thing, asked);
    assert.equal(ofCustom.code, 415);
    const [, ofBuiltIn] = await passed(`${CONFIGS}/a`, asked);
    assert.equal(ofBuiltIn.code, 200);
  });
});

describe('a request reaches', () => {
  test('with the path behind a proxy', async () => {
    const [request] = await passed('/api/v1/nodes/a/proxy/logs/kubelet.log?x=1');
    assert.deepEqual(request?.query, { x: '1', proxyPath: '/logs/kubelet.log' });
    const [other] = await passed('/api/v1/nodes/a/status');
    assert.deepEqual(other?.query, {});
  });

  test('only for a kind that is served, in a form that can be sent', async () => {
    for (const url of ['/api/v1/none', '/api/v2/nodes', '/apis/apps/v1/nodes'])
      assert.equal((await passed(url))[1].code, 404, url);
    const headers = [['accept', 'text/html']] as const;
    const [request, { code }] = await passed(CONFIGS, { headers });
    assert.deepEqual([request, code], [undefined, 406]);
  });
});

describe('what the API server answers', () => {
  const accepting = (accept: string): Asked => ({ headers: [['accept', accept]] });
  const form = (as: string): Asked => accepting(`application/json;as=${as};v=v1;g=meta.k8s.io`);
  const list = { kind: 'ConfigMapList', items: [{ metadata: { name: 'a' }, data: {} }] };

  test('is sent as it is, as JSON or YAML', async () => {
    const [, json] = await passed(CONFIGS, {}, { code: 201 });
    assert.deepEqual([json.code, json.json], [201, { kind: 'ConfigMap', a: 1 }]);
    assert.equal(json.headers['content-type'], 'application/json');
    const [, yaml] = await passed(CONFIGS, accepting('application/yaml'));
    assert.equal(yaml.headers['content-type'], 'application/yaml');
  });

  test('is text where it has nothing but text', async () => {
    const answer = async (code: number, object: JsonObject): Promise<string | undefined> =>
      (await passed(CONFIGS, {}, { code, object }))[1].headers['content-type'];
    assert.equal(await answer(200, { text: 'ok' }), 'text/plain; charset=utf-8');
    assert.equal(await answer(200, { kind: 'Odd', text: 'ok' }), 'application/json');
    assert.equal(await answer(500, { text: 'ok' }), 'text/plain; charset=utf-8');
    assert.equal(await answer(200, { text: 7 }), 'application/json');
    assert.equal((await passed(CONFIGS, {}, { object: { text: 'ok' } }))[1].text, 'ok');
  });

  test('is a table or metadata where that was asked for', async () => {
    const [, table] = await passed(CONFIGS, form('Table'), { object: list });
    assert.equal(table.json['kind'], 'Table');
    const [row] = table.json['rows'] as readonly JsonObject[];
    assert.deepEqual(row?.['object'], {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
    const bare = await passed(`${CONFIGS}?includeObject=None`, form('Table'), { object: list });
    const [without] = bare[1].json['rows'] as readonly JsonObject[];
    assert.deepEqual(Object.keys(without ?? {}), ['cells']);
    const [, partial] = await passed(CONFIGS, form('PartialObjectMetadataList'), { object: list });
    assert.equal(partial.json['kind'], 'PartialObjectMetadataList');
  });

  test('stays what it is where it is a Status or a failure', async () => {
    const status = { kind: 'Status', status: 'Success' };
    assert.deepEqual((await passed(CONFIGS, form('Table'), { object: status }))[1].json, status);
    const failure = { code: 300, object: { kind: 'ConfigMap' } };
    const [, { json }] = await passed(CONFIGS, form('Table'), failure);
    assert.deepEqual(json, { kind: 'ConfigMap' });
  });

  test('has its warnings as headers, and when to come again', async () => {
    const details = { retryAfterSeconds: 7 };
    const headers = async (answer: Partial<ApiAnswer>): Promise<readonly unknown[]> => {
      const [, { headers: sent }] = await passed(CONFIGS, {}, answer);
      return [sent['warning'], sent['retry-after']];
    };
    const warned = { warnings: ['a', 'b'], object: { details } };
    assert.deepEqual(await headers(warned), ['299 - "a"\n299 - "b"', undefined]);
    assert.deepEqual(await headers({ code: 400, object: { details } }), [undefined, '7']);
    const texts = { code: 429, object: { details: { retryAfterSeconds: '7' } } };
    assert.deepEqual(await headers(texts), [undefined, undefined]);
    assert.deepEqual(await headers({ code: 429, object: {} }), [undefined, undefined]);
  });
});
