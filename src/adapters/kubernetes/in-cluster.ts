import { codeOf, type KubeEnvironment } from './environment.ts';
import { notConfigured, unreadable } from './not-configured.ts';
import type { KubeTarget } from './target.ts';

/** Where the kubelet puts the files of a pod's service account. */
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** @returns null when this is no pod of a cluster */
export async function inClusterTarget(environment: KubeEnvironment): Promise<KubeTarget | null> {
  const host = environment.env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = environment.env['KUBERNETES_SERVICE_PORT'] ?? '';
  if (host === '' || port === '') return null;
  await textOf(environment, 'token');
  return {
    contextName: null,
    clusterEntry: null,
    userEntry: null,
    origin: 'the service account of this pod',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: (await optionalTextOf(environment, 'namespace')) ?? 'default',
    tls: {
      authorityPem: await textOf(environment, 'ca.crt'),
      client: null,
      serverName: null,
      isUnverified: false,
    },
    // The API server's service address is never behind a proxy.
    proxyUrl: null,
    credential: { kind: 'token-file', path: `${FOLDER}/token` },
    impersonation: null,
  };
}

async function textOf(environment: KubeEnvironment, name: string): Promise<string> {
  const path = `${FOLDER}/${name}`;
  try {
    return new TextDecoder().decode(await environment.readFile(path)).trim();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw unreadable(`The file ${path} of this pod`, path, error);
    throw notConfigured(
      `This pod has no ${path}, so it has no identity; let it have one: set ` +
        'automountServiceAccountToken: true in its spec',
      error,
    );
  }
}

async function optionalTextOf(environment: KubeEnvironment, name: string): Promise<string | null> {
  try {
    const text = new TextDecoder().decode(await environment.readFile(`${FOLDER}/${name}`)).trim();
    return text === '' ? null : text;
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return null;
  }
}
