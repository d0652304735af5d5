import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PortFailure } from '../../ports/port-error.ts';
import { codeOf, portErrorOf, timeoutOf } from './failure.ts';

const CODES: readonly (readonly [string, PortFailure, string])[] = [
  ['EACCES', 'denied', '/etc/x may not be used by this user.'],
  ['EPERM', 'denied', '/etc/x may not be used by this user.'],
  ['ENOENT', 'not-found', '/etc/x is not there.'],
  ['ENOTDIR', 'not-found', '/etc/x is not there.'],
  ['ENOTFOUND', 'not-found', '/etc/x is a name that the resolver does not know.'],
  ['EAI_AGAIN', 'unreachable', '/etc/x could not be looked up, because no resolver answered.'],
  ['ECONNREFUSED', 'unreachable', '/etc/x refused the connection.'],
  ['ECONNRESET', 'unreachable', '/etc/x closed the connection before it answered.'],
  ['EPIPE', 'unreachable', '/etc/x closed the connection before it answered.'],
  ['EHOSTUNREACH', 'unreachable', '/etc/x cannot be reached: no route to host.'],
  ['ENETUNREACH', 'unreachable', '/etc/x cannot be reached: network is unreachable.'],
  ['ETIMEDOUT', 'timeout', '/etc/x did not answer in time.'],
  ['HPE_INVALID_CONSTANT', 'malformed', '/etc/x answered something that is not HTTP.'],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'unreachable',
    '/etc/x ended the TLS handshake (ERR_SSL_WRONG_VERSION_NUMBER).',
  ],
  ['EPROTO', 'unreachable', '/etc/x ended the TLS handshake (EPROTO).'],
  ['EMFILE', 'unavailable', '/etc/x cannot be used (EMFILE).'],
  ['MY_HPE_', 'unavailable', '/etc/x cannot be used (MY_HPE_).'],
  ['', 'unavailable', '/etc/x cannot be used (no reason given).'],
];

for (const [code, failure, message] of CODES) {
  test(`${code || 'no code'} is ${failure}`, () => {
    const error = Object.assign(new Error('said the system'), code === '' ? {} : { code });
    const named = portErrorOf('/etc/x', error);
    assert.equal(named.failure, failure);
    assert.equal(named.message, message);
    assert.equal(named.permission, failure === 'denied' ? '/etc/x' : null);
    assert.equal(named.cause, error);
  });
}

test('only errors have codes', () => {
  assert.equal(codeOf(Object.assign(new Error(), { code: 'EPIPE' })), 'EPIPE');
  for (const other of [{ code: 'EPIPE' }, 'EPIPE', null, new Error()])
    assert.equal(codeOf(other), '');
});

test('reports a timeout in seconds', () => {
  const { failure, message } = timeoutOf('a.b:443', 1500);
  assert.equal(failure, 'timeout');
  assert.equal(message, 'a.b:443 did not answer within 1.5 s.');
});
