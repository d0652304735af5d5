import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PortFailure } from '../../ports/port-error.ts';
import { connectionFailure } from './connection-failure.ts';
import { DEFAULT_KUBE_LIMITS } from './limits.ts';
import type { KubeTarget } from './target.ts';
import { ProxyRefusal } from './tunnel.ts';

const TARGET: KubeTarget = {
  contextName: 'dev',
  clusterEntry: 'dev-cluster',
  userEntry: 'dev-user',
  origin: '/home/ubuntu/.kube/config',
  server: 'https://api.example:6443',
  namespace: 'default',
  tls: { authorityPem: null, client: null, serverName: null, isUnverified: false },
  proxyUrl: null,
  credential: { kind: 'none' },
  impersonation: null,
};
const PROXIED = { ...TARGET, proxyUrl: 'http://me:secret@proxy.corp:3128' };

function named(error: unknown, target: KubeTarget = TARGET): readonly [PortFailure, string] {
  const nowMs = Date.parse('2026-03-02T09:00:00Z');
  const { failure, message } = connectionFailure(error, {
    target,
    limits: DEFAULT_KUBE_LIMITS,
    nowMs,
  });
  return [failure, message];
}

function coded(code: string, fields: object = {}): Error {
  return Object.assign(new Error(`words of ${code}`), { code, ...fields });
}

const UNTRUSTED: readonly string[] = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
];

const CODES: readonly (readonly [string, PortFailure, RegExp])[] = [
  ...UNTRUSTED.map(
    (code) =>
      [code, 'unreachable', /authority that the authorities of this system do not/] as const,
  ),
  [
    'CERT_HAS_EXPIRED',
    'unreachable',
    /has expired \(the clock here says 2026-03-02T09:00:00\.000Z\)/,
  ],
  [
    'CERT_NOT_YET_VALID',
    'unreachable',
    /not valid yet, as the clock here says 2026-03-02T09:00:00\.0/,
  ],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'unauthenticated', /certificate of user dev-user/],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'malformed',
    /api\.example:6443 does not speak https \(ERR_SSL_W/,
  ],
  ['EPROTO', 'malformed', /does not speak https \(EPROTO\)/],
  ['HPE_INVALID_CONSTANT', 'malformed', /does not speak https/],
  [
    'UND_ERR_CONNECT_TIMEOUT',
    'timeout',
    /no connection within 5 s.*nc -vz -w 5 api\.example 6443$/,
  ],
  ['ETIMEDOUT', 'timeout', /no connection within 5 s/],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout', /returned no answer within 15 s/],
  ['UND_ERR_BODY_TIMEOUT', 'timeout', /returned half an answer and then nothing within 15 s/],
  [
    'ENOTFOUND',
    'unreachable',
    /^The name api\.example of the API server is not resolved \(ENOTFOUND\)/,
  ],
  ['EAI_AGAIN', 'unreachable', /is not resolved \(EAI_AGAIN\); look it up: nslookup api\.example$/],
  [
    'ECONNREFUSED',
    'unreachable',
    /^Nothing listens at https:\/\/api\.example:6443 \(connection refused\)/,
  ],
  ['ECONNRESET', 'unreachable', /was cut \(words of ECONNRESET\)/],
  ['EPIPE', 'unreachable', /was cut \(words of EPIPE\)/],
  ['UND_ERR_SOCKET', 'unreachable', /was cut \(words of UND_ERR_SOCKET\)/],
  ['ENETUNREACH', 'unreachable', /^There is no route to .* \(ENETUNREACH\)/],
  ['EHOSTUNREACH', 'unreachable', /^There is no route to .* \(EHOSTUNREACH\)/],
  [
    'ENEW',
    'unreachable',
    /ended \(ENEW\); see whether it runs: curl -vk https:\/\/api\.example:6443\/healthz$/,
  ],
  ['AN_EPROTO', 'unreachable', /ended \(AN_EPROTO\)/],
  ['EPROTOX', 'unreachable', /ended \(EPROTOX\)/],
  ['NO_ERR_SSL_ALERT', 'unreachable', /ended/],
];

for (const [code, failure, words] of CODES) {
  test(`a connection that ends with ${code} is ${failure}`, () => {
    const [found, message] = named(coded(code));
    assert.equal(found, failure);
    assert.match(message, words);
  });
}

test('reports an error without a code in its original words', () => {
  assert.match(named(new Error('other side closed'))[1], /ended \(other side closed\)/);
});

test('the error below those that wrap it is the reason', () => {
  const refused = coded('ECONNREFUSED');
  const wrapped = new Error('fetch failed', { cause: refused });
  const all = Object.assign(new AggregateError([refused, coded('ENETUNREACH')]), {
    code: 'ECONNREFUSED',
  });
  const twice = new Error('twice', { cause: Object.assign(wrapped, { code: 'UND_ERR' }) });
  for (const error of [refused, wrapped, all, twice])
    assert.match(named(error)[1], /^Nothing listens/);
  const codeless = coded('ECONNRESET', { cause: new Error('socket hang up') });
  assert.match(named(codeless)[1], /was cut \(words of ECONNRESET\)/);
  const odd = coded('ECONNRESET', { cause: { code: 'ENOTFOUND' } });
  assert.match(named(odd)[1], /was cut/);
});

test('errors that wrap one another without end are left', () => {
  const first = coded('EFIRST');
  const second = coded('ESECOND', { cause: first });
  Object.assign(first, { cause: second });
  assert.match(named(first)[1], /ended \(E(?:FIRST|SECOND)\)/);
});

test('names the requested host when it differs from the server', () => {
  assert.match(
    named(coded('ENOTFOUND', { hostname: 'proxy.corp' }))[1],
    /^The name proxy\.corp of/,
  );
  assert.match(named(coded('ENOTFOUND', { hostname: 7 }))[1], /^The name api\.example of/);
});

test('a certificate for other names says which, and how to expect them', () => {
  const cert = { subjectaltname: 'DNS:kubernetes, IP Address:10.0.0.1' };
  const [failure, message] = named(coded('ERR_TLS_CERT_ALTNAME_INVALID', { cert }));
  assert.equal(failure, 'unreachable');
  assert.match(message, /is for kubernetes, 10\.0\.0\.1 and not for api\.example; use/);
  assert.match(message, /set-cluster dev-cluster --tls-server-name=kubernetes$/);
  const wanted = { ...TARGET, tls: { ...TARGET.tls, serverName: 'other' }, clusterEntry: null };
  assert.match(
    named(coded('ERR_TLS_CERT_ALTNAME_INVALID', { cert }), wanted)[1],
    /not for other; .*set-cluster CLUSTER --tls/,
  );
  for (const odd of [{}, { cert: {} }, { cert: { subjectaltname: 7 } }])
    assert.match(named(coded('ERR_TLS_CERT_ALTNAME_INVALID', odd))[1], /not for api\.example/);
});

test('an authority of the kubeconfig is named by its cluster, that of a pod as the pod’s', () => {
  const own = { ...TARGET, tls: { ...TARGET.tls, authorityPem: 'PEM' } };
  const said = (target: KubeTarget): string => named(coded('CERT_UNTRUSTED'), target)[1];
  assert.match(said(own), /that the certificate-authority of cluster dev-cluster is not; /);
  assert.match(said({ ...own, clusterEntry: null }), /of cluster \(this pod\) is not/);
  const alert = coded('ERR_SSL_TLS_ALERT_X');
  assert.match(named(alert, { ...TARGET, userEntry: null })[1], /certificate of user \(none\)/);
});

test('a proxy that refuses is named without its password, and only where there is one', () => {
  const refused = new ProxyRefusal(407);
  const [failure, message] = named(refused, PROXIED);
  assert.equal(failure, 'unreachable');
  assert.match(
    message,
    /^The proxy http:\/\/proxy\.corp:3128 answered HTTP 407 to a tunnel to api\.example:6443/,
  );
  assert.match(message, /NO_PROXY=api\.example rollcall$/);
  assert.doesNotMatch(named(refused)[1], /The proxy/);
  assert.match(
    named(coded('ECONNREFUSED'), PROXIED)[1],
    /api\.example:6443 through the proxy http:\/\/proxy\.corp:3128 \(connection refused\)/,
  );
});

test('tests the port of the server or of its protocol', () => {
  const said = (server: string): string => named(coded('ETIMEDOUT'), { ...TARGET, server })[1];
  assert.match(said('https://api.example'), / api\.example 443$/);
  assert.match(said('http://api.example'), / api\.example 80$/);
  assert.match(said('http://api.example:8080'), / api\.example 8080$/);
});
