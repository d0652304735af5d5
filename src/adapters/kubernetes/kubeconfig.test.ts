import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import { clusterNameOf, describeContext } from './describe-context.ts';
import type { KubeCommand, KubeCommandResult, KubeEnvironment } from './environment.ts';
import { loadKubeTarget } from './kubeconfig.ts';
import { proxyFor } from './proxy.ts';

type Files = Readonly<Record<string, string | Error>>;

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: said the system`), { code });
}

function environment(files: Files, env: Readonly<Record<string, string>> = {}): KubeEnvironment {
  return {
    env,
    home: '/home/ubuntu',
    readFile: async (path) => {
      const found = files[path] ?? systemError('ENOENT');
      if (found instanceof Error) throw found;
      return new TextEncoder().encode(found);
    },
    run: (command: KubeCommand): Promise<KubeCommandResult> =>
      Promise.reject(new Error(`nothing may run here: ${command.argv.join(' ')}`)),
  };
}

const HOME = '/home/ubuntu/.kube/config';

/** A kubeconfig with one context `one`, as JSON, which is YAML too. */
function kubeconfig(user: object = {}, cluster: object = {}, more: object = {}): string {
  return JSON.stringify({
    'current-context': 'one',
    contexts: [{ name: 'one', context: { cluster: 'c1', user: 'u1', namespace: 'team' } }],
    clusters: [{ name: 'c1', cluster: { server: 'https://one.test:6443/', ...cluster } }],
    users: [{ name: 'u1', user }],
    ...more,
  });
}

async function refused(
  files: Files,
  flags: Parameters<typeof loadKubeTarget>[1] = {},
  env: Readonly<Record<string, string>> = {},
): Promise<PortError> {
  const error: unknown = await loadKubeTarget(environment(files, env), flags).catch(
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof PortError, String(error));
  assert.doesNotMatch(error.message, /\n|please|failed to|!/i);
  return error;
}

test('the default file, its context, namespace and server', async () => {
  const target = await loadKubeTarget(environment({ [HOME]: kubeconfig({ token: 'secret' }) }));
  assert.equal(target.server, 'https://one.test:6443');
  assert.equal(target.namespace, 'team');
  assert.deepEqual(target.credential, { kind: 'token', token: 'secret' });
});

test('KUBECONFIG files are merged: the first definition and current-context win', async () => {
  const first = `current-context: ''\nclusters:\n- name: c1\n  cluster: {server: 'https://first.test'}\n`;
  const files = { '/a': first, '/b': kubeconfig({ token: 'from-b' }) };
  const env = { KUBECONFIG: '/a:/missing::/b' };
  const target = await loadKubeTarget(environment(files, env));
  assert.equal(target.server, 'https://first.test');
  assert.deepEqual(target.credential, { kind: 'token', token: 'from-b' });
});

test('--kubeconfig, --context and --cluster go before what the files say', async () => {
  const more = {
    contexts: [
      { name: 'one', context: { cluster: 'c1' } },
      { name: 'two', context: { cluster: 'c1' } },
    ],
    clusters: [
      { name: 'c1', cluster: { server: 'https://one.test' } },
      { name: 'c2', cluster: { server: 'https://two.test' } },
    ],
  };
  const files = { '/x': kubeconfig({}, {}, more), [HOME]: 'not read' };
  const flags = { kubeconfig: '/x', context: 'two', cluster: 'c2' };
  const target = await loadKubeTarget(environment(files), flags);
  assert.equal(target.contextName, 'two');
  assert.equal(target.server, 'https://two.test');
});

test('a cluster by flag alone needs no context', async () => {
  const file = kubeconfig({}, {}, { 'current-context': '' });
  const target = await loadKubeTarget(environment({ [HOME]: file }), { cluster: 'c1' });
  assert.equal(target.contextName, null);
  assert.deepEqual(target.credential, { kind: 'none' });
});

test('files named in a kubeconfig are beside it', async () => {
  const file = kubeconfig({ tokenFile: 'tokens/u1', token: 'old' });
  const target = await loadKubeTarget(environment({ '/etc/k/config': file }), {
    kubeconfig: '/etc/k/config',
  });
  assert.deepEqual(target.credential, { kind: 'token-file', path: '/etc/k/tokens/u1' });
});

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const POD = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

test('uses the service account inside a pod without kubeconfig', async () => {
  const files = {
    [`${FOLDER}/token`]: 't',
    [`${FOLDER}/ca.crt`]: 'PEM',
    [`${FOLDER}/namespace`]: 'mine',
  };
  const target = await loadKubeTarget(environment(files, POD));
  assert.equal(target.server, 'https://[fd00::1]:443');
  assert.equal(target.namespace, 'mine');
  assert.deepEqual(target.credential, { kind: 'token-file', path: `${FOLDER}/token` });
  assert.equal(describeContext(target).contextName, null);
});

test('says how to give a pod a service account token', async () => {
  const error = await refused({}, {}, POD);
  assert.match(error.message, /automountServiceAccountToken: true/);
});

const REFUSED: readonly (readonly [string, Files, object, RegExp])[] = [
  ['no kubeconfig at all', {}, {}, /There is no kubeconfig .*aws eks update-kubeconfig/],
  [
    '--kubeconfig of nothing',
    {},
    { kubeconfig: '/no' },
    /\/no given by --kubeconfig does not exist.*ls -l \/no/,
  ],
  [
    'half YAML',
    { [HOME]: 'clusters:\n- name: c1\n  cluster: {server' },
    {},
    /is not complete YAML near line \d+.*kubectl config view/,
  ],
  ['another kind', { [HOME]: 'kind: Pod' }, {}, /is a Pod, not a kubeconfig/],
  ['a list', { [HOME]: '- a' }, {}, /not a kubeconfig/],
  ['an empty file', { [HOME]: '' }, {}, /defines no context.*update-kubeconfig/],
  [
    'a file that may not be read',
    { [HOME]: systemError('EACCES') },
    {},
    /may not be read by this user.*chown/,
  ],
  ['a folder', { [HOME]: systemError('EISDIR') }, {}, /is a folder/],
  [
    'a mistyped context',
    { [HOME]: kubeconfig() },
    { context: 'onr' },
    /context onr is not in .*did you mean one\?.*known contexts: one/,
  ],
  [
    'no current-context',
    { [HOME]: kubeconfig({}, {}, { 'current-context': '' }) },
    {},
    /sets no current-context; known contexts: one; .*use-context one/,
  ],
  [
    'an unknown cluster',
    { [HOME]: kubeconfig() },
    { cluster: 'c9' },
    /cluster c9 is not in .*did you mean c1/,
  ],
  [
    'an unknown user',
    { [HOME]: kubeconfig() },
    { user: 'zz' },
    /user zz is not in .*known users: u1/,
  ],
  [
    'no server',
    { [HOME]: kubeconfig({}, { server: '' }) },
    {},
    /c1 in .* has no server; .*set-cluster c1/,
  ],
  [
    'a server that is not a URL',
    { [HOME]: kubeconfig({}, { server: 'https://' }) },
    {},
    /is not a URL/,
  ],
  [
    'an authority that is not base64',
    { [HOME]: kubeconfig({}, { 'certificate-authority-data': '%%%' }) },
    {},
    /certificate-authority-data\) is not base64/,
  ],
  [
    'an authority that is no certificate',
    { [HOME]: kubeconfig({}, { 'certificate-authority-data': 'aGVsbG8=' }) },
    {},
    /is not a PEM certificate/,
  ],
  [
    'an authority file that is missing',
    { [HOME]: kubeconfig({}, { 'certificate-authority': 'ca.crt' }) },
    {},
    /\.kube\/ca\.crt\) does not exist/,
  ],
  [
    'a certificate without a key',
    { [HOME]: kubeconfig({ 'client-certificate-data': 'aGVsbG8=' }) },
    {},
    /has no key/,
  ],
  [
    'groups without a user',
    { [HOME]: kubeconfig() },
    { asGroups: ['g'] },
    /without a user.*--as=USER/,
  ],
  [
    'an exec without a command',
    { [HOME]: kubeconfig({ exec: { apiVersion: 'client.authentication.k8s.io/v1' } }) },
    {},
    /exec without a command/,
  ],
  [
    'a token with a line end inside',
    { [HOME]: kubeconfig({ token: 'hidden\nvalue' }) },
    {},
    /characters that no token has/,
  ],
];

for (const [what, files, flags, message] of REFUSED)
  test(`one sentence for ${what}`, async () => {
    const error = await refused(files, flags);
    assert.equal(error.failure, 'not-configured');
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /hidden/);
  });

test('KUBECONFIG that names only missing files says so', async () => {
  const error = await refused({}, {}, { KUBECONFIG: '/a:/b' });
  assert.match(error.message, /KUBECONFIG names \/a, \/b, and no such file exists/);
});

const UNSUPPORTED: readonly (readonly [string, string, RegExp])[] = [
  [
    'the auth-provider gcp',
    kubeconfig({ 'auth-provider': { name: 'gcp' } }),
    /gcloud container clusters get-credentials/,
  ],
  [
    'the auth-provider oidc',
    kubeconfig({ 'auth-provider': { name: 'oidc' } }),
    /kubectl oidc-login/,
  ],
  [
    'an exec of v1alpha1',
    kubeconfig({ exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'aws' } }),
    /aws eks update-kubeconfig/,
  ],
  [
    'a SOCKS proxy',
    kubeconfig({}, { 'proxy-url': 'socks5://user:hunter2@p:1080' }),
    /socks5:\/\/p:1080 .*ssh -L/,
  ],
];

for (const [what, file, message] of UNSUPPORTED)
  test(`${what} is unsupported and says what to do`, async () => {
    const error = await refused({ [HOME]: file });
    assert.equal(error.failure, 'unsupported');
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /hunter2/);
  });

test('impersonation comes from the user or from the flags', async () => {
  const user = {
    as: 'bob',
    'as-uid': '7',
    'as-groups': ['g'],
    'as-user-extra': { 'a.b/c': ['x'] },
  };
  const files = { [HOME]: kubeconfig(user) };
  const own = await loadKubeTarget(environment(files));
  assert.deepEqual(own.impersonation, {
    user: 'bob',
    uid: '7',
    groups: ['g'],
    extra: { 'a.b/c': ['x'] },
  });
  const other = await loadKubeTarget(environment(files), { as: 'eve', asGroups: ['h'] });
  assert.equal(other.impersonation?.user, 'eve');
  assert.deepEqual(other.impersonation.groups, ['h']);
});

const TOKEN_EXEC = {
  apiVersion: 'client.authentication.k8s.io/v1beta1',
  command: 'aws',
  args: ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'web', '--output', 'json'],
  env: [{ name: 'AWS_PROFILE', value: 'prod' }],
};

test('aws eks get-token names cluster, region and profile', async () => {
  const target = await loadKubeTarget(environment({ [HOME]: kubeconfig({ exec: TOKEN_EXEC }) }));
  assert.deepEqual(describeContext(target), {
    contextName: 'one',
    clusterName: 'web',
    region: 'eu-west-1',
    awsProfile: 'prod',
    server: 'https://one.test:6443',
  });
});

const NAMED: readonly (readonly [string, string | null, string | null])[] = [
  ['arn:aws:eks:us-west-2:111122223333:cluster/web-1', 'web-1', 'us-west-2'],
  ['arn:aws-cn:eks:cn-north-1:111122223333:cluster/web', 'web', 'cn-north-1'],
  ['admin@web.eu-central-1.eksctl.io', 'web', 'eu-central-1'],
  ['minikube', null, null],
];

for (const [name, clusterName, region] of NAMED)
  test(`the context ${name} names ${clusterName ?? 'no EKS cluster'}`, async () => {
    const more = {
      'current-context': name,
      contexts: [{ name, context: { cluster: 'c1', user: 'u1' } }],
    };
    const file = kubeconfig({}, {}, more);
    const target = await loadKubeTarget(environment({ [HOME]: file }));
    assert.equal(clusterNameOf(target), clusterName);
    assert.equal(describeContext(target).region, region);
  });

test('the host of an EKS endpoint carries its region', async () => {
  const cluster = { server: 'https://ABC.gr7.ap-south-1.eks.amazonaws.com' };
  const target = await loadKubeTarget(environment({ [HOME]: kubeconfig({}, cluster) }));
  assert.equal(describeContext(target).region, 'ap-south-1');
});

const PROXY = { HTTPS_PROXY: 'http://proxy.test:3128' };
const PROXIES: readonly (readonly [string, Readonly<Record<string, string>>, string | null])[] = [
  ['https://api.test', PROXY, 'http://proxy.test:3128'],
  ['https://api.test', { https_proxy: 'proxy.test:3128' }, 'http://proxy.test:3128'],
  ['http://api.test', PROXY, null],
  ['https://127.0.0.1:6443', PROXY, null],
  ['https://localhost:6443', PROXY, null],
  ['https://api.test', { ...PROXY, NO_PROXY: 'api.test' }, null],
  ['https://a.api.test', { ...PROXY, NO_PROXY: 'api.test' }, null],
  ['https://api.test', { ...PROXY, NO_PROXY: '.api.test' }, 'http://proxy.test:3128'],
  ['https://a.api.test', { ...PROXY, NO_PROXY: 'x, .api.test' }, null],
  ['https://myapi.test', { ...PROXY, NO_PROXY: 'api.test' }, 'http://proxy.test:3128'],
  ['https://api.test:8443', { ...PROXY, NO_PROXY: 'api.test:443' }, 'http://proxy.test:3128'],
  ['https://10.1.2.3', { ...PROXY, NO_PROXY: '10.0.0.0/8' }, null],
  ['https://11.1.2.3', { ...PROXY, NO_PROXY: '10.0.0.0/8' }, 'http://proxy.test:3128'],
  ['https://[fd00::1]', { ...PROXY, NO_PROXY: 'fd00::/16' }, null],
  ['https://api.test', { ...PROXY, NO_PROXY: '*' }, null],
  ['http://api.test', { HTTP_PROXY: 'http://plain.test:3128' }, 'http://plain.test:3128'],
  ['https://api.test', { ...PROXY, HTTPS_PROXY: '', https_proxy: 'p:1' }, 'http://p:1'],
  ['https://api.test', { ...PROXY, no_proxy: 'api.test' }, null],
  ['https://api.test', { ...PROXY, NO_PROXY: ',, ' }, 'http://proxy.test:3128'],
  ['https://api.test', { ...PROXY, NO_PROXY: 'API.TEST' }, null],
  ['https://api.test', { ...PROXY, NO_PROXY: 'api.test:443' }, null],
  ['http://api.test', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'api.test:80' }, null],
  ['http://api.test', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'api.test:443' }, 'http://p:1'],
  ['https://api.test:8443', { ...PROXY, NO_PROXY: 'api.test:8443' }, null],
  ['https://[fd00::1]:6443', { ...PROXY, NO_PROXY: '[fd00::1]:6443' }, null],
  ['https://[fd00::1]', { ...PROXY, NO_PROXY: '[fd00::1]' }, null],
  ['https://a.api.test', { ...PROXY, NO_PROXY: '*.api.test' }, null],
  ['https://api.test', { ...PROXY, NO_PROXY: '*.api.test' }, 'http://proxy.test:3128'],
  ['https://1.10.1.2', { ...PROXY, NO_PROXY: '10.1.2' }, 'http://proxy.test:3128'],
  ['https://10.1.2.3', { ...PROXY, NO_PROXY: '10.1.2.3' }, null],
  ['https://10.1.2.3', { ...PROXY, NO_PROXY: '10.1.2.3/32' }, null],
  ['https://10.1.2.4', { ...PROXY, NO_PROXY: '10.1.2.3/32' }, 'http://proxy.test:3128'],
  ['https://10.1.2.3', { ...PROXY, NO_PROXY: '10.1.2.3/33' }, 'http://proxy.test:3128'],
  ['https://10.1.2.3', { ...PROXY, NO_PROXY: '10.0.0.0/x8' }, 'http://proxy.test:3128'],
  ['https://10.1.2.3', { ...PROXY, NO_PROXY: '10.0.0.0/0008' }, 'http://proxy.test:3128'],
  ['https://10.1.2.3', { ...PROXY, NO_PROXY: '10.0.0.0/' }, 'http://proxy.test:3128'],
  ['https://10.1.2.3', { ...PROXY, NO_PROXY: 'network/8' }, 'http://proxy.test:3128'],
  ['https://10.1.2.3', { ...PROXY, NO_PROXY: 'fd00::/8' }, 'http://proxy.test:3128'],
  ['https://api.test', { ...PROXY, NO_PROXY: '10.0.0.0/8' }, 'http://proxy.test:3128'],
  ['https://[fd00::1]', { ...PROXY, NO_PROXY: 'fd00::1/128' }, null],
  ['https://[fd00::1]', { ...PROXY, NO_PROXY: 'fd00::1/129' }, 'http://proxy.test:3128'],
  ['https://[::1]:6443', PROXY, null],
  ['https://127.example', PROXY, 'http://proxy.test:3128'],
];

for (const [server, env, proxy] of PROXIES)
  test(`${server} with ${JSON.stringify(env)} goes ${proxy === null ? 'directly' : 'by proxy'}`, () => {
    assert.equal(proxyFor(server, null, env), proxy);
  });

test('proxy-url of the cluster goes before the environment and its exceptions', () => {
  const env = { ...PROXY, NO_PROXY: '*' };
  assert.equal(proxyFor('https://api.test', 'http://own.test', env), 'http://own.test');
});
