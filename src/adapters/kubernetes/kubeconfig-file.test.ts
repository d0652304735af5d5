import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import type { KubeEnvironment } from './environment.ts';
import { inClusterTarget } from './in-cluster.ts';
import { mergeKubeconfigs, parseKubeconfig, type Kubeconfig } from './kubeconfig-file.ts';
import { besideFile, readKubeconfigs } from './kubeconfig-files.ts';
import { unreadable } from './not-configured.ts';

const PATH = '/home/ubuntu/.kube/config';
const LOOK = `look at it: head -c 300 ${PATH}`;

function parsed(text: string, path = PATH): Kubeconfig {
  return parseKubeconfig(path, new TextEncoder().encode(text));
}

function refusal(text: string): string {
  try {
    parsed(text);
  } catch (error) {
    if (error instanceof PortError) return error.message;
  }
  return 'none';
}

function systemError(code: string): Error {
  return Object.assign(new Error('said the system'), { code });
}

function environment(
  files: Readonly<Record<string, string | Error>>,
  env: Readonly<Record<string, string>> = {},
): KubeEnvironment {
  return {
    env,
    home: '/home/ubuntu',
    readFile: async (path) => {
      const found = files[path] ?? systemError('ENOENT');
      if (found instanceof Error) throw found;
      return new TextEncoder().encode(found);
    },
    run: () => Promise.reject(new Error('nothing may run here')),
  };
}

describe('a kubeconfig', () => {
  test('has contexts, clusters and users by their names, of one name the first', () => {
    const { contexts, clusters, users, ...rest } = parsed(`
current-context: one
contexts:
- {name: one, context: {cluster: c}}
- {name: one, context: {cluster: other}}
- {name: '', context: {cluster: unnamed}}
- {context: {cluster: unnamed}}
- text
clusters: [{name: c, cluster: {server: s}}]
users: [{name: u, user: text}, {name: v}]
`);
    assert.deepEqual(rest, { paths: [PATH], currentContext: 'one' });
    assert.deepEqual([...contexts], [['one', { name: 'one', body: { cluster: 'c' }, path: PATH }]]);
    assert.deepEqual(clusters.get('c')?.body, { server: 's' });
    assert.deepEqual(
      [...users.values()].map(({ name, body }) => [name, body]),
      [
        ['u', {}],
        ['v', {}],
      ],
    );
  });

  test('may be empty, or of comments', () => {
    for (const text of ['', '\n', '# nothing\n  # here\n', 'kind: Config', '{}']) {
      const { currentContext, contexts } = parsed(text);
      assert.deepEqual([currentContext, contexts.size], ['', 0], text);
    }
  });
});

describe('a kubeconfig that cannot be used', () => {
  test('is refused where it is another document', () => {
    assert.equal(refusal('- a'), `${PATH} is YAML but not a kubeconfig; ${LOOK}`);
    assert.equal(refusal('text'), `${PATH} is YAML but not a kubeconfig; ${LOOK}`);
    assert.equal(refusal('kind: Pod'), `${PATH} is a Pod, not a kubeconfig; ${LOOK}`);
  });

  test('is refused where its YAML is broken, with the line', () => {
    const fix = `fix it until this succeeds: kubectl config view --kubeconfig=${PATH}`;
    const broken = `${'#\n'.repeat(11)}a: [\n`;
    const line = Number(/near line (\d+);/.exec(refusal(broken))?.[1]);
    assert.ok(line >= 12, String(line));
    assert.equal(
      refusal(broken),
      `The kubeconfig ${PATH} is not complete YAML near line ${line}; ${fix}`,
    );
  });

  test('is refused beyond 4 MiB', () => {
    const most = `#${' '.repeat(4 * 1024 * 1024 - 1)}`;
    assert.equal(refusal(most), 'none');
    assert.equal(
      refusal(`${most} `),
      `${PATH} has more than 4 MiB, too much for a kubeconfig; ${LOOK}`,
    );
  });

  test('of several files is what the first says', () => {
    const first = parsed('contexts: [{name: a, context: {cluster: first}}]', '/1');
    const second = parsed(
      'current-context: b\ncontexts: [{name: a}, {name: b}]\nusers: [{name: u}]',
      '/2',
    );
    const third = parsed('current-context: c\nclusters: [{name: d}]', '/3');
    const { paths, currentContext, contexts, users, clusters } = mergeKubeconfigs([
      first,
      second,
      third,
    ]);
    assert.deepEqual([paths, currentContext], [['/1', '/2', '/3'], 'b']);
    assert.equal(contexts.get('a')?.path, '/1');
    assert.equal(contexts.get('b')?.path, '/2');
    assert.deepEqual([[...users.keys()], [...clusters.keys()]], [['u'], ['d']]);
    assert.equal(mergeKubeconfigs([first]).currentContext, '');
  });
});

describe('the files of a kubeconfig', () => {
  const named = async (
    files: Readonly<Record<string, string | Error>>,
    env: Readonly<Record<string, string>> = {},
    explicit?: string,
  ): Promise<readonly string[] | string | null> => {
    try {
      const found = await readKubeconfigs(environment(files, env), explicit);
      return found === null ? null : found.paths;
    } catch (error) {
      return error instanceof PortError ? error.message : String(error);
    }
  };

  test('are that of the flag, else of KUBECONFIG, else of the home folder', async () => {
    const files = { '/a': '', '/b': '', '/home/ubuntu/c': '', [PATH]: '' };
    assert.deepEqual(await named(files, { KUBECONFIG: '/a' }, '/b'), ['/b']);
    assert.deepEqual(await named(files, { KUBECONFIG: ':/a::/b:/a' }), ['/a', '/b']);
    assert.deepEqual(await named(files, { KUBECONFIG: '~/c' }), ['~/c']);
    assert.deepEqual(await named(files, { KUBECONFIG: ':' }), [PATH]);
    assert.deepEqual(await named(files), [PATH]);
    assert.equal(await named({}), null);
    assert.match(String(await named({ '/x/home/ubuntu/c': '' }, { KUBECONFIG: 'c~/' })), /no such/);
  });

  test('may be missing while one is there', async () => {
    const files = { '/b': '', '/c': systemError('ENOTDIR') };
    assert.deepEqual(await named(files, { KUBECONFIG: '/a:/b:/c' }), ['/b']);
    assert.equal(
      await named({}, { KUBECONFIG: '/a:/b' }),
      'KUBECONFIG names /a, /b, and no such file exists; name one that does, or use the default: ' +
        'unset KUBECONFIG',
    );
    assert.equal(
      await named({}, {}, '/a'),
      'The kubeconfig /a given by --kubeconfig does not exist; look for it: ls -l /a',
    );
  });

  test('are refused where they cannot be read, with the reason', async () => {
    const own = 'may not be read by this user; own it: sudo chown "$USER" /a';
    const said = async (code: string): Promise<unknown> =>
      named({ '/a': systemError(code) }, {}, '/a');
    for (const code of ['EACCES', 'EPERM'])
      assert.equal(await said(code), `The kubeconfig /a ${own}`);
    assert.equal(await said('EISDIR'), 'The kubeconfig /a is a folder; look into it: ls -l /a');
    assert.equal(
      await said('EIO'),
      'The kubeconfig /a cannot be read (said the system); look for it: ls -l /a',
    );
    assert.equal(await named({ '/a': new Error('a bug') }, {}, '/a'), 'Error: a bug');
    const missing = unreadable('The file', '/a', systemError('ENOENT'));
    assert.equal(missing.message, 'The file does not exist; look for it: ls -l /a');
  });

  test('name others relative to their folder', () => {
    assert.equal(besideFile(PATH, 'ca.crt'), '/home/ubuntu/.kube/ca.crt');
    assert.equal(besideFile(PATH, '../ca.crt'), '/home/ubuntu/ca.crt');
    assert.equal(besideFile(PATH, '/etc/ca.crt'), '/etc/ca.crt');
  });
});

describe('a pod', () => {
  const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
  const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
  const files = { token: 't', namespace: ' shop\n', 'ca.crt': ' PEM\n' };
  const inPod = async (
    own: Readonly<Record<string, string | Error>>,
    variables: Readonly<Record<string, string>> = env,
  ) => {
    const placed = Object.entries(own).map(([name, text]) => [`${FOLDER}/${name}`, text] as const);
    return inClusterTarget(environment(Object.fromEntries(placed), variables));
  };

  test('speaks as its service account', async () => {
    assert.deepEqual(await inPod(files), {
      contextName: null,
      clusterEntry: null,
      userEntry: null,
      origin: 'the service account of this pod',
      server: 'https://10.96.0.1:443',
      namespace: 'shop',
      tls: { authorityPem: 'PEM', client: null, serverName: null, isUnverified: false },
      proxyUrl: null,
      credential: { kind: 'token-file', path: `${FOLDER}/token` },
      impersonation: null,
    });
    const six = await inPod(files, { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' });
    assert.equal(six?.server, 'https://[fd00::1]:443');
  });

  test('is only what has the address of an API server', async () => {
    for (const name of Object.keys(env)) {
      assert.equal(await inPod(files, { ...env, [name]: '' }), null);
      const { [name as keyof typeof env]: _left, ...rest } = env;
      assert.equal(await inPod(files, rest), null);
    }
  });

  test('is in the namespace default where it does not say', async () => {
    const { namespace: _namespace, ...rest } = files;
    assert.equal((await inPod(rest))?.namespace, 'default');
    assert.equal((await inPod({ ...files, namespace: ' \n' }))?.namespace, 'default');
    const unread = { ...files, namespace: systemError('EACCES') };
    assert.equal((await inPod(unread))?.namespace, 'default');
    await assert.rejects(inPod({ ...files, namespace: new Error('a bug') }), /^Error: a bug$/);
  });

  test('without its files has no identity', async () => {
    for (const name of ['token', 'ca.crt'] as const) {
      const { [name]: _left, ...rest } = files;
      await assert.rejects(inPod(rest), {
        message:
          `This pod has no ${FOLDER}/${name}, so it has no identity; let it have one: set ` +
          'automountServiceAccountToken: true in its spec',
      });
      await assert.rejects(inPod({ ...files, [name]: systemError('EACCES') }), {
        message: new RegExp(`^The file ${FOLDER}/${name} of this pod may not be read`),
      });
    }
  });
});
