import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { KubeObject } from './contract.ts';
import { isEqual } from '../../evidence/equal.ts';
import { restrictNode } from './node-restriction.ts';
import { forbidden, notFound, StatusError } from './refusal.ts';
import { changedPart, filled, listIn, objectAt, textIn } from './rules/fields.ts';
import { withTaint } from './rules/node.ts';
import type { Scope } from './scope.ts';
import { metadataOf } from './store.ts';
import { wordOf } from './word.ts';

/** The admission plugins that matter, in their order. `before` is null when an object comes. @throws Refusal */
export function admitted(scope: Scope, object: KubeObject, before: KubeObject | null): KubeObject {
  const own = byPlugins(scope, object, before);
  const { core, user, kind, name } = scope;
  return core.hooks.admit?.(own, { user, kind, name, before }) ?? own;
}

function byPlugins(scope: Scope, object: KubeObject, before: KubeObject | null): KubeObject {
  restrictNode(scope, object, before);
  if (before !== null) return changedPod(scope, object, before);
  assertNamespace(scope, object);
  if (scope.kind.kind === 'Pod') return admittedPod(scope, object);
  if (scope.kind.kind !== 'Node' || scope.core.hooks.taintsNewNodes === false) return object;
  return withTaint(object, NOT_READY);
}

/** A pod that is replaced is completed again, so that leaving these out changes nothing. */
function changedPod(scope: Scope, object: KubeObject, before: KubeObject): KubeObject {
  if (scope.kind.kind !== 'Pod' || scope.subresource !== null) return object;
  const { priority, preemptionPolicy } = objectAt(before, 'spec');
  const kept = {
    ...(priority === undefined ? {} : { priority }),
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
  };
  return changedPart(object, 'spec', (spec) => filled(tolerant(spec), kept));
}

/** TaintNodesByCondition: a new Node is not ready, whatever it says. */
const NOT_READY: JsonObject = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** NamespaceLifecycle. */
function assertNamespace(scope: Scope, object: KubeObject): void {
  const { core, kind, namespace } = scope;
  if (!kind.isNamespaced || namespace === null) return;
  const found = core.store.table('/namespaces').get(namespace);
  const owner = core.kinds.named('Namespace');
  if (found === null && owner !== null) throw notFound(owner, namespace);
  if (found === null || metadataOf(found)['deletionTimestamp'] === undefined) return;
  const refusal = forbidden(
    kind,
    wordOf(metadataOf(object)['name'] ?? ''),
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ];
  const details = { ...objectAt(refusal.status, 'details'), causes };
  throw new StatusError({ code: 403, reason: 'Forbidden', message: refusal.message, details });
}

function admittedPod(scope: Scope, pod: KubeObject): KubeObject {
  const ready = changedPart(pod, 'spec', (spec) =>
    prioritised(scope, pod, tolerant(serving(scope, pod, spec))),
  );
  return scope.core.hooks.mutatePod?.(ready) ?? ready;
}

/** ServiceAccount: every pod runs as one, which must exist; its token is mounted. */
function serving(scope: Scope, pod: KubeObject, spec: JsonObject): JsonObject {
  const name = textIn(spec, 'serviceAccountName') || 'default';
  if (isObject(objectAt(metadataOf(pod), 'annotations')['kubernetes.io/config.mirror']))
    return spec;
  const account = scope.core.store
    .table('/serviceaccounts')
    .get(`${scope.namespace ?? ''}/${name}`);
  if (account === null)
    throw forbidden(
      scope.kind,
      wordOf(metadataOf(pod)['name'] ?? ''),
      `error looking up service account ${scope.namespace ?? ''}/${name}: serviceaccount "${name}" not found`,
    );
  const named = { ...spec, serviceAccountName: name, serviceAccount: name };
  const mounts = spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken'];
  return mounts === false ? named : withToken(scope, named);
}

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

function withToken(scope: Scope, spec: JsonObject): JsonObject {
  const name = `kube-api-access-${scope.core.random.word(5)}`;
  const mount = { name, readOnly: true, mountPath: TOKEN_PATH };
  const mounted = (container: Json): Json => {
    const mounts = listIn(container, 'volumeMounts');
    if (mounts.some((one) => textIn(one, 'mountPath') === TOKEN_PATH)) return container;
    return { ...(container as JsonObject), volumeMounts: [...mounts, mount] };
  };
  const init = listIn(spec, 'initContainers').map(mounted);
  return {
    ...spec,
    containers: listIn(spec, 'containers').map(mounted),
    ...(init.length === 0 ? {} : { initContainers: init }),
    volumes: [
      ...listIn(spec, 'volumes'),
      { name, projected: { sources: SOURCES, defaultMode: 420 } },
    ],
  };
}

/** One hour and seven seconds, so that what the kubelet renews at 80 % never ends on the hour. */
const TOKEN_SECONDS = 3607;

const SOURCES: readonly Json[] = [
  { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  {
    downwardAPI: {
      items: [
        { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
      ],
    },
  },
];

/** DefaultTolerationSeconds: five minutes on a node that is not ready or cannot be reached. */
const TOLERATED_SECONDS = 300;
const TOLERATED = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

function tolerant(spec: JsonObject): JsonObject {
  const own = listIn(spec, 'tolerations');
  const missing = TOLERATED.filter((key) => !own.some((one) => toleratesForEver(one, key)));
  if (missing.length === 0) return spec;
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: TOLERATED_SECONDS,
  }));
  return { ...spec, tolerations: [...own, ...added] };
}

function toleratesForEver(toleration: Json, key: string): boolean {
  const own = textIn(toleration, 'key');
  const effect = textIn(toleration, 'effect');
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '');
}

/** Priority: the number of the class, which must exist. */
function prioritised(scope: Scope, pod: KubeObject, spec: JsonObject): JsonObject {
  const name = textIn(spec, 'priorityClassName');
  const classes = scope.core.store.table('scheduling.k8s.io/priorityclasses');
  const found = name === '' ? globalDefault(scope) : classes.get(name);
  if (name !== '' && found === null)
    throw forbidden(
      scope.kind,
      wordOf(metadataOf(pod)['name'] ?? ''),
      `no PriorityClass with name ${name} was found`,
    );
  const priority = Number(found?.['value'] ?? 0);
  const given = spec['priority'];
  if (given !== undefined && !isEqual(given, priority))
    throw forbidden(
      scope.kind,
      wordOf(metadataOf(pod)['name'] ?? ''),
      `the integer value of priority (${wordOf(given)}) must not be provided in pod spec; ` +
        `priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  const className = found === null ? {} : { priorityClassName: metadataOf(found)['name'] ?? '' };
  const { preemptionPolicy = 'PreemptLowerPriority' } = found ?? {};
  return filled({ ...spec, ...className, priority }, { preemptionPolicy });
}

function globalDefault({ core }: Scope): KubeObject | null {
  const table = core.store.table('scheduling.k8s.io/priorityclasses');
  const found = table.keys(null).find((key) => table.get(key)?.['globalDefault'] === true);
  return found === undefined ? null : table.get(found);
}
