/** How the client proves who it is, and what it says when that is not accepted. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type KubeClient, kubeClient } from '../../src/adapters/kubernetes/client.ts';
import { systemKubeEnvironment } from '../../src/adapters/kubernetes/system-environment.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { CredentialSource, ExecSource } from '../../src/adapters/kubernetes/target.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { type VirtualClock, virtualClock } from './fake/clock.ts';
import { authority } from './fake/kube-certificates.ts';
import { type FakeEnvironment, fakeEnvironment, systemError } from './fake/kube-environment.ts';
import {
  type FakeKubeServer,
  fakeKubeServer,
  json,
  type Reply,
  refusal,
  type Seen,
} from './fake/kube-server.ts';

const EXEC: ExecSource = {
  apiVersion: 'client.authentication.k8s.io/v1beta1',
  command: 'aws',
  args: ['eks', 'get-token', '--cluster-name', 'web'],
  env: { AWS_PROFILE: 'prod' },
  installHint: null,
  interactiveMode: 'IfAvailable',
  provideClusterInfo: false,
};

interface Scene {
  readonly client: KubeClient;
  readonly server: FakeKubeServer;
  readonly clock: VirtualClock;
}

const VERSION = json({ gitVersion: 'v1.36.3' });

async function scene(
  context: TestContext,
  credential: CredentialSource,
  environment: FakeEnvironment,
  answer: (seen: Seen) => Reply = () => VERSION,
): Promise<Scene> {
  const server = await fakeKubeServer(context, { answer });
  const clock = virtualClock(Date.now());
  const client = kubeClient(server.target({ credential }), { environment, clock });
  context.after(() => client.close());
  return { client, server, clock };
}

function printed(token: string, more: object = {}): { readonly stdout: string } {
  const kind = 'ExecCredential';
  return {
    stdout: JSON.stringify({ kind, apiVersion: EXEC.apiVersion, status: { token, ...more } }),
  };
}

function sent({ server }: Scene): readonly unknown[] {
  return server.seen.map(({ headers }) => headers.authorization);
}

async function failureOf(client: KubeClient): Promise<PortError> {
  const error: unknown = await client.version().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof PortError, String(error));
  assert.doesNotMatch(error.message, /hunter2|\n/);
  return error;
}

test('an exec credential is asked for once and held until it expires', async (context) => {
  const expirationTimestamp = new Date(Date.now() + 600_000).toISOString();
  const environment = fakeEnvironment((_, round) =>
    printed(`hunter2-${round}`, { expirationTimestamp }),
  );
  const one = await scene(context, { kind: 'exec', exec: EXEC }, environment);
  await Promise.all([one.client.version(), one.client.version()]);
  await one.clock.advance(300_000);
  await one.client.version();
  assert.equal(environment.commands.length, 1);
  await one.clock.advance(300_000);
  await one.client.version();
  assert.equal(environment.commands.length, 2);
  assert.equal(sent(one).at(-1), 'Bearer hunter2-2');
  const [command] = environment.commands;
  assert.deepEqual(command?.argv, ['aws', 'eks', 'get-token', '--cluster-name', 'web']);
  assert.equal(command.env['AWS_PROFILE'], 'prod');
  const request = JSON.parse(command.env['KUBERNETES_EXEC_INFO'] ?? '') as object;
  assert.deepEqual(request, {
    kind: 'ExecCredential',
    apiVersion: EXEC.apiVersion,
    spec: { interactive: false },
  });
});

test('provideClusterInfo tells the program of the cluster', async (context) => {
  const environment = fakeEnvironment(() => printed('t'));
  const exec = { ...EXEC, provideClusterInfo: true };
  const { client, server } = await scene(context, { kind: 'exec', exec }, environment);
  await client.version();
  const request = environment.commands[0]?.env['KUBERNETES_EXEC_INFO'] ?? '';
  assert.deepEqual(JSON.parse(request).spec.cluster, { server: server.url });
});

test('a 401 has the exec credential made again once, and then says whose it is', async (context) => {
  const environment = fakeEnvironment((_, round) => printed(`hunter2-${round}`));
  const answer = ({ headers }: Seen): Reply =>
    headers.authorization === 'Bearer hunter2-2' ? VERSION : refusal(401, 'Unauthorized', 'no');
  const one = await scene(context, { kind: 'exec', exec: EXEC }, environment, answer);
  assert.equal(await one.client.version(), 'v1.36.3');
  const two = await scene(context, { kind: 'exec', exec: EXEC }, environment, answer);
  const error = await failureOf(two.client);
  assert.equal(error.failure, 'unauthenticated');
  assert.match(error.message, /aws eks get-token --cluster-name web prints; .*get-caller-identity/);
  assert.equal(two.server.seen.length, 2);
});

type Run = Parameters<typeof fakeEnvironment>[0];

const EXEC_FAULTS: readonly (readonly [string, Run, PortError['failure'], RegExp])[] = [
  [
    'is not installed',
    () => systemError('ENOENT'),
    'not-configured',
    /aws is not installed \(its hint: get it there\); .*command -v aws/,
  ],
  ['may not run', () => systemError('EACCES'), 'not-configured', /aws does not start/],
  [
    'hangs',
    () => ({ isTimedOut: true, exitCode: null }),
    'timeout',
    /aws eks get-token --cluster-name web printed no complete answer within 15 s.*AWS_PROFILE=prod aws/,
  ],
  [
    'refuses',
    () => ({ exitCode: 255, stderr: '\nUnable to locate credentials\n' }),
    'unauthenticated',
    /ended with 255 and said: Unable to locate credentials; /,
  ],
  ['prints garbage', () => ({ stdout: 'token: hunter2' }), 'malformed', /output that is not JSON/],
  ['prints another kind', () => ({ stdout: '{"kind":"Pod"}' }), 'malformed', /a JSON Pod/],
  [
    'prints another version',
    () => ({ stdout: '{"kind":"ExecCredential","apiVersion":"x/v9"}' }),
    'malformed',
    /of x\/v9 where the kubeconfig asks for/,
  ],
  ['prints no token', () => printed(''), 'malformed', /without a token or certificate/],
  [
    'prints too much',
    () => ({ ...printed('hunter2'), isCut: true }),
    'malformed',
    /more than 1 MiB/,
  ],
  [
    'prints a time that is none',
    () => printed('hunter2', { expirationTimestamp: 'soon' }),
    'malformed',
    /not a time/,
  ],
];

for (const [what, run, failure, message] of EXEC_FAULTS)
  test(`a credential command that ${what}`, async (context) => {
    const exec = { ...EXEC, installHint: 'get it there' };
    const { client } = await scene(context, { kind: 'exec', exec }, fakeEnvironment(run));
    const error = await failureOf(client);
    assert.equal(error.failure, failure);
    assert.match(error.message, message);
  });

test('rejects a credential command that needs a terminal', async (context) => {
  const exec = { ...EXEC, interactiveMode: 'Always' as const };
  const { client } = await scene(context, { kind: 'exec', exec }, fakeEnvironment());
  assert.match((await failureOf(client)).message, /needs a terminal/);
});

test('a credential command that really hangs is ended with what it started', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => VERSION });
  const exec = { ...EXEC, command: 'sh', args: ['-c', 'sleep 600 | cat'], env: {} };
  const client = kubeClient(server.target({ credential: { kind: 'exec', exec } }), {
    environment: { ...systemKubeEnvironment(systemClock), isInteractive: false },
    clock: virtualClock(),
    limits: { execTimeoutMs: 200 },
  });
  context.after(() => client.close());
  assert.equal((await failureOf(client)).failure, 'timeout');
});

test('an exec credential may be a client certificate', async (context) => {
  const root = authority();
  const tls = {
    ...root.issue({ commonName: 'api', addresses: ['127.0.0.1'] }),
    authorityPem: root.certificatePem,
  };
  const own = root.issue({ commonName: 'me' });
  const server = await fakeKubeServer(context, { tls, answer: () => VERSION });
  const environment = fakeEnvironment(() =>
    printed('', { clientCertificateData: own.certificatePem, clientKeyData: own.keyPem }),
  );
  const target = server.target({
    tls: {
      authorityPem: root.certificatePem,
      client: null,
      serverName: null,
      isUnverified: false,
    },
    credential: { kind: 'exec', exec: EXEC },
  });
  const client = kubeClient(target, { environment, clock: virtualClock(Date.now()) });
  context.after(() => client.close());
  assert.equal(await client.version(), 'v1.36.3');
});

test('a token file is read again after a minute, and at once after a 401', async (context) => {
  const environment = fakeEnvironment();
  environment.files.set('/token', 'one\n');
  const answer = ({ headers }: Seen): Reply =>
    headers.authorization === 'Bearer stale' ? refusal(401, 'Unauthorized', 'no') : VERSION;
  const one = await scene(context, { kind: 'token-file', path: '/token' }, environment, answer);
  await one.client.version();
  environment.files.set('/token', 'stale');
  await one.clock.advance(59_000);
  await one.client.version();
  assert.deepEqual(sent(one), ['Bearer one', 'Bearer one']);
  await one.clock.advance(1_000);
  const error = await failureOf(one.client);
  assert.match(error.message, /the token in \/token; .*ls -l \/token/);
  environment.files.set('/token', 'two');
  await one.client.version();
  assert.equal(sent(one).at(-1), 'Bearer two');
});

const FILES: readonly (readonly [string, string | null, RegExp])[] = [
  ['is missing', null, /The token file \/token does not exist/],
  ['is empty', ' \n', /holds no token/],
  ['has two lines', 'hunter2\nhunter2', /holds no token/],
];

for (const [what, text, message] of FILES)
  test(`a token file that ${what}`, async (context) => {
    const environment = fakeEnvironment();
    if (text !== null) environment.files.set('/token', text);
    const { client } = await scene(context, { kind: 'token-file', path: '/token' }, environment);
    assert.match((await failureOf(client)).message, message);
  });

const DENIED = (): Reply => refusal(401, 'Unauthorized', 'Unauthorized');

test('an expired JWT says when it expired', async (context) => {
  const claims = Buffer.from('{"exp":1700000000}').toString('base64url');
  const credential = { kind: 'token', token: `aaa.${claims}.hunter2` } as const;
  const { client } = await scene(context, credential, fakeEnvironment(), DENIED);
  const { message } = await failureOf(client);
  assert.match(
    message,
    /token of user test-user .*expired at 2023-11-14T22:13:20.000Z; .*--token=/,
  );
});

test('a password is refused by every maintained server, which the message says', async (context) => {
  const credential = { kind: 'basic', username: 'me', password: 'hunter2' } as const;
  const one = await scene(context, credential, fakeEnvironment(), DENIED);
  assert.match((await failureOf(one.client)).message, /since 1\.19 do not take/);
  assert.match(String(sent(one)[0]), /^Basic /);
});

test('a clock that is off is named with a 401', async (context) => {
  const date = new Date(Date.now() + 1_200_000).toUTCString();
  const answer = (): Reply => ({ ...DENIED(), headers: { date } });
  const credential = { kind: 'token', token: 'x' } as const;
  const { client } = await scene(context, credential, fakeEnvironment(), answer);
  const { message } = await failureOf(client);
  assert.match(message, /clock here is 20 min behind the server's; .*timedatectl set-ntp true$/);
});

test('impersonation travels in headers', async (context) => {
  const server = await fakeKubeServer(context, { answer: () => VERSION });
  const impersonation = {
    user: 'bob',
    uid: '7',
    groups: ['g1', 'g2'],
    extra: { 'a.b/Scopes': ['x'] },
  };
  const options = { environment: fakeEnvironment(), clock: virtualClock() };
  const client = kubeClient(server.target({ impersonation }), options);
  context.after(() => client.close());
  await client.version();
  const headers = server.seen[0]?.headers ?? {};
  assert.equal(headers['impersonate-user'], 'bob');
  assert.equal(headers['impersonate-uid'], '7');
  assert.equal(headers['impersonate-group'], 'g1, g2');
  assert.equal(headers['impersonate-extra-a.b%2fscopes'], 'x');
});
