import { INSTANCE_TYPES } from '../../../capacity/instance-types.generated.ts';
import { instanceTypes } from '../../../capacity/instance-types.ts';
import { type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { conditionOf, nameOf, uidOf } from '../objects/meta.ts';
import type { PodView } from '../objects/pod.ts';
import { taintOf, untolerated } from '../objects/taints.ts';
import { objectAt } from '../workloads/daemon-placement.ts';
import { NODEPOOL_LABEL, TERMINATION_FINALIZER } from './kinds.ts';
import { requirementValues } from './launch.ts';

/** What is left of a machine after the kubelet's and the system's own part, roughly. */
const ALLOCATABLE_SHARE = 0.93;
const MEBIBYTE = 1024 * 1024;
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
const TYPE_DEFAULT = 'm6i.large';
/** Where a type is not in the table: a machine of two cores and 8 GiB. */
const VCPUS_DEFAULT = 2;
const MEMORY_DEFAULT_MIB = 8192;

/** True of a pod that the scheduler has given up on for now. */
export function isProvisionable(pod: PodView): boolean {
  if (pod.spec.nodeName !== '' || pod.isTerminating || pod.owner?.kind === 'DaemonSet')
    return false;
  return conditionOf(pod.object, 'PodScheduled')?.reason === 'Unschedulable';
}

/** Whether nodes of the pool could take the pod at all. */
export function isFor(pool: JsonObject, pod: PodView): boolean {
  const taints = listAt(pool, 'spec.template.spec.taints').map(taintOf);
  if (untolerated(taints, pod.spec.tolerations, ['NoSchedule', 'NoExecute']) !== null) return false;
  const labels = objectAt(pool, 'spec.template.metadata.labels');
  return Object.entries(pod.spec.nodeSelector).every(([key, value]) => {
    const values = requirementValues(pool, 'spec.template.spec.requirements', key);
    return labels[key] === value || values.includes(value) || key.startsWith('kubernetes.io/');
  });
}

export function typeOf(pool: JsonObject): string {
  const path = 'spec.template.spec.requirements';
  return requirementValues(pool, path, INSTANCE_TYPE)[0] ?? TYPE_DEFAULT;
}

/** Pods that go together on one new machine each, the first that fits first. */
export function packed(type: string, pods: readonly PodView[]): readonly (readonly PodView[])[] {
  const room = roomOf(type);
  const groups: { pods: PodView[]; cpu: number; memory: number }[] = [];
  for (const pod of pods) {
    const cpu = pod.spec.requests.get('cpu') ?? 0;
    const memory = pod.spec.requests.get('memory') ?? 0;
    if (cpu > room.cpu || memory > room.memory) continue;
    const group = groups.find(
      (one) =>
        one.cpu + cpu <= room.cpu &&
        one.memory + memory <= room.memory &&
        one.pods.length < room.pods,
    );
    if (group === undefined) groups.push({ pods: [pod], cpu, memory });
    else {
      group.pods.push(pod);
      group.cpu += cpu;
      group.memory += memory;
    }
  }
  return groups.map((group) => group.pods);
}

function roomOf(type: string): {
  readonly cpu: number;
  readonly memory: number;
  readonly pods: number;
} {
  const found = instanceTypes(INSTANCE_TYPES).named(type);
  const isKnown = !('unknown' in found);
  const vcpus = isKnown ? (found.vcpus ?? VCPUS_DEFAULT) : VCPUS_DEFAULT;
  const memoryMiB = isKnown ? (found.memoryMiB ?? MEMORY_DEFAULT_MIB) : MEMORY_DEFAULT_MIB;
  return {
    cpu: vcpus * ALLOCATABLE_SHARE,
    memory: memoryMiB * MEBIBYTE * ALLOCATABLE_SHARE,
    // DaemonSets take some of the places that the addresses of the machine allow.
    pods: 20,
  };
}

export function claimFor(pool: JsonObject): JsonObject {
  const template = objectAt(pool, 'spec.template');
  const labels = { ...objectAt(template, 'metadata.labels'), [NODEPOOL_LABEL]: nameOf(pool) };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      generateName: `${nameOf(pool)}-`,
      labels,
      finalizers: [TERMINATION_FINALIZER],
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodePool',
          name: nameOf(pool),
          uid: uidOf(pool),
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: objectAt(template, 'spec'),
  };
}

export function classNameOf(claim: JsonObject): string {
  return textAt(claim, 'spec.nodeClassRef.name') ?? 'default';
}
