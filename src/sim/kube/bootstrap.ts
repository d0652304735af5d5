import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import { BOOTSTRAP_ROLES } from './auth/bootstrap.generated.ts';
import { type KubeKind, apiVersionOf, tableName } from './kinds.ts';
import { type Core, newUid, secondsStamp } from './scope.ts';
import { keyOf } from './store.ts';
import { wordOf } from './word.ts';

/** What an API server makes for itself in an empty store. */
export function bootstrap(core: Core): void {
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
    put(core, 'Namespace', null, name, {
      metadata: { labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  for (const [name, value] of PRIORITIES)
    put(core, 'PriorityClass', null, name, {
      metadata: { generation: 1 },
      value,
      preemptionPolicy: 'PreemptLowerPriority',
    });
  for (const role of roles()) putRole(core, role);
  put(core, 'Service', 'default', 'kubernetes', {
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: KUBERNETES_SERVICE,
    status: { loadBalancer: {} },
  });
}

/** Gives every namespace the account `default` at once, as its controller does within moments. */
export function keepServiceAccounts(core: Core): void {
  const namespaces = core.store.table('/namespaces');
  const give = (namespace: string): void => put(core, 'ServiceAccount', namespace, 'default', {});
  for (const name of namespaces.keys(null)) give(name);
  namespaces.listeners.add(({ key, before }) => {
    if (before === null) give(key);
  });
}

/** The two classes of the system (pkg/apis/scheduling/v1 helpers). */
const PRIORITIES = [
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
] as const;

const KUBERNETES_SERVICE: JsonObject = {
  clusterIP: '10.96.0.1',
  clusterIPs: ['10.96.0.1'],
  internalTrafficPolicy: 'Cluster',
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
  sessionAffinity: 'None',
  type: 'ClusterIP',
};

function roles(): readonly JsonObject[] {
  return BOOTSTRAP_ROLES.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
    .filter(isObject);
}

function putRole(core: Core, { kind, name, namespace, labels, ...rest }: JsonObject): void {
  const bootstrapping = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
  const all = { ...bootstrapping, ...(isObject(labels) ? labels : {}) };
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
  const own = typeof namespace === 'string' ? namespace : null;
  put(core, wordOf(kind), own, wordOf(name), { ...rest, metadata: { annotations, labels: all } });
}

function put(
  core: Core,
  kindName: string,
  namespace: string | null,
  name: string,
  object: JsonObject,
): void {
  const kind = core.kinds.named(kindName) as KubeKind;
  const { metadata, ...rest } = object;
  const whole = {
    ...(isObject(metadata) ? metadata : {}),
    name,
    ...(namespace === null ? {} : { namespace }),
    uid: newUid(core.random),
    creationTimestamp: secondsStamp(core.kernel.nowMs()),
  };
  const table = core.store.table(tableName(kind));
  const typed = { apiVersion: apiVersionOf(kind), kind: kindName, metadata: whole, ...rest };
  core.store.write(table, keyOf(namespace, name), typed);
}
