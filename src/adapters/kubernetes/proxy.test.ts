import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import { proxyFor } from './proxy.ts';

const SERVER = 'https://api.one.test:6443';
const PROXY = 'http://proxy.test:3128';

/** Whether a server is reached without the proxy, by NO_PROXY. */
function isDirect(exceptions: string, server = SERVER): boolean {
  return proxyFor(server, null, { HTTPS_PROXY: PROXY, NO_PROXY: exceptions }) === null;
}

function failure(proxy: string): readonly [string, string] {
  try {
    proxyFor(SERVER, proxy, {});
  } catch (error) {
    if (error instanceof PortError) return [error.failure, error.message];
  }
  return ['none', ''];
}

describe('the proxy', () => {
  test('of the cluster goes before the environment, and needs no exception', () => {
    const env = { HTTPS_PROXY: 'http://other.test', NO_PROXY: '*' };
    assert.equal(proxyFor(SERVER, PROXY, env), PROXY);
    assert.equal(proxyFor(SERVER, '', { HTTPS_PROXY: PROXY }), PROXY);
    assert.equal(proxyFor(SERVER, null, {}), null);
  });

  test('of the environment is that of the scheme, in either case', () => {
    const env = { HTTPS_PROXY: PROXY, HTTP_PROXY: 'http://plain.test' };
    assert.equal(proxyFor(SERVER, null, env), PROXY);
    assert.equal(proxyFor('http://api.one.test', null, env), 'http://plain.test');
    assert.equal(proxyFor(SERVER, null, { https_proxy: PROXY }), PROXY);
    assert.equal(proxyFor(SERVER, null, { HTTPS_PROXY: '', https_proxy: PROXY }), PROXY);
    assert.equal(proxyFor(SERVER, null, { HTTPS_PROXY: 'proxy.test:3128' }), PROXY);
    assert.equal(proxyFor(SERVER, null, { HTTPS_PROXY: 'https://p.test' }), 'https://p.test');
  });

  test('is not for this machine', () => {
    const env = { HTTPS_PROXY: PROXY };
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]'])
      assert.equal(proxyFor(`https://${host}:6443`, null, env), null, host);
    for (const host of ['127.one.test', 'localhost.test', '128.0.0.1', '[::2]'])
      assert.equal(proxyFor(`https://${host}:6443`, null, env), PROXY, host);
  });

  test('is an HTTP proxy, and a URL', () => {
    assert.equal(failure('http://[')[0], 'not-configured');
    assert.match(failure('not a url')[1], /^The proxy in proxy-url of the cluster is not a URL/);
    const [kind, message] = failure('socks5://ann:secret@proxy.test:1080');
    assert.equal(kind, 'unsupported');
    assert.match(message, /^The proxy socks5:\/\/proxy\.test:1080 in proxy-url of the cluster /);
    assert.equal(failure('https://proxy.test')[0], 'none');
  });
});

describe('an exception', () => {
  test('names a host, and with it those below', () => {
    for (const one of ['api.one.test', 'one.test', 'ONE.TEST', ' test ', 'x.test, one.test,'])
      assert.equal(isDirect(one), true, one);
    for (const other of ['', ',', 'pi.one.test', 'other.test', 'one.test.test', 'api.one'])
      assert.equal(isDirect(other), false, other);
  });

  test('with a dot before it names only those below', () => {
    for (const below of ['.one.test', '*.one.test']) assert.equal(isDirect(below), true, below);
    for (const own of ['.api.one.test', '*.api.one.test']) assert.equal(isDirect(own), false, own);
    assert.equal(isDirect('*'), true);
    assert.equal(isDirect('*one.test'), false);
  });

  test('with a port is for that port', () => {
    assert.equal(isDirect('one.test:6443'), true);
    assert.equal(isDirect('one.test:443'), false);
    assert.equal(isDirect('one.test:443', 'https://api.one.test'), true);
    assert.equal(isDirect('one.test:64430'), false);
    assert.equal(isDirect('[fd00::1]:6443', 'https://[fd00::1]:6443'), true);
    assert.equal(isDirect('[fd00::1]:443', 'https://[fd00::1]:6443'), false);
    const plain = { HTTP_PROXY: PROXY, NO_PROXY: 'one.test:80' };
    assert.equal(proxyFor('http://api.one.test', null, plain), null);
  });

  test('of an address is that address alone', () => {
    const server = 'https://10.0.0.1:6443';
    assert.equal(isDirect('10.0.0.1', server), true);
    for (const other of ['0.0.1', '.0.0.1', '10.0.0.10', '1'])
      assert.equal(isDirect(other, server), false);
    assert.equal(isDirect('fd00::1', 'https://[fd00::1]'), true);
    assert.equal(isDirect('[fd00::1]', 'https://[fd00::1]'), true);
    assert.equal(isDirect('10.0.0.1', 'https://a.10.0.0.1.test'), false);
  });

  test('of a range is for its addresses', () => {
    const server = 'https://10.1.2.3:6443';
    for (const range of ['10.0.0.0/8', '10.1.2.3/32', '0.0.0.0/0'])
      assert.equal(isDirect(range, server), true, range);
    for (const range of ['10.2.0.0/16', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/x', '/8', 'fd00::/8'])
      assert.equal(isDirect(range, server), false, range);
    assert.equal(isDirect('10.0.0.0/8'), false);
    assert.equal(isDirect('fd00::/8', 'https://[fd00::1]'), true);
    assert.equal(isDirect('fd00::1/128', 'https://[fd00::1]'), true);
    assert.equal(isDirect('fd00::1/129', 'https://[fd00::1]'), false);
    assert.equal(isDirect('one.test/8', 'https://one.test'), false);
  });
});
