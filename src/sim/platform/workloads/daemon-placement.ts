import { at, type Json, type JsonObject, listAt } from '../../../evidence/json.ts';
import { isWanted, type NodeView } from '../objects/node.ts';
import { type PodSpec, podSpec } from '../objects/pod.ts';
import {
  TAINT_DISK_PRESSURE,
  TAINT_MEMORY_PRESSURE,
  TAINT_NETWORK_UNAVAILABLE,
  TAINT_NOT_READY,
  TAINT_PID_PRESSURE,
  TAINT_UNREACHABLE,
  TAINT_UNSCHEDULABLE,
  untolerated,
} from '../objects/taints.ts';

export interface Placement {
  readonly shouldRun: boolean;
  /** A pod that is there already may stay. */
  readonly mayStay: boolean;
}

const AUTOMATIC: readonly (readonly [key: string, effect: string])[] = [
  [TAINT_NOT_READY, 'NoExecute'],
  [TAINT_UNREACHABLE, 'NoExecute'],
  [TAINT_DISK_PRESSURE, 'NoSchedule'],
  [TAINT_MEMORY_PRESSURE, 'NoSchedule'],
  [TAINT_PID_PRESSURE, 'NoSchedule'],
  [TAINT_UNSCHEDULABLE, 'NoSchedule'],
];

/** AddOrUpdateDaemonPodTolerations: neither our gate taint nor `uninitialized` is among them. */
export function daemonTolerations(isHostNetwork: boolean): readonly JsonObject[] {
  const keys = isHostNetwork
    ? [...AUTOMATIC, [TAINT_NETWORK_UNAVAILABLE, 'NoSchedule'] as const]
    : AUTOMATIC;
  return keys.map(([key, effect]) => ({ key, operator: 'Exists', effect }));
}

const TEMPLATES = new WeakMap<object, JsonObject>();

/** `spec.template` with what the controller adds to each pod's spec; the same for a same template. */
export function daemonTemplate(daemonSet: JsonObject): JsonObject {
  const template = objectAt(daemonSet, 'spec.template');
  const known = TEMPLATES.get(template);
  if (known !== undefined) return known;
  const spec = objectAt(template, 'spec');
  const added = daemonTolerations(spec.hostNetwork === true);
  const tolerations = [...listAt(spec, 'tolerations'), ...added];
  const made = { ...template, spec: { ...spec, tolerations } };
  TEMPLATES.set(template, made);
  return made;
}

export function objectAt(value: Json, path: string): JsonObject {
  const found = at(value, path);
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? (found as JsonObject)
    : {};
}

const PLACEMENTS = new WeakMap<NodeView, Map<PodSpec, Placement>>();

/** Remembered for each version of a Node, as most looks find nothing new. */
export function placementOn(daemonSet: JsonObject, node: NodeView): Placement {
  const spec = podSpec(daemonTemplate(daemonSet));
  const known = PLACEMENTS.get(node) ?? new Map<PodSpec, Placement>();
  const found = known.get(spec) ?? placementOf(spec, node);
  known.set(spec, found);
  PLACEMENTS.set(node, known);
  return found;
}

/** NodeShouldRunDaemonPod: its name, its affinity and its taints; never its resources. */
function placementOf(spec: PodSpec, node: NodeView): Placement {
  const isMeant = (spec.nodeName === '' || spec.nodeName === node.name) && isWanted(node, spec);
  if (!isMeant) return { shouldRun: false, mayStay: false };
  const { tolerations } = spec;
  return {
    shouldRun: untolerated(node.taints, tolerations, ['NoSchedule', 'NoExecute']) === null,
    mayStay: untolerated(node.taints, tolerations, ['NoExecute']) === null,
  };
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** ReplaceDaemonSetPodNodeNameNodeAffinity: the scheduler may choose this node only. */
export function pinnedAffinity(affinity: JsonObject, nodeName: string): JsonObject {
  const nodeAffinity = objectAt(affinity, 'nodeAffinity');
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return { ...affinity, nodeAffinity: { ...nodeAffinity, [REQUIRED]: required } };
}
