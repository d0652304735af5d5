import type { Json, JsonObject } from '../../evidence/json.ts';
import type { KubeObject } from '../../evidence/kube/object.ts';
import { type ContainerStatus, POD, type Pod } from '../../evidence/kube/pod.ts';
import { project } from '../../evidence/project.ts';
import type { Share } from '../sharing.ts';

/** Conditions of which nobody asks since when they hold. */
const PASSED = /^(?:PodScheduled|Initialized|ContainersReady|PodReadyToStartContainers)$/;

/** Annotations by which AWS, its agents and Karpenter are told something; others can be long. */
const ANNOTATIONS = /amazonaws\.com|\bk8s\.aws\b|karpenter\.sh|cluster-autoscaler|vpc-resource/;

type PodBody = Omit<Pod, keyof KubeObject>;
type Metadata = NonNullable<PodBody['metadata']>;
type Spec = NonNullable<PodBody['spec']>;
type Status = NonNullable<PodBody['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** The annotations of a Pod that causes read. */
export function podAnnotations(all: Readonly<Record<string, string>>): typeof all {
  const entries = Object.entries(all);
  const kept = entries.filter(([key]) => ANNOTATIONS.test(key));
  return kept.length === entries.length ? all : Object.fromEntries(kept);
}

/** Keeps a part once for all pods that have the same; what is not told stays so. */
function once<T>(part: T, share: Share): T {
  return part === undefined || part === null ? part : (share(part as unknown as Json) as T);
}

function sharedMetadata(metadata: Metadata, share: Share): Metadata {
  return { ...metadata, ownerReferences: once(metadata.ownerReferences, share) };
}

/** All but the Node is the same for the pods of one template. */
function sharedSpec({ nodeName, ...template }: Spec, share: Share): Spec {
  return { ...once(template, share), nodeName: once(nodeName, share) };
}

function sharedCondition(condition: Condition, share: Share): Condition {
  const { type, status } = condition;
  const isPassed = status === 'True' && PASSED.test(type ?? '');
  return isPassed ? once({ type, status } as Condition, share) : condition;
}

function sharedContainer(status: ContainerStatus, share: Share): ContainerStatus {
  return {
    ...status,
    image: once(status.image, share),
    state: status.state?.running ? status.state : once(status.state, share),
    lastState: once(status.lastState, share),
  };
}

function sharedStatus(status: Status, share: Share): Status {
  const container = (one: ContainerStatus): ContainerStatus => sharedContainer(one, share);
  return {
    ...status,
    phase: once(status.phase, share),
    hostIP: once(status.hostIP, share),
    conditions: status.conditions?.map((one) => sharedCondition(one, share)),
    containerStatuses: status.containerStatuses?.map(container),
    initContainerStatuses: status.initContainerStatuses?.map(container),
  };
}

/** The one projection of a Pod, for files, live APIs and the simulator. */
export function projectPod(value: JsonObject, share: Share): PodBody {
  const { metadata, spec, status } = project(POD, value) ?? {};
  return {
    metadata: metadata && sharedMetadata(metadata, share),
    spec: spec && sharedSpec(spec, share),
    status: status && sharedStatus(status, share),
  };
}
