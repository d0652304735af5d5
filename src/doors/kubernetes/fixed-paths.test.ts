import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, isObject } from '../../evidence/json.ts';
import { isPublic } from './fixed-paths.ts';
import { wireFields } from './protobuf/wire.ts';
import { addThings, type Answer, ask, openSite } from './testing.ts';

const { site } = openSite();
const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return ask(site, url, { headers: Object.entries(headers) });
}

test('health and version are public, nothing else', () => {
  for (const path of ['/healthz', '/livez', '/readyz', '/version', '/version/'])
    assert.equal(isPublic(path), true, path);
  for (const path of ['/', '/api', '/healthz/x', '/version//x', '/openapi/v2'])
    assert.equal(isPublic(path), false, path);
});

test('the version is that of the site, taken apart', async () => {
  const told = async (version: string): Promise<unknown> =>
    (await ask({ ...site, version }, '/version')).json;
  const rest = {
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'linux/amd64',
  };
  assert.deepEqual(await told('v1.36.3'), {
    major: '1',
    minor: '36',
    gitVersion: 'v1.36.3',
    ...rest,
  });
  const odd = { major: 'dev', minor: '', gitVersion: 'dev', ...rest };
  assert.deepEqual(await told('dev'), odd);
});

describe('discovery', () => {
  const kindOf = async (url: string, accept: string): Promise<unknown> =>
    (await get(url, { accept })).json['kind'];

  test('comes in one answer to who asks for that first', async () => {
    const { headers, json } = await get('/apis', { accept: DISCOVERY });
    assert.equal(headers['content-type'], DISCOVERY);
    assert.equal(json['apiVersion'], 'apidiscovery.k8s.io/v2');
    const older = DISCOVERY.replace('v2', 'v2beta1');
    assert.equal((await get('/api', { accept: older })).headers['content-type'], older);
    assert.equal(await kindOf('/apis', `${DISCOVERY},application/json`), 'APIGroupDiscoveryList');
    assert.equal(await kindOf('/apis', `application/json,${DISCOVERY}`), 'APIGroupList');
    assert.equal(await kindOf('/apis', `text/html,${DISCOVERY}`), 'APIGroupDiscoveryList');
  });

  test('comes as plain lists to everybody else', async () => {
    for (const accept of [
      '*/*',
      DISCOVERY.replace('v2', 'v3'),
      DISCOVERY.replace('apidiscovery', 'meta'),
      DISCOVERY.replace('List', ''),
      DISCOVERY.replace('v=v2;', ''),
      DISCOVERY.replace('application/json', 'application/yaml'),
    ])
      assert.equal(await kindOf('/apis', accept), 'APIGroupList', accept);
    assert.equal(await kindOf('/api', '*/*'), 'APIVersions');
  });

  test('names the address by which the server was asked', async () => {
    const { json } = await get('/api', { host: '127.0.0.1:6443' });
    const [address] = json['serverAddressByClientCIDRs'] as readonly object[];
    assert.deepEqual(address, { clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' });
  });

  test('of a group or version that is not served is not found', async () => {
    for (const url of ['/apis/none', '/apis/none/v1', '/apis/apps/v9', '/api/v9'])
      assert.equal((await get(url)).code, 404, url);
  });
});

describe('OpenAPI', () => {
  test('of version 3 is an index and a document for each group', async () => {
    const index = await get('/openapi/v3');
    const [url] = Object.values(at(index.json, 'paths') as object) as {
      serverRelativeURL: string;
    }[];
    const document = await get(url?.serverRelativeURL ?? '');
    assert.equal(document.json['openapi'], '3.0.0');
    assert.equal(document.headers['content-type'], 'application/json');
    assert.equal(index.headers['content-type'], 'application/json');
    assert.deepEqual((await get('/openapi/v3/')).json, index.json);
    for (const none of ['/openapi/v3/api/v9', '/openapi/v3x', '/openapi/v4/api/v1'])
      assert.equal((await get(none)).code, 404, none);
  });

  test('of version 2 is JSON, or protocol buffers to who asks for them first', async () => {
    const json = await get('/openapi/v2');
    assert.equal(json.json['swagger'], '2.0');
    assert.equal(json.headers['content-type'], 'application/json');
    const later = await get('/openapi/v2', { accept: `application/json,${PROTOBUF}` });
    assert.equal(later.headers['content-type'], 'application/json');
    const { headers } = await get('/openapi/v2', { accept: PROTOBUF });
    assert.equal(headers['content-type'], PROTOBUF);
    const kept = site.documents.get('/openapi/v2')?.body;
    assert.ok(kept instanceof Uint8Array);
    assert.equal([...wireFields(kept)][0]?.number, 1);
  });

  test('is made once, and again when the kinds change', async () => {
    const own = openSite();
    const url = '/openapi/v2';
    const headers = [['accept', PROTOBUF]] as const;
    await ask(own.site, url, { headers });
    const first = own.site.documents.get(url)?.body;
    await ask(own.site, url, { headers });
    assert.equal(own.site.documents.get(url)?.body, first);
    addThings(own);
    await ask(own.site, url, { headers });
    const second = own.site.documents.get(url);
    assert.notEqual(second?.body, first);
    const replaced = second?.kinds.with(0, { ...second.kinds[0], singular: 'x' } as never) ?? [];
    own.site.documents.set(url, { kinds: replaced, body: 'old' });
    assert.notEqual((await ask(own.site, url, { headers })).text, 'old');
  });

  test('is not sent again to who has it', async () => {
    const first = await get('/openapi/v3');
    const etag = first.headers['etag'] ?? '';
    assert.match(etag, /^"[0-9A-F]{32}"$/);
    assert.equal(first.headers['vary'], 'Accept');
    const again = await get('/openapi/v3', { 'if-none-match': etag });
    assert.deepEqual([again.code, again.text, again.headers['etag']], [304, '', etag]);
    assert.equal(again.headers['content-type'], undefined);
    assert.equal(again.headers['content-length'], undefined);
    assert.equal((await get('/openapi/v3', { 'if-none-match': '"x"' })).code, 200);
    assert.ok(isObject(first.json));
  });
});
