import { isObject, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { KubeEnvironment } from './environment.ts';
import { inClusterTarget } from './in-cluster.ts';
import type { Kubeconfig, KubeconfigEntry } from './kubeconfig-file.ts';
import { notConfigured } from './not-configured.ts';
import { readKubeconfigs } from './kubeconfig-files.ts';
import { proxyFor } from './proxy.ts';
import type { Impersonation, KubeTarget } from './target.ts';
import { readTls } from './tls-files.ts';
import { credentialOf } from './user.ts';
import { listed, nearest, quoted, shown } from './words.ts';

/** What the flags of a command line say, by the names of kubectl's flags. */
export interface KubeFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly as?: string;
  readonly asGroups?: readonly string[];
  readonly asUid?: string;
}

/**
 * The API server that kubectl would speak to: merged KUBECONFIG, `--kubeconfig`, ~/.kube/config,
 * else the service account of the pod.
 * @throws PortError `not-configured` or `unsupported`, in one sentence with the command that helps
 */
export async function loadKubeTarget(
  environment: KubeEnvironment,
  flags: KubeFlags = {},
): Promise<KubeTarget> {
  const kubeconfig = await readKubeconfigs(environment, flags.kubeconfig);
  if (kubeconfig !== null) return await targetOf(environment, kubeconfig, flags);
  const pod = await inClusterTarget(environment);
  if (pod !== null) return pod;
  throw notConfigured(
    'There is no kubeconfig (neither --kubeconfig, nor KUBECONFIG, nor ~/.kube/config); for EKS ' +
      'write one: aws eks update-kubeconfig --name CLUSTER --region REGION',
  );
}

async function targetOf(
  environment: KubeEnvironment,
  kubeconfig: Kubeconfig,
  flags: KubeFlags,
): Promise<KubeTarget> {
  const context = contextOf(kubeconfig, flags);
  const cluster = clusterOf(kubeconfig, context, flags);
  const user = userOf(kubeconfig, context, flags);
  const server = serverOf(cluster);
  return {
    contextName: context?.name ?? null,
    clusterEntry: cluster.name,
    userEntry: user?.name ?? null,
    origin: user?.path ?? cluster.path,
    server,
    namespace: flags.namespace ?? (textAt(context?.body, 'namespace') || 'default'),
    tls: await readTls(environment, cluster, user),
    proxyUrl: proxyFor(server, textAt(cluster.body, 'proxy-url'), environment.env),
    credential: credentialOf(user),
    impersonation: impersonationOf(user?.body ?? {}, flags),
  };
}

/** null when no context is set and the cluster is named by a flag instead. */
function contextOf(kubeconfig: Kubeconfig, flags: KubeFlags): KubeconfigEntry | null {
  const name = flags.context ?? kubeconfig.currentContext;
  if (name === '') {
    if (flags.cluster !== undefined) return null;
    throw withoutContext(kubeconfig);
  }
  const found = kubeconfig.contexts.get(name);
  if (found !== undefined) return found;
  const known = [...kubeconfig.contexts.keys()];
  const where = flags.context === undefined ? ', which current-context names,' : '';
  throw notConfigured(
    `The context ${shown(name)}${where} is not in ${listed(kubeconfig.paths)}${meant(name, known)}; ` +
      `known contexts: ${listed(known)}; see them with: kubectl config get-contexts`,
  );
}

function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? '' : ` (did you mean ${shown(near)}?)`;
}

function withoutContext({ contexts, paths }: Kubeconfig): Error {
  const known = [...contexts.keys()];
  if (known.length === 0)
    return notConfigured(
      `${listed(paths)} defines no context; for EKS write one: ` +
        'aws eks update-kubeconfig --name CLUSTER --region REGION',
    );
  return notConfigured(
    `${listed(paths)} sets no current-context; known contexts: ${listed(known)}; choose one: ` +
      `kubectl config use-context ${quoted(known[0] ?? '')}`,
  );
}

function clusterOf(
  kubeconfig: Kubeconfig,
  context: KubeconfigEntry | null,
  flags: KubeFlags,
): KubeconfigEntry {
  const name = flags.cluster ?? textAt(context?.body, 'cluster') ?? '';
  const found = kubeconfig.clusters.get(name);
  if (found !== undefined) return found;
  const known = [...kubeconfig.clusters.keys()];
  const by = flags.cluster === undefined ? `of context ${shown(context?.name ?? '')} ` : '';
  throw notConfigured(
    `The cluster ${shown(name) || '(none)'} ${by}is not in ${listed(kubeconfig.paths)}` +
      `${meant(name, known)}; known clusters: ${listed(known)}; see them with: ` +
      'kubectl config get-clusters',
  );
}

/** A context without a user speaks as nobody, which a server may allow. */
function userOf(
  kubeconfig: Kubeconfig,
  context: KubeconfigEntry | null,
  flags: KubeFlags,
): KubeconfigEntry | null {
  const name = flags.user ?? textAt(context?.body, 'user') ?? '';
  if (name === '') return null;
  const found = kubeconfig.users.get(name);
  if (found !== undefined) return found;
  const known = [...kubeconfig.users.keys()];
  throw notConfigured(
    `The user ${shown(name)} is not in ${listed(kubeconfig.paths)}${meant(name, known)}; ` +
      `known users: ${listed(known)}; see them with: kubectl config get-users`,
  );
}

function serverOf(cluster: KubeconfigEntry): string {
  const server = (textAt(cluster.body, 'server') ?? '').trim();
  const remedy =
    `set it: kubectl config set-cluster ${quoted(cluster.name)} --server=https://HOST ` +
    `--kubeconfig=${quoted(cluster.path)}`;
  const where = `The cluster ${shown(cluster.name)} in ${shown(cluster.path)}`;
  if (server === '') throw notConfigured(`${where} has no server; ${remedy}`);
  const url = server.includes('://') ? server : `${schemeOf(cluster.body)}${server}`;
  if (!URL.canParse(url) || !/^https?:\/\/[^/]/.test(url))
    throw notConfigured(`${where} has the server ${shown(server)}, which is not a URL; ${remedy}`);
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** A host alone means plain HTTP unless something about TLS is configured, as in kubectl. */
function schemeOf(cluster: JsonObject): string {
  const keys = ['certificate-authority', 'certificate-authority-data', 'insecure-skip-tls-verify'];
  return keys.some((key) => (textAt(cluster, key) ?? '') !== '') ? 'https://' : 'http://';
}

function impersonationOf(user: JsonObject, flags: KubeFlags): Impersonation | null {
  const name = flags.as ?? textAt(user, 'as') ?? '';
  if (name !== '')
    return {
      user: name,
      uid: flags.asUid ?? textAt(user, 'as-uid'),
      groups: flags.asGroups ?? textsIn(user, 'as-groups'),
      extra: extraOf(user['as-user-extra']),
    };
  const others = flags.asUid ?? flags.asGroups?.[0] ?? textAt(user, 'as-uid');
  if (others === null && textsIn(user, 'as-groups').length === 0) return null;
  throw notConfigured(
    'Groups or a uid to impersonate are given without a user; name one as well: --as=USER',
  );
}

function extraOf(value: JsonObject[string] | undefined): Impersonation['extra'] {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.keys(value).map((key) => [key, textsIn(value, key)]));
}

function textsIn(value: JsonObject, key: string): readonly string[] {
  const list = Object.hasOwn(value, key) ? value[key] : undefined;
  return Array.isArray(list) ? listAt({ list }, 'list').map(String) : [];
}
