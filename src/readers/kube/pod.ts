import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Share } from '../sharing.ts';

/** What causes read of a pod; the rest of 100,000 pods would not fit into memory. */
const METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'deletionTimestamp',
  'finalizers',
] as const;
const SPEC = [
  'nodeName',
  'hostNetwork',
  'serviceAccountName',
  'priorityClassName',
  'nodeSelector',
  'tolerations',
  'affinity',
] as const;
const STATUS = ['reason', 'message', 'podIP', 'startTime'] as const;
const CONDITION = ['type', 'status', 'reason', 'message', 'lastTransitionTime'] as const;
/** Conditions of which nobody asks since when they hold. */
const PASSED = /^(?:PodScheduled|Initialized|ContainersReady|PodReadyToStartContainers)$/;
const PASSED_CONDITION = ['type', 'status'] as const;
const CONTAINER_STATUS = ['name', 'ready', 'restartCount', 'state'] as const;
const CONTAINER = [
  'name',
  'image',
  'command',
  'args',
  'resources',
  'readinessProbe',
  'livenessProbe',
] as const;

type Picked = Readonly<Record<string, Json>>;

function pick(value: Json | undefined, keys: readonly string[]): Picked {
  if (!isObject(value)) return {};
  const picked: Record<string, Json> = {};
  for (const key of keys) {
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    if (found !== undefined) picked[key] = found;
  }
  return picked;
}

/** Annotations by which AWS, its agents and Karpenter are told something; others can be long. */
const ANNOTATIONS = /amazonaws\.com|\bk8s\.aws\b|karpenter\.sh|cluster-autoscaler|vpc-resource/;

/** The annotations of a Pod that causes read. */
export function podAnnotations(all: Readonly<Record<string, string>>): typeof all {
  const entries = Object.entries(all);
  const kept = entries.filter(([key]) => ANNOTATIONS.test(key));
  return kept.length === entries.length ? all : Object.fromEntries(kept);
}

/** Values of the environment may be secret; only those that AWS libraries read are kept. */
function container(value: Json): Picked {
  const env = listAt(value, 'env').filter((entry) =>
    /^(?:AWS_|WARM_|MINIMUM_|ENABLE_|DISABLE_|CALICO_|CNI_|IP|FELIX_|KUBERNETES_)/.test(
      textAt(entry, 'name') ?? '',
    ),
  );
  return { ...pick(value, CONTAINER), ...(env.length === 0 ? {} : { env }) };
}

function containersAt(value: JsonObject, path: string): readonly Json[] | undefined {
  const all = listAt(value, path);
  return all.length === 0 ? undefined : all.map(container);
}

function owners(value: JsonObject): readonly Json[] {
  return listAt(value, 'metadata.ownerReferences').map((entry) =>
    pick(entry, ['kind', 'name', 'uid']),
  );
}

function volumes(value: JsonObject): readonly Json[] {
  return listAt(value, 'spec.volumes')
    .filter(
      (entry) => isObject(entry) && ('projected' in entry || 'persistentVolumeClaim' in entry),
    )
    .map((entry) => pick(entry, ['projected', 'persistentVolumeClaim']));
}

function conditionOf(value: Json, share: Share): Json {
  const isPassed = textAt(value, 'status') === 'True' && PASSED.test(textAt(value, 'type') ?? '');
  return isPassed ? share(pick(value, PASSED_CONDITION)) : pick(value, CONDITION);
}

function containerStatus(value: Json): Json {
  const isReady = at(value, 'ready') === true;
  const last = at(value, 'lastState');
  const hasLast = isObject(last) && Object.keys(last).length > 0;
  return {
    ...pick(value, CONTAINER_STATUS),
    ...(isReady ? {} : pick(value, ['image'])),
    ...(hasLast ? { lastState: last } : {}),
  };
}

function status(value: JsonObject, share: Share): JsonObject {
  const conditions = listAt(value, 'status.conditions').map((entry) => conditionOf(entry, share));
  const init = listAt(value, 'status.initContainerStatuses').map(containerStatus);
  const containers = listAt(value, 'status.containerStatuses').map(containerStatus);
  return {
    ...shared(at(value, 'status'), ['phase', 'hostIP'], share),
    ...pick(at(value, 'status'), STATUS),
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
    ...(containers.length === 0 ? {} : { containerStatuses: containers }),
  };
}

/** Fields with texts that many pods have. */
function shared(value: Json | undefined, keys: readonly string[], share: Share): Picked {
  const entries = Object.entries(pick(value, keys));
  return Object.fromEntries(entries.map(([key, entry]) => [key, share(entry)]));
}

/** What the template says of the pods made from it, which is the same for all of them. */
function template(value: JsonObject): JsonObject {
  const { nodeName: _, ...spec } = pick(at(value, 'spec'), SPEC);
  const containers = containersAt(value, 'spec.containers');
  const initContainers = containersAt(value, 'spec.initContainers');
  const projected = volumes(value);
  return {
    ...spec,
    ...(containers === undefined ? {} : { containers }),
    ...(initContainers === undefined ? {} : { initContainers }),
    ...(projected.length === 0 ? {} : { volumes: projected }),
  };
}

/** The one projection of a Pod, for files, live APIs and the simulator. */
export function projectPod(value: JsonObject, share: Share): JsonObject {
  const ownerReferences = share(owners(value));
  return {
    metadata: {
      ...pick(at(value, 'metadata'), METADATA),
      ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
    },
    spec: { ...share(template(value)), ...shared(at(value, 'spec'), ['nodeName'], share) },
    status: status(value, share),
  };
}
