import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CredentialProvider, Credentials, SdkClient } from './clients.ts';
import { CredentialError, type SharedCredentials, shareCredentials } from './credentials.ts';
import type { CredentialSource, Environment, Profile } from './profile.ts';
import { type TestClock, testClock } from './testing.ts';

const KEYS: Credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret' };

function profileFrom(source: CredentialSource, chosen = false, found = true): Profile {
  const files = { configPath: '/config', credentialsPath: '/credentials' };
  return { name: 'dev', chosen, found, region: null, source, caBundle: null, ...files };
}

interface Setting {
  readonly profile?: Profile;
  readonly environment?: Environment;
  readonly clock?: TestClock;
}

function shared({ profile, environment, clock }: Setting = {}): SharedCredentials {
  return shareCredentials({
    profile: profile ?? profileFrom('keys'),
    environment: environment ?? {},
    clock: clock ?? testClock(),
    timeoutMs: 60_000,
  });
}

/** A client of the SDK whose chain answers so; remembers with which options it was made. */
function clientOf(answer: CredentialProvider, options: Record<string, unknown>[] = []): SdkClient {
  const credentialDefaultProvider = (given: Record<string, unknown>): CredentialProvider => {
    options.push(given);
    return answer;
  };
  return { config: { credentialDefaultProvider } } as unknown as SdkClient;
}

async function failureWith(error: unknown, setting: Setting = {}): Promise<unknown> {
  const client = clientOf(async () => {
    throw error;
  });
  return shared(setting)
    .providerFor(() => client)()
    .then(
      () => assert.fail('there were credentials'),
      (thrown: unknown) => (thrown instanceof CredentialError ? thrown.failure : thrown),
    );
}

test('uses complete keys from the environment without a chain', async () => {
  const keysFrom = async (environment: Environment): Promise<Credentials> =>
    shared({ profile: profileFrom('environment'), environment }).providerFor(() =>
      assert.fail('the chain was asked'),
    )();
  const both = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' };
  assert.deepEqual(await keysFrom(both), KEYS);
  assert.deepEqual(await keysFrom({ ...both, AWS_SESSION_TOKEN: '' }), KEYS);
  assert.deepEqual(await keysFrom({ ...both, AWS_SESSION_TOKEN: 'session' }), {
    ...KEYS,
    sessionToken: 'session',
  });
});

test('the first client’s chain serves all, with the profile only when it was chosen', async () => {
  for (const chosen of [true, false]) {
    const options: Record<string, unknown>[] = [];
    const credentials = shared({ profile: profileFrom('none', chosen) });
    const client = clientOf(async () => KEYS, options);
    assert.equal(await credentials.providerFor(() => client)(), KEYS);
    assert.equal(await credentials.providerFor(() => clientOf(() => assert.fail('asked')))(), KEYS);
    assert.deepEqual(
      options.map((one) => [one['profile'], one['configFilepath'], one['filepath']]),
      [[chosen ? 'dev' : undefined, '/config', '/credentials']],
    );
  }
});

test('after a failure the chain is asked again once its time is over', async () => {
  const clock = testClock();
  let asked = 0;
  const client = clientOf(async () => {
    asked += 1;
    throw new Error('not yet');
  });
  const provider = shared({ clock }).providerFor(() => client);
  for (const waitMs of [0, 20_000, 9_999]) {
    await clock.sleep(waitMs);
    await assert.rejects(provider(), /not yet/);
  }
  assert.equal(asked, 1);
  await clock.sleep(1);
  await assert.rejects(provider(), /not yet/);
  assert.equal(asked, 2);
});

function chainError(message: string): Error {
  return Object.assign(new Error(message), { name: 'CredentialsProviderError' });
}

test('what the chain says by words alone has a name, all else stays as it came', async () => {
  assert.equal(await failureWith(chainError('Could not load credentials')), 'none');
  assert.equal(
    await failureWith(chainError('requires multi-factor authentication')),
    'code-wanted',
  );
  const files: readonly Error[] = [
    new TypeError('undefined is no section'),
    ...['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR'].map((code) =>
      Object.assign(new Error(), { code }),
    ),
  ];
  for (const error of files) assert.equal(await failureWith(error), 'none');
  const others: readonly unknown[] = [
    chainError('The SSO session has expired'),
    Object.assign(new Error('multi-factor'), { name: 'AccessDenied' }),
    Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
    Object.assign(new Error('odd'), { code: 'ENOENTS' }),
    Object.assign(new Error('odd'), { code: 'AENOENT' }),
    'a text',
  ];
  for (const error of others) assert.equal(await failureWith(error), error);
});

test('signs only with the chosen profile', async () => {
  const from = async (profile: Profile, ...links: readonly string[]): Promise<unknown> => {
    const $source = Object.fromEntries(links.map((link) => [link, 'x']));
    const client = clientOf(async () => ({ ...KEYS, $source }));
    return shared({ profile })
      .providerFor(() => client)()
      .then(
        ({ accessKeyId }) => accessKeyId,
        (error: unknown) => (error instanceof CredentialError ? error.failure : error),
      );
  };
  const chosen = profileFrom('process', true);
  for (const link of ['CREDENTIALS_PROFILE', 'CREDENTIALS_PROCESS', 'CREDENTIALS_SSO_LEGACY'])
    assert.equal(await from(chosen, link), 'AKID');
  assert.equal(await from(chosen, 'CREDENTIALS_IMDS'), 'other-identity');
  assert.equal(await from(chosen, 'OTHER_CREDENTIALS_PROFILE'), 'other-identity');
  assert.equal(await from(chosen), 'other-identity');
  assert.equal(await from(chosen, 'CREDENTIALS_IMDS', 'CREDENTIALS_PROFILE'), 'AKID');
  assert.equal(await from(profileFrom('none', true), 'CREDENTIALS_IMDS'), 'AKID');
  assert.equal(await from(profileFrom('process', false), 'CREDENTIALS_IMDS'), 'AKID');
});

test('a chosen profile that is in no file is named before the chain is asked', async () => {
  const failureOf = (profile: Profile): Promise<unknown> =>
    failureWith(chainError('nothing'), { profile });
  assert.equal(await failureOf(profileFrom('none', true, false)), 'no-such-profile');
  assert.equal(await failureOf(profileFrom('none', true)), 'none');
  assert.equal(await failureOf(profileFrom('none', false, false)), 'none');
});

test('gives up on a chain that does not answer in time', async () => {
  const clock = testClock();
  const client = clientOf(() => new Promise<Credentials>(() => {}));
  const waiting = shared({ clock }).providerFor(() => client)();
  clock.expire(60_000);
  await assert.rejects(waiting, { failure: 'late' });
});
