import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { textAt } from '../../evidence/json.ts';
import type { WatchEvent } from '../../sim/kube/contract.ts';
import { serve } from './serve.ts';
import type { DoorApi } from './site.ts';
import { ask, type Asked, exchange, JANES_TOKEN, openSite, withoutAuthorizer } from './testing.ts';

const opened = openSite();
const { site } = opened;

async function messageOf(
  url: string,
  asked: Asked = {},
): Promise<readonly [number, string | null]> {
  const { code, json } = await ask(site, url, asked);
  return [code, textAt(json, 'message')];
}

test('health and version are answered to everybody', async () => {
  for (const path of ['/healthz', '/livez', '/readyz', '/readyz/']) {
    const { code, headers, text } = await ask(site, path, { token: null });
    assert.deepEqual([code, text], [200, 'ok'], path);
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(headers['content-length'], '2');
  }
  const version = await ask(site, '/version', { token: null });
  assert.deepEqual([version.code, version.json['gitVersion']], [200, 'v1.36.3']);
  assert.equal((await ask(site, '/version/x', { token: null })).code, 401);
});

test('the root lists the paths, and any other path is not there', async () => {
  const { json } = await ask(site, '/');
  assert.deepEqual(json['paths'], [
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ]);
  assert.equal((await ask(site, '/none')).code, 404);
  assert.equal((await ask(site, '/openapi/v4')).code, 404);
});

test('a query belongs to the request and not to its path', async () => {
  const { code, json } = await ask(site, '/api/v1/namespaces?limit=1&x=?');
  assert.equal(code, 200);
  assert.equal((json['items'] as readonly unknown[]).length, 1);
  assert.equal((await ask(site, '/healthz?verbose', { token: null })).code, 200);
});

test('a target that is not a path is refused', async () => {
  for (const url of ['*', 'http://other/api', ''])
    assert.deepEqual(await messageOf(url), [400, 'the target of the request is not a path']);
});

describe('a path that names no object', () => {
  test('is only read', async () => {
    const refusal = 'the server does not allow this method on the requested resource';
    for (const method of ['POST', 'DELETE', 'PUT'])
      assert.deepEqual(await messageOf('/api', { method }), [405, refusal]);
    const head = await ask(site, '/api', { method: 'HEAD' });
    assert.deepEqual([head.code, head.text], [200, '']);
    assert.ok(Number(head.headers['content-length']) > 0);
  });

  test('needs the right to it, and everybody has it where nobody authorizes', async () => {
    const jane = { token: JANES_TOKEN };
    const forbidden = 'forbidden: User "jane" cannot get path "/metrics"';
    assert.deepEqual(await messageOf('/metrics', jane), [403, forbidden]);
    assert.equal((await ask(site, '/api', jane)).code, 200);
    const open = withoutAuthorizer(site);
    assert.equal((await ask(open, '/metrics', jane)).code, 404);
  });

  test('is asked of the authorizer as it was sent', async () => {
    const asked: unknown[] = [];
    const authorize: DoorApi['authorize'] = (user, question) => {
      asked.push([user.name, question]);
      return { isAllowed: true, reason: '' };
    };
    await ask({ ...site, api: { ...site.api, authorize } }, '/apis/apps?x=1');
    assert.deepEqual(asked, [['admin', { verb: 'get', nonResourcePath: '/apis/apps' }]]);
  });
});

test('discovery is answered by group and version', async () => {
  const kinds = async (path: string): Promise<unknown> => (await ask(site, path)).json['kind'];
  assert.equal(await kinds('/api'), 'APIVersions');
  assert.equal(await kinds('/apis'), 'APIGroupList');
  assert.equal(await kinds('/apis/apps'), 'APIGroup');
  assert.equal(await kinds('/apis/apps/v1'), 'APIResourceList');
  assert.equal(await kinds('/apis/none'), 'Status');
});

describe('what reaches into a container', () => {
  test('is refused with the command that shows its log', async () => {
    for (const part of ['exec', 'attach', 'portforward']) {
      const path = `/api/v1/namespaces/default/pods/web/${part}`;
      const [code, message] = await messageOf(path);
      assert.equal(code, 405);
      assert.match(message ?? '', new RegExp(`^pods/${part}: .*kubectl logs$`));
    }
  });

  test('is not there for other kinds and parts', async () => {
    for (const path of ['/api/v1/nodes/a/exec', '/api/v1/namespaces/default/pods/a/none'])
      assert.equal((await ask(site, path)).code, 404, path);
  });
});

describe('a question in the form of an object', () => {
  const url = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

  test('is answered when it is created', async () => {
    const { code, json } = await ask(site, url, { method: 'POST', body: { kind: 'X' } });
    assert.equal(code, 201);
    assert.equal(textAt(json, 'status.userInfo.username'), 'admin');
    const access = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    assert.equal((await ask(site, access, { method: 'POST', body: {} })).code, 201);
  });

  test('is not there otherwise', async () => {
    assert.equal((await ask(site, url)).code, 404);
    const other = '/apis/authentication.k8s.io/v1/none';
    assert.equal((await ask(site, other, { method: 'POST', body: {} })).code, 404);
    const elsewhere = '/apis/example.test/v1/selfsubjectreviews';
    assert.equal((await ask(site, elsewhere, { method: 'POST', body: {} })).code, 404);
  });
});

describe('an error of the world', () => {
  function broken(error: unknown): ReturnType<typeof openSite> {
    const fail = (): never => {
      throw error;
    };
    const { api } = site;
    return openSite({ api: { ...api, answer: fail, watch: fail } });
  }

  test('is reported whole, and answered by its name alone', async () => {
    const bug = new RangeError('a secret of the program');
    const failing = broken(bug);
    const { code, json, text } = await ask(failing.site, '/api/v1/nodes');
    assert.deepEqual([code, textAt(json, 'reason')], [500, 'InternalError']);
    assert.equal(textAt(json, 'message'), 'Internal error occurred: RangeError');
    assert.doesNotMatch(text, /secret/);
    assert.deepEqual(failing.bugs, [bug]);
  });

  test('that is not an error has no name', async () => {
    const failing = broken('a secret');
    const { json } = await ask(failing.site, '/api/v1/nodes');
    assert.equal(textAt(json, 'message'), 'Internal error occurred: unknown error');
  });

  test('after an answer has begun breaks it off', async () => {
    const watch: DoorApi['watch'] = (_request, { onEvent }) => {
      const event: WatchEvent = { type: 'ADDED', object: { a: 1 } };
      onEvent(event);
      throw new RangeError('late');
    };
    const failing = openSite({ api: { ...site.api, watch } });
    const { request, response, ended, answer } = exchange('/api/v1/nodes?watch=true');
    await serve(failing.site, request, response);
    await ended();
    assert.equal(response.destroyed, true);
    assert.equal(answer().code, 200);
    assert.equal(failing.bugs.length, 1);
  });

  test('a refusal is not', async () => {
    const { code } = await ask(site, '/api/v1/none');
    assert.equal(code, 404);
    assert.deepEqual(opened.bugs, []);
  });
});

test('too many requests are to come again in a second, and others are not', async () => {
  const full = openSite({ limits: { ...site.limits, streamsMax: 0 } });
  const late = await ask(full.site, '/api/v1/nodes?watch=true');
  assert.deepEqual([late.code, late.headers['retry-after']], [429, '1']);
  const other = await ask(site, '/none');
  assert.deepEqual([other.code, other.headers['retry-after']], [404, undefined]);
});

test('a request whose body is not read to its end gives up its connection', async () => {
  const method = 'POST';
  const headers = [['content-length', '99999999']] as const;
  const url = '/api/v1/namespaces/default/configmaps';
  const { request, response, ended, answer } = exchange(url, { method, headers });
  request.complete = false;
  await serve(site, request, response);
  await ended();
  assert.equal(answer().code, 413);
  assert.equal(response.getHeader('connection'), 'close');
  assert.equal(request.destroyed, true);
});

test('a request that was read keeps its connection', async () => {
  for (const url of ['/healthz', '/none']) {
    const { request, response, ended } = exchange(url);
    await serve(site, request, response);
    await ended();
    assert.equal(response.getHeader('connection'), undefined);
    assert.equal(request.destroyed, false);
  }
});

test('a caller who leaves in the middle of a body is not a bug', async () => {
  const left = openSite();
  const url = '/api/v1/namespaces/default/configmaps';
  const { request, response } = exchange(url, { method: 'POST' });
  request.complete = false;
  request.on('error', () => undefined);
  request.destroy(new Error('aborted'));
  await serve(left.site, request, response);
  assert.deepEqual(left.bugs, []);
});
