import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiUser } from '../../sim/kube/contract.ts';
import { tokenHolder, userOf } from './entrance.ts';
import type { AccessQuestion, DoorApi, Site } from './site.ts';
import { DoorRefusal } from './status.ts';
import {
  ADMINS_TOKEN,
  type Asked,
  exchange,
  JANES_TOKEN,
  openSite,
  withoutAuthorizer,
} from './testing.ts';

const { site } = openSite();
const EVERYBODY = 'system:authenticated';

function entering(asked: Asked, at: Site = site): ApiUser {
  return userOf(at, exchange('/api', asked).request);
}

function refusal(asked: Asked, at: Site = site): readonly [number, string] {
  try {
    entering(asked, at);
  } catch (error) {
    if (error instanceof DoorRefusal) return [error.code, error.message];
  }
  return [0, ''];
}

const UNAUTHORIZED = [401, 'Unauthorized'];

function withHeader(value: string): Asked {
  return { token: null, headers: [['authorization', value]] };
}

describe('a token', () => {
  test('is its holder, who is authenticated', () => {
    assert.deepEqual(entering({ token: JANES_TOKEN }), {
      name: 'jane',
      groups: ['readers', EVERYBODY],
    });
    const tokens = new Map([['t', { name: 'joe', groups: [EVERYBODY] }]]);
    assert.deepEqual(entering({ token: 't' }, { ...site, tokens }).groups, [EVERYBODY]);
  });

  test('comes after the word Bearer, however it is written', () => {
    for (const value of [`bearer ${JANES_TOKEN}`, ` BEARER   ${JANES_TOKEN} `])
      assert.equal(entering(withHeader(value)).name, 'jane');
    for (const value of [`Basic ${JANES_TOKEN}`, JANES_TOKEN, 'Bearer', 'Bearer ', ''])
      assert.deepEqual(refusal(withHeader(value)), UNAUTHORIZED, value);
  });

  test('that nobody holds is refused, as is an empty one', () => {
    for (const token of [null, 'none', `${JANES_TOKEN}x`, JANES_TOKEN.slice(0, -1)])
      assert.deepEqual(refusal({ token }), UNAUTHORIZED);
    assert.equal(tokenHolder(site, 'none'), null);
  });

  test('longer than 16 KiB is looked up nowhere', () => {
    const asked: (number | undefined)[] = [];
    const authenticate: DoorApi['authenticate'] = ({ bearerToken, certificate }) => {
      assert.equal(certificate, null);
      asked.push(bearerToken?.length);
      return null;
    };
    const spied = { ...site, api: { ...site.api, authenticate } };
    for (const chars of [16_384, 16_385])
      assert.deepEqual(refusal({ token: 'x'.repeat(chars) }, spied), UNAUTHORIZED);
    assert.deepEqual(asked, [16_384]);
  });
});

describe('a certificate', () => {
  test('gives its user and groups', () => {
    const certificate = { commonName: 'joe', organizations: ['a', 'b'] };
    assert.deepEqual(entering({ token: null, certificate }), {
      name: 'joe',
      groups: ['a', 'b', EVERYBODY],
    });
    const one = { commonName: ['joe', 'more'], organizations: 'a' };
    assert.deepEqual(entering({ token: null, certificate: one }).groups, ['a', EVERYBODY]);
    const none = { commonName: 'joe' };
    assert.deepEqual(entering({ token: null, certificate: none }).groups, [EVERYBODY]);
  });

  test('goes before a token', () => {
    const certificate = { commonName: 'joe' };
    assert.equal(entering({ token: JANES_TOKEN, certificate }).name, 'joe');
  });

  test('of another authority, or without a name, counts as none', () => {
    const foreign = { commonName: 'joe', isAuthorized: false };
    const unnamed = { commonName: '' };
    for (const certificate of [foreign, unnamed]) {
      assert.deepEqual(refusal({ token: null, certificate }), UNAUTHORIZED);
      assert.equal(entering({ token: JANES_TOKEN, certificate }).name, 'jane');
    }
  });
});

describe('one user speaks for another', () => {
  const impersonate = (
    token: string,
    user: string | null,
    ...groups: readonly string[]
  ): Asked => ({
    token,
    headers: [
      ...(user === null ? [] : [['impersonate-user', user] as const]),
      ...groups.map((group) => ['impersonate-group', group] as const),
    ],
  });

  test('with its groups alone', () => {
    assert.deepEqual(entering(impersonate(ADMINS_TOKEN, 'joe', 'a', 'b')), {
      name: 'joe',
      groups: ['a', 'b', EVERYBODY],
    });
    assert.deepEqual(entering(impersonate(ADMINS_TOKEN, 'joe')).groups, [EVERYBODY]);
  });

  test('only with the right to it', () => {
    assert.deepEqual(refusal(impersonate(JANES_TOKEN, 'joe')), [
      403,
      'users "joe" is forbidden: User "jane" cannot impersonate resource "users" in API group ' +
        '"" at the cluster scope',
    ]);
  });

  test('only with the right to each of the groups', () => {
    const asked: AccessQuestion[] = [];
    const authorize: DoorApi['authorize'] = (_user, question) => {
      asked.push(question);
      return { isAllowed: !('name' in question) || question.name !== 'b', reason: '' };
    };
    const spied = { ...site, api: { ...site.api, authorize } };
    const [code, message] = refusal(impersonate(JANES_TOKEN, 'joe', 'a', 'b', 'c'), spied);
    assert.equal(code, 403);
    assert.match(message, /^groups "b" is forbidden/);
    const question = (resource: string, name: string): AccessQuestion => ({
      verb: 'impersonate',
      group: '',
      version: 'v1',
      resource,
      subresource: '',
      namespace: '',
      name,
    });
    assert.deepEqual(asked, [
      question('users', 'joe'),
      question('groups', 'a'),
      question('groups', 'b'),
    ]);
  });

  test('as an administrator where nobody authorizes', () => {
    const open = withoutAuthorizer(site);
    assert.equal(entering(impersonate(ADMINS_TOKEN, 'joe'), open).name, 'joe');
    assert.equal(refusal(impersonate(JANES_TOKEN, 'joe'), open)[0], 403);
  });

  test('never by groups without a user', () => {
    const message = 'groups cannot be impersonated without a user';
    assert.deepEqual(refusal(impersonate(ADMINS_TOKEN, null, 'a')), [403, message]);
  });
});
