import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';

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
const STATUS = [
  'phase',
  'reason',
  'message',
  'podIP',
  'hostIP',
  'startTime',
  'conditions',
  'initContainerStatuses',
  'containerStatuses',
] as const;
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
    .map((entry) => pick(entry, ['name', 'projected', 'persistentVolumeClaim']));
}

/** The one projection of a Pod, for files, live APIs and the simulator. */
export function projectPod(value: JsonObject): JsonObject {
  const containers = containersAt(value, 'spec.containers');
  const initContainers = containersAt(value, 'spec.initContainers');
  const projected = volumes(value);
  const ownerReferences = owners(value);
  return {
    metadata: {
      ...pick(at(value, 'metadata'), METADATA),
      ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
    },
    spec: {
      ...pick(at(value, 'spec'), SPEC),
      ...(containers === undefined ? {} : { containers }),
      ...(initContainers === undefined ? {} : { initContainers }),
      ...(projected.length === 0 ? {} : { volumes: projected }),
    },
    status: pick(at(value, 'status'), STATUS),
  };
}
