import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import type { KubeCommand, KubeCommandResult, KubeEnvironment } from './environment.ts';
import { execCredential } from './exec-credential.ts';
import type { ExecSource, KubeTarget } from './target.ts';

const EXEC: ExecSource = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'aws',
  args: ['eks', 'get-token', '--cluster-name', 'web'],
  env: { AWS_PROFILE: 'prod' },
  installHint: null,
  interactiveMode: 'IfAvailable',
  provideClusterInfo: false,
};
const TARGET: KubeTarget = {
  contextName: 'dev',
  clusterEntry: 'dev',
  userEntry: 'dev',
  origin: '/home/ubuntu/.kube/config',
  server: 'https://api.example',
  namespace: 'default',
  tls: { authorityPem: null, client: null, serverName: null, isUnverified: false },
  proxyUrl: null,
  credential: { kind: 'exec', exec: EXEC },
  impersonation: null,
};

type Result = Partial<KubeCommandResult>;

interface Ran {
  readonly commands: readonly KubeCommand[];
  readonly result: unknown;
}

interface Setting {
  readonly exec?: Partial<ExecSource>;
  readonly target?: Partial<KubeTarget>;
  readonly isInteractive?: boolean;
}

/** Asks for a credential; the result is what was thrown where something was. */
async function ask(result: Result | Error, setting: Setting = {}): Promise<Ran> {
  const commands: KubeCommand[] = [];
  const environment: KubeEnvironment = {
    env: {},
    home: '/home/ubuntu',
    ...(setting.isInteractive === undefined ? {} : { isInteractive: setting.isInteractive }),
    readFile: async () => assert.fail('no file is read'),
    run: async (command) => {
      commands.push(command);
      if (result instanceof Error) throw result;
      const whole = { exitCode: 0, stdout: '', stderr: '', isTimedOut: false, isCut: false };
      return { ...whole, ...result };
    },
  };
  const target = { ...TARGET, ...setting.target };
  const exec = { ...EXEC, ...setting.exec };
  const asked = execCredential(environment, target, exec, 15_000);
  return { commands, result: await asked.catch((error: unknown) => error) };
}

function credential(status: object, change: object = {}): Result {
  const { apiVersion } = EXEC;
  return { stdout: JSON.stringify({ kind: 'ExecCredential', apiVersion, status, ...change }) };
}

async function refusalOf(result: Result | Error, setting: Setting = {}): Promise<PortError> {
  const { result: error } = await ask(result, setting);
  if (error instanceof PortError) return error;
  throw new Error('it was no refusal', { cause: error });
}

test('accepts a token with its expiry or without', async () => {
  const expirationTimestamp = '2026-03-02T09:14:00Z';
  const both = await ask(credential({ token: 'abc', expirationTimestamp }));
  const expiresAtMs = Date.parse(expirationTimestamp);
  assert.deepEqual(both.result, { token: 'abc', client: null, expiresAtMs });
  const alone = await ask(credential({ token: 'abc', expirationTimestamp: '' }));
  assert.deepEqual(alone.result, { token: 'abc', client: null, expiresAtMs: null });
});

test('passes the request to the program, and the cluster only if it asks for it', async () => {
  const told = async (setting: Setting): Promise<unknown> => {
    const { commands } = await ask(credential({ token: 'abc' }), setting);
    const [{ argv, env } = assert.fail('nothing ran')] = commands;
    assert.deepEqual(argv, ['aws', 'eks', 'get-token', '--cluster-name', 'web']);
    assert.equal(env['AWS_PROFILE'], 'prod');
    return (JSON.parse(env['KUBERNETES_EXEC_INFO'] ?? '') as { readonly spec: unknown }).spec;
  };
  assert.deepEqual(await told({}), { interactive: false });
  const exec = { provideClusterInfo: true };
  const server = 'https://api.example';
  assert.deepEqual(await told({ exec }), { interactive: false, cluster: { server } });
  const tls = { authorityPem: 'PEM', client: null, serverName: 'name', isUnverified: true };
  assert.deepEqual(await told({ exec, target: { tls, proxyUrl: 'http://proxy:1' } }), {
    interactive: false,
    cluster: {
      server,
      'tls-server-name': 'name',
      'insecure-skip-tls-verify': true,
      'certificate-authority-data': Buffer.from('PEM').toString('base64'),
      'proxy-url': 'http://proxy:1',
    },
  });
});

for (const [mode, isInteractive, isAllowed] of [
  ['Never', true, false],
  ['IfAvailable', true, true],
  ['Always', true, true],
  ['Never', false, false],
  ['IfAvailable', false, false],
] as const)
  test(`a program of mode ${mode} ${isInteractive ? 'at' : 'without'} a terminal`, async () => {
    const setting = { exec: { interactiveMode: mode }, isInteractive };
    const { commands } = await ask(credential({ token: 'abc' }), setting);
    assert.deepEqual(
      commands.map((command) => command.isInteractive),
      [isAllowed],
    );
  });

test('a program that always wants a terminal is not started without one', async () => {
  for (const setting of [{}, { isInteractive: false }]) {
    const whole = { ...setting, exec: { interactiveMode: 'Always' as const } };
    const { commands, result } = await ask(credential({ token: 'abc' }), whole);
    assert.equal(commands.length, 0);
    assert.ok(result instanceof PortError && result.failure === 'not-configured');
    assert.match(result.message, /run it once manually: AWS_PROFILE=prod aws eks get-token/);
  }
});

test('treats any other error of a program as a bug', async () => {
  const bug = new TypeError('x is not a function');
  assert.equal((await ask(bug)).result, bug);
});

test('a program that does not start says why, and its hint only when it has one', async () => {
  const missing = Object.assign(new Error('spawn aws'), { code: 'ENOENT' });
  const { message } = await refusalOf(missing);
  assert.match(message, /^The credential command aws is not installed; see .*: command -v aws$/);
  const hinted = await refusalOf(missing, { exec: { installHint: 'get it' } });
  assert.match(hinted.message, /is not installed \(its hint: get it\);/);
  const refused = Object.assign(new Error('spawn aws EACCES'), { code: 'EACCES' });
  assert.match((await refusalOf(refused)).message, /does not start \(spawn aws EACCES\);/);
});

test('shows the last two lines of what a program prints on failure', async () => {
  const told = async (stderr: string, exitCode: number | null = 1): Promise<string> =>
    (await refusalOf({ exitCode, stderr })).message;
  assert.match(
    await told('one\ntwo\nthree\n'),
    /ended with 1 and said: two three; run it manually: AWS_P/,
  );
  assert.match(await told('  \n'), /said: nothing;/);
  assert.match(await told('', null), /ended with a signal and said: nothing/);
});

test('a login by SSO that is over is made again, no other complaint is one', async () => {
  const told = async (stderr: string, env: ExecSource['env'] = EXEC.env): Promise<string> =>
    (await refusalOf({ exitCode: 255, stderr }, { exec: { env } })).message;
  for (const words of ['has expired', 'does not exist', 'is invalid', 'cannot refresh'])
    assert.match(await told(`The SSO session ${words}`), /; log in: aws sso login --profile prod$/);
  assert.match(
    await told('Error loading sso Token: Token does not exist', {}),
    /log in: aws sso login$/,
  );
  for (const words of ['The SSO session is odd', 'The token has expired', 'The ISSOR has expired'])
    assert.match(await told(words), /; run it manually: /);
});

test('names a malformed ExecCredential without quoting it', async () => {
  const printed = async (stdout: string): Promise<string> => (await refusalOf({ stdout })).message;
  for (const text of ['', 'hunter2', '"hunter2"', '[]', 'null'])
    assert.match(await printed(text), /printed output that is not JSON instead/);
  assert.match(
    await printed('{"token":"hunter2"}'),
    /printed a JSON object without a kind instead/,
  );
  const versionless = await refusalOf(credential({ token: 'x' }, { apiVersion: undefined }));
  assert.match(
    versionless.message,
    /an ExecCredential of no version where the kubeconfig asks for/,
  );
  const empty = await refusalOf(credential({ token: '' }));
  assert.match(empty.message, /without a token or certificate/);
});

test('half a client certificate is refused with whose it is', async () => {
  for (const status of [{ clientCertificateData: 'PEM' }, { clientKeyData: 'PEM' }]) {
    const { failure, message } = await refusalOf(credential({ token: 'abc', ...status }));
    assert.equal(failure, 'not-configured');
    assert.match(message, /The certificate printed by aws eks get-token/);
  }
});
