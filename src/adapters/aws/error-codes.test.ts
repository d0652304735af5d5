import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ErrorKind,
  isTrust,
  kindOfCode,
  kindOfForeignStatus,
  kindOfNodeCode,
  kindOfStatus,
} from './error-codes.ts';

/** One code of each service's own words, and what it means. */
const CODES: readonly (readonly [string, ErrorKind | null])[] = [
  ['UnauthorizedOperation', 'denied'],
  ['AccessDeniedException', 'denied'],
  ['ExpiredTokenException', 'expired-credentials'],
  ['RequestTimeTooSkewed', 'clock-skew'],
  ['SignatureDoesNotMatch', 'unauthenticated'],
  ['OptInRequired', 'region-disabled'],
  ['RequestLimitExceeded', 'throttled'],
  ['NoSuchEntity', 'not-found'],
  ['InvalidAction', 'unsupported'],
  ['ServiceUnavailable', 'unavailable'],
  ['RequestTimeout', 'timeout'],
  ['ValidationError', 'invalid'],
  ['ResourceContention', 'conflict'],
  ['InvalidVpcID.NotFound', 'not-found'],
  ['InvalidVpcID.NotFoundYet', 'invalid'],
  ['AddonNotFoundException', 'not-found'],
  ['NotFoundExceptional', null],
  ['VpcId.Malformed', 'invalid'],
  ['VpcId.MalformedTwice', null],
  ['InvalidSubnet', 'invalid'],
  ['Invalidated', null],
  ['NotInvalidVpc', null],
  ['SomethingNew', null],
];

for (const [code, kind] of CODES) {
  test(`the code ${code} means ${kind ?? 'nothing to us'}`, () => {
    assert.equal(kindOfCode(code), kind);
  });
}

test('an answer with an unknown code of AWS is known by its status', () => {
  const kinds = [401, 403, 404, 400, 409, 499, 429, 500, 501, 503, 302].map(kindOfStatus);
  assert.deepEqual(kinds, [
    'unauthenticated',
    'denied',
    'not-found',
    'invalid',
    'invalid',
    'invalid',
    'invalid',
    'unavailable',
    'unsupported',
    'unavailable',
    'malformed',
  ]);
});

test('an answer without a code may be anybody’s, and refuses nothing', () => {
  const kinds = [401, 403, 404, 429, 499, 500, 501, 502].map(kindOfForeignStatus);
  assert.deepEqual(kinds, [
    'malformed',
    'malformed',
    'malformed',
    'throttled',
    'malformed',
    'unavailable',
    'unsupported',
    'unavailable',
  ]);
});

test('errors of sockets, DNS, proxies and TLS do not count as AWS answers', () => {
  for (const code of ['ETIMEDOUT', 'ESOCKETTIMEDOUT'])
    assert.equal(kindOfNodeCode(code), 'timeout');
  const unreachable = [
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EPIPE',
    'EPROTO',
    'ENETUNREACH',
    'ERR_PROXY_TUNNEL',
    'ERR_TLS_HANDSHAKE_TIMEOUT',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'HPE_INVALID_CONSTANT',
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ];
  for (const code of unreachable) assert.equal(kindOfNodeCode(code), 'unreachable', code);
  for (const code of ['', 'ENOENT', 'MY_ECONNRESET', 'EPIPES', 'AN_ERR_TLS', 'EACCES'])
    assert.equal(kindOfNodeCode(code), null, code);
});

test('only trouble with certificates is a lack of trust', () => {
  const trust = [
    'CERT_HAS_EXPIRED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ];
  assert.ok(trust.every(isTrust));
  assert.ok(!['ECONNREFUSED', 'UNABLE_TO_READ', 'EPROTO'].some(isTrust));
});
