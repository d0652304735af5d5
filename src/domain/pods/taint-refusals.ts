import type { KubeNode, KubeTaint } from '../../evidence/kinds.ts';
import { podCondition, podName } from './pods.ts';
import { placeOf } from './pods-seen.ts';
import type { Quote } from '../../evidence/sighting.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { Pod } from '../../evidence/kube/pod.ts';
import type { Toleration } from '../../evidence/kube/object.ts';

const REFUSED =
  /\b0\/(\d{1,9}) nodes are available: (\d{1,9}) node\(s\) had untolerated taint\(s\)(?:\.|\s|$)/;

/**
 * How many Nodes refused a pod, where all of them did for taints and the scheduler names none, as
 * since Kubernetes 1.35.0 and 1.34.2 (kubernetes/kubernetes#134740); null for any other message.
 */
export function refusingNodes(message: string): number | null {
  const [, total, refusing] = REFUSED.exec(message) ?? [];
  return total !== undefined && total === refusing ? Number(total) : null;
}

/** A pod that every Node refuses for taints of which the scheduler names none. */
export interface TaintRefusal {
  readonly refusing: number;
  /** What the pod tolerates, null where its spec was not seen. */
  readonly tolerations: readonly Toleration[] | null;
}

/** How a pod is refused by its condition, else by an event about it; null when it is not so. */
export function taintRefusal(pod: Pod | null, event: string | null): TaintRefusal | null {
  const message = pod === null ? null : podCondition(pod, 'PodScheduled', 'message');
  const refusing = refusingNodes(message ?? event ?? '');
  if (refusing === null) return null;
  const isWhole = pod !== null && (pod.spec?.containers ?? []).length > 0;
  return { refusing, tolerations: isWhole ? (pod.spec?.tolerations ?? []) : null };
}

/** A pod that waits though it alone could end the wait, with the evidence that names it. */
export interface RefusedPod extends TaintRefusal {
  readonly name: string;
  readonly namespace: string | null;
  readonly pod: Seen<Pod> | null;
  readonly event: Quote | null;
}

/**
 * The waiting pod of a controller of which no pod has a Node, by the pods seen or by an event that
 * captured its name as `pod`; null where one has a Node or none is refused for taints alone.
 */
export function refusedPod(pods: readonly Seen<Pod>[], told: Quote | null): RefusedPod | null {
  const living = pods.filter((pod) => !hasEnded(pod));
  if (living.some((pod) => placeOf(pod) !== null)) return null;
  const [pod = null] = living;
  const name = pod?.value.name ?? told?.captures['pod'];
  const event = told?.captures['pod'] === name ? told : null;
  const refusal = taintRefusal(pod?.value ?? null, event?.excerpt ?? null);
  if (name === undefined || refusal === null) return null;
  return { ...refusal, name, namespace: pod?.value.namespace ?? null, pod, event };
}

function hasEnded(pod: Seen<Pod>): boolean {
  return /^(?:Succeeded|Failed)$/.test(pod.value.status?.phase ?? '');
}

/** `Pod NAMESPACE/NAME is refused by all 2 nodes for untolerated taint(s)`. */
export function refusalWords(pod: Seen<Pod>, { refusing }: TaintRefusal): string {
  return `Pod ${podName(pod.value)} is refused by all ${refusing} nodes for untolerated taint(s)`;
}

/** True where a toleration of a pod or of a template lets it onto Nodes with the taint. */
export function tolerates(toleration: Toleration, taint: KubeTaint): boolean {
  const effect = toleration.effect ?? '';
  if (effect !== '' && effect !== taint.effect) return false;
  const operator = toleration.operator ?? 'Equal';
  if ((toleration.key ?? undefined) === undefined) return operator === 'Exists';
  if (toleration.key !== taint.key) return false;
  // Comparisons (Lt, Gt) are young and rare: such a toleration counts as one that fits.
  if (operator !== 'Equal') return true;
  return (toleration.value ?? '') === taint.value;
}

/** The taints of a Node that keep a pod with these tolerations from being placed there. */
export function untoleratedTaints(
  node: KubeNode,
  tolerations: readonly Toleration[],
): readonly KubeTaint[] {
  return (node.taints ?? []).filter(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' && !tolerations.some((one) => tolerates(one, taint)),
  );
}

/**
 * The key of a taint that keeps the pod off every Node, null where that is not sure. All Nodes that
 * refused it must be seen and carry the taint. Where its tolerations are not known, one Node must
 * carry no other taint: there the pod can have met nothing else.
 */
export function taintThatKeepsOut(
  { refusing, tolerations }: TaintRefusal,
  nodes: readonly KubeNode[],
  isMeant: (key: string) => boolean,
): string | null {
  if (nodes.length !== refusing) return null;
  const met = nodes.map((node) =>
    untoleratedTaints(node, tolerations ?? []).map((taint) => taint.key),
  );
  const isSure = (key: string): boolean =>
    met.every((keys) => keys.includes(key)) &&
    (tolerations !== null || met.some((keys) => keys.every((one) => one === key)));
  return (met[0] ?? []).find((key) => isMeant(key) && isSure(key)) ?? null;
}
