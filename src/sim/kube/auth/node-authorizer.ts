import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { listIn, objectAt, textIn } from '../rules/fields.ts';
import type { Store } from '../store.ts';
import type { Attributes } from './attributes.ts';

/** What a kubelet may do besides (plugin/pkg/auth/authorizer/node, and the role system:node). */
const ALWAYS: ReadonlyMap<string, RegExp> = new Map([
  ['services', /^(?:get|list|watch)$/],
  ['endpoints', /^get$/],
  ['events', /^(?:create|update|patch)$/],
  ['events.events.k8s.io', /^(?:create|update|patch)$/],
  ['csidrivers.storage.k8s.io', /^(?:get|list|watch)$/],
  ['runtimeclasses.node.k8s.io', /^(?:get|list|watch)$/],
  ['certificatesigningrequests.certificates.k8s.io', /^(?:create|get|list|watch)$/],
  ['tokenreviews.authentication.k8s.io', /^create$/],
  ['subjectaccessreviews.authorization.k8s.io', /^create$/],
  ['localsubjectaccessreviews.authorization.k8s.io', /^create$/],
  ['nodes', /^(?:create|update|patch)$/],
  ['nodes/status', /^(?:update|patch)$/],
  ['pods', /^(?:create|delete)$/],
  ['pods/status', /^(?:update|patch)$/],
  ['pods/eviction', /^create$/],
]);

const READS = new Set(['get', 'list', 'watch']);

/**
 * True for what a kubelet needs for itself and for the pods on its node; false is no opinion, and
 * roles may still allow it.
 */
export function nodeMay(store: Store, nodeName: string, asked: Attributes): boolean {
  const { verb, subresource } = asked;
  const resource = asked.group === '' ? asked.resource : `${asked.resource}.${asked.group}`;
  const whole = subresource === null ? resource : `${resource}/${subresource}`;
  if (ALWAYS.get(whole)?.test(verb) === true) return true;
  switch (whole) {
    case 'nodes':
      return READS.has(verb) && isOwn(asked, nodeName, 'metadata.name');
    case 'pods':
      return READS.has(verb) && isOwnPod(store, asked, nodeName);
    case 'leases.coordination.k8s.io':
      return isOwnLease(asked, nodeName);
    case 'csinodes.storage.k8s.io':
      return (asked.name ?? nodeName) === nodeName && verb !== 'list' && verb !== 'watch';
    case 'persistentvolumeclaims/status':
      return verb === 'get' || verb === 'update' || verb === 'patch';
    case 'volumeattachments.storage.k8s.io':
      return verb === 'get';
    case 'persistentvolumes':
      return verb === 'get';
    default:
      return mayForPods(store, nodeName, asked, whole);
  }
}

function isOwn({ name, fieldSelector }: Attributes, nodeName: string, field: string): boolean {
  return name === nodeName || fieldSelector.split(',').includes(`${field}=${nodeName}`);
}

function isOwnPod(store: Store, asked: Attributes, nodeName: string): boolean {
  if (asked.name === null) return isOwn(asked, nodeName, 'spec.nodeName');
  const pod = store.table('/pods').get(`${asked.namespace ?? ''}/${asked.name}`);
  return pod !== null && textIn(objectAt(pod, 'spec'), 'nodeName') === nodeName;
}

const LEASE_VERBS = new Set(['get', 'create', 'update', 'patch', 'delete']);

function isOwnLease({ verb, namespace, name }: Attributes, nodeName: string): boolean {
  if (namespace !== 'kube-node-lease' || !LEASE_VERBS.has(verb)) return false;
  return verb === 'create' || name === nodeName;
}

/** Secrets, ConfigMaps, claims and service accounts that a pod of the node refers to. */
function mayForPods(store: Store, nodeName: string, asked: Attributes, whole: string): boolean {
  const names = REFERENCES[whole];
  const { verb, name, namespace } = asked;
  if (names === undefined || namespace === null) return false;
  if (whole === 'serviceaccounts/token' ? verb !== 'create' : !READS.has(verb)) return false;
  if (name === null) return false;
  const table = store.table('/pods');
  return table
    .keys(null, nodeName)
    .filter((key) => key.startsWith(`${namespace}/`))
    .some((key) => names(objectAt(table.get(key) ?? undefined, 'spec')).includes(name));
}

type NamesOf = (spec: JsonObject) => readonly string[];

const REFERENCES: Readonly<Record<string, NamesOf>> = {
  secrets: (spec) => [
    ...listIn(spec, 'imagePullSecrets').map((one) => textIn(one, 'name')),
    ...sources(spec, 'secret', 'secretName'),
    ...environment(spec, 'secretKeyRef', 'secretRef'),
  ],
  configmaps: (spec) => [
    ...sources(spec, 'configMap', 'name'),
    ...environment(spec, 'configMapKeyRef', 'configMapRef'),
  ],
  persistentvolumeclaims: (spec) => sources(spec, 'persistentVolumeClaim', 'claimName'),
  serviceaccounts: (spec) => [textIn(spec, 'serviceAccountName')],
  'serviceaccounts/token': (spec) => [textIn(spec, 'serviceAccountName')],
};

function sources(spec: JsonObject, key: string, name: string): readonly string[] {
  return listIn(spec, 'volumes').flatMap((volume) => {
    const projected = listIn(objectAt(volume, 'projected'), 'sources');
    return [
      textIn(objectAt(volume, key), name),
      ...projected.map((one) => textIn(objectAt(one, key), 'name')),
    ].filter((found) => found !== '');
  });
}

function environment(spec: JsonObject, one: string, all: string): readonly string[] {
  const containers: readonly Json[] = ['containers', 'initContainers'].flatMap((key) =>
    listIn(spec, key),
  );
  return containers
    .filter(isObject)
    .flatMap((container) => [
      ...listIn(container, 'env').map((env) =>
        textIn(objectAt(objectAt(env, 'valueFrom'), one), 'name'),
      ),
      ...listIn(container, 'envFrom').map((env) => textIn(objectAt(env, all), 'name')),
    ]);
}
