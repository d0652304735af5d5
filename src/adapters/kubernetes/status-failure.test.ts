import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PortError, PortFailure } from '../../ports/port-error.ts';
import { type RefusedAnswer, statusFailure } from './status-failure.ts';

const NOW_MS = Date.parse('2026-03-02T09:00:00Z');

function failureWith(
  status: number,
  headers: Readonly<Record<string, string>>,
  change: Partial<Pick<RefusedAnswer, 'name' | 'text' | 'write'>> = {},
): PortError {
  return statusFailure({
    server: 'https://api.example:6443',
    name: { verb: 'list', resource: 'nodes' },
    write: null,
    status,
    headers,
    text: '',
    ...change,
    refusal: { what: 'the token', remedy: 'make a new one: kubectl create token NAME' },
    nowMs: NOW_MS,
  });
}

function dateIn(ms: number): string {
  return new Date(NOW_MS + ms).toUTCString();
}

for (const [what, header, waitMs] of [
  ['seconds', '7', 7000],
  ['a date to come', dateIn(20_000), 20_000],
  ['a date that has passed', dateIn(-20_000), 0],
  ['a date of tomorrow', dateIn(86_400_000), 600_000],
  ['no time at all', 'soon', null],
] as const)
  test(`a wait asked for by ${what} is ${waitMs === null ? 'not heeded' : `${waitMs} ms`}`, () => {
    assert.equal(failureWith(503, { 'retry-after': header }).retryAfterMs, waitMs);
  });

for (const [aheadMs, words] of [
  [180_000, 'the clock here is 3 min behind the server'],
  [-3_600_000, 'the clock here is 60 min ahead of the server'],
] as const)
  test(`a 401 beside a clock that differs by ${aheadMs} ms is explained by it`, () => {
    const { failure, message } = failureWith(401, { date: dateIn(aheadMs) });
    assert.equal(failure, 'unauthenticated');
    assert.ok(message.includes(words), message);
    assert.ok(message.endsWith('timedatectl set-ntp true'), message);
  });

for (const headers of [{ date: dateIn(120_000) }, { date: dateIn(-120_000) }, {}])
  test(`a 401 with ${JSON.stringify(headers)} is explained by the credential`, () => {
    const { message } = failureWith(401, headers);
    assert.doesNotMatch(message, /clock/);
    assert.ok(message.endsWith('kubectl create token NAME'), message);
  });

const STATUSES: readonly (readonly [number, PortFailure])[] = [
  [300, 'malformed'],
  [399, 'malformed'],
  [400, 'invalid'],
  [401, 'unauthenticated'],
  [402, 'invalid'],
  [403, 'denied'],
  [404, 'unsupported'],
  [405, 'unsupported'],
  [406, 'unsupported'],
  [408, 'timeout'],
  [409, 'conflict'],
  [410, 'expired'],
  [413, 'invalid'],
  [415, 'unsupported'],
  [422, 'invalid'],
  [429, 'throttled'],
  [499, 'invalid'],
  [500, 'unavailable'],
  [501, 'unsupported'],
  [503, 'unavailable'],
  [504, 'timeout'],
];

for (const [status, failure] of STATUSES)
  test(`HTTP ${status} is ${failure}`, () => {
    assert.equal(failureWith(status, {}).failure, failure);
  });

function statusText(fields: object): string {
  return JSON.stringify({ kind: 'Status', ...fields });
}

test('a refusal is quoted: the message of a Status, else short words, never a document', () => {
  const said = (text: string, status = 500): string => failureWith(status, {}, { text }).message;
  assert.match(
    said(statusText({ message: 'etcd is gone' })),
    /with HTTP 500 \(etcd is gone\); ask/,
  );
  assert.match(said('  busy \n'), /with HTTP 500 \(busy\); ask/);
  assert.match(said('<html>gateway</html>'), /with HTTP 500; ask how it is: kubectl get --raw/);
  assert.match(said(''), /with HTTP 500; ask/);
  const other = JSON.stringify({ kind: 'Pod', message: 'not a Status' });
  assert.ok(said(other).includes('"kind":"Pod"'), said(other));
  for (const odd of ['null', '7', '[]']) assert.ok(said(odd).includes(`(${odd})`), odd);
});

test('each kind of refusal says what to do', () => {
  const said = (status: number): string => failureWith(status, {}).message;
  assert.match(said(410), /read again from the start$/);
  assert.match(said(429), /dump_priority_levels$/);
  assert.match(said(405), /kubectl api-resources$/);
  assert.match(said(400), /kubectl api-resources$/);
  assert.match(said(409), /read the object again$/);
  assert.match(said(503), /readyz\?verbose$/);
});

for (const [what, headers, text] of [
  ['by its type', { 'content-type': 'text/html; charset=utf-8' }, 'Sign in'],
  ['by its beginning', {}, '  <!doctype html><TITLE>Sign in</TITLE>'],
  ['of XHTML', {}, '<html><head><title>Sign in</title>'],
] as const)
  test(`a web page ${what} is no answer of the API server, except of a gateway`, () => {
    for (const status of [200, 302, 401, 403, 404, 499]) {
      const { failure, message } = failureWith(status, headers, { text });
      assert.equal(failure, 'malformed');
      assert.ok(message.includes(`(HTTP ${status})`), message);
      assert.equal(message.includes('titled Sign in'), /title/i.test(text));
      assert.ok(message.endsWith('curl -vk https://api.example:6443/version'), message);
    }
    assert.equal(failureWith(500, headers, { text }).failure, 'unavailable');
  });

test('does not mistake similar text for a page', () => {
  const looks = [
    [{ 'content-type': 'application/text/html' }, ''],
    [{ 'content-type': 'text/htmlx' }, ''],
    [{}, '< 5 nodes'],
    [{ 'content-type': 'text/html' }, statusText({ message: 'no' })],
  ] as const;
  for (const [headers, text] of looks)
    assert.equal(failureWith(403, headers, { text }).failure, 'denied');
});

test('a refusal by RBAC says the rule that lacks', () => {
  const said = (verb: string, resource: string): PortError =>
    failureWith(403, {}, { name: { verb, resource } });
  const pods = said('get', 'pods/log');
  assert.equal(pods.permission, 'get pods/log');
  assert.match(pods.message, /clusterrole rollcall-get --verb=get --resource=pods\/log$/);
  assert.match(said('get', '/version').message, /--verb=get --non-resource-url=\/version$/);
});

test('a policy of admission that answers 422 is what refused', () => {
  const message =
    "nodes \"n1\" is forbidden: ValidatingAdmissionPolicy 'marks' with binding 'b' denied request: no";
  const write = { isJsonPatch: true, isDryRun: false };
  const error = failureWith(422, {}, { text: statusText({ message }), write });
  assert.equal(error.failure, 'denied');
  assert.match(error.message, /see it: kubectl get validatingadmissionpolicy marks -o yaml$/);
});

test('only a 404 that names the object says that it is not there', () => {
  const text = statusText({ message: 'not found', details: { name: 'n1' } });
  const missing = (resource: string): PortError =>
    failureWith(404, {}, { text, name: { verb: 'get', resource } });
  assert.equal(missing('nodes').failure, 'not-found');
  assert.match(missing('nodes/proxy').message, /see what there is: kubectl get nodes -A$/);
  assert.match(
    missing('deployments/scale.apps').message,
    /see what there is: kubectl get deployments\.apps -A$/,
  );
  const unknown = failureWith(404, {}, { text: '404 page not found' });
  assert.match(
    unknown.message,
    /does not know nodes \(HTTP 404 \(404 page not found\)\); see what/,
  );
});

test('reads the wait from the header first, then from the Status', () => {
  const text = statusText({ details: { retryAfterSeconds: 9 } });
  assert.equal(failureWith(429, {}, { text }).retryAfterMs, 9000);
  assert.equal(failureWith(429, { 'retry-after': '3' }, { text }).retryAfterMs, 3000);
  assert.equal(failureWith(429, {}).retryAfterMs, null);
  assert.equal(failureWith(429, { 'retry-after': 'in 7' }).retryAfterMs, null);
  assert.equal(failureWith(429, { 'retry-after': '601' }).retryAfterMs, 600_000);
});

for (const [by, text, command] of [
  [
    'a webhook',
    'admission webhook "vnode.example.com" denied the request: no new nodes on Fridays',
    'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml',
  ],
  [
    'a policy',
    `nodes "ip-10-0-3-7" is forbidden: ValidatingAdmissionPolicy 'own-node.example' with binding 'own-node' denied request: not yours`,
    'kubectl get validatingadmissionpolicy own-node.example -o yaml',
  ],
] as const)
  test(`a refusal by ${by} says who refused, and asks for no role`, () => {
    const failure = failureWith(403, {}, { text: statusText({ message: text }) });
    assert.deepEqual([failure.failure, failure.permission], ['denied', null]);
    assert.ok(failure.message.endsWith(`; see it: ${command}`), failure.message);
  });
