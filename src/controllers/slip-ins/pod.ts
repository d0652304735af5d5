import { at, type JsonObject, listAt, textAt, textsAt } from '../../evidence/json.ts';
import { isoMs } from '../../evidence/time.ts';
import { conditionOf, startOf, tolerationOf, type SeenToleration } from '../gate/workloads.ts';

/** Who makes a new Pod when one is gone. */
export interface PodController {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** What is asked of a Pod that may have slipped in. */
export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Empty before it is bound. */
  readonly nodeName: string;
  /** null for a Pod that nobody makes again. */
  readonly controller: PodController | null;
  /** True for a static Pod, which the API only mirrors. */
  readonly isMirror: boolean;
  readonly isLeaving: boolean;
  readonly hasFinished: boolean;
  readonly isReady: boolean;
  /** An annotation that asks not to be evicted; null for none. */
  readonly protectedBy: string | null;
  readonly tolerations: readonly SeenToleration[];
  /** Its own addresses; none where it has those of the machine. */
  readonly ips: readonly string[];
  /** By the API server's clock, ms. */
  readonly createdMs: number | null;
  /** When it was bound, ms; null before its status tells. */
  readonly boundMs: number | null;
  /** The oldest start of its running containers, by the kubelet's clock, ms. */
  readonly startedMs: number | null;
  /** Of the Pod and of those that are made like it. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Annotations by which people ask autoscalers to leave a Pod where it is. */
const PROTECTIONS: readonly (readonly [key: string, value: string])[] = [
  ['karpenter.sh/do-not-disrupt', 'true'],
  ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'false'],
];
const MIRROR = 'kubernetes.io/config.mirror';
const ENDS = ['Succeeded', 'Failed'];

function controllerOf(pod: JsonObject): PodController | null {
  const owner = listAt(pod, 'metadata.ownerReferences').find(
    (entry) => at(entry, 'controller') === true,
  );
  const [kind, name, uid] = ['kind', 'name', 'uid'].map((field) => textAt(owner, field));
  return kind && name && uid ? { kind, name, uid } : null;
}

function addressesOf(pod: JsonObject): readonly string[] {
  if (at(pod, 'spec.hostNetwork') === true) return [];
  const all = listAt(pod, 'status.podIPs').map((entry) => textAt(entry, 'ip'));
  const first = textAt(pod, 'status.podIP');
  return [...new Set([first, ...all])].filter((ip) => ip !== null);
}

/** Reads a Pod; null for an object without a name, UID or version. */
export function readPod(pod: JsonObject): PodFacts | null {
  const [namespace, name, uid, resourceVersion] = [
    'namespace',
    'name',
    'uid',
    'resourceVersion',
  ].map((field) => textAt(pod, `metadata.${field}`));
  if (!namespace || !name || !uid || !resourceVersion) return null;
  const annotations = textsAt(pod, 'metadata.annotations');
  const controller = controllerOf(pod);
  const bound = conditionOf(pod, 'PodScheduled');
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    nodeName: textAt(pod, 'spec.nodeName') ?? '',
    controller,
    isMirror: Object.hasOwn(annotations, MIRROR) || controller?.kind === 'Node',
    isLeaving: textAt(pod, 'metadata.deletionTimestamp') !== null,
    hasFinished: ENDS.includes(textAt(pod, 'status.phase') ?? ''),
    isReady: textAt(conditionOf(pod, 'Ready'), 'status') === 'True',
    protectedBy: PROTECTIONS.find(([key, value]) => annotations[key] === value)?.[0] ?? null,
    tolerations: listAt(pod, 'spec.tolerations').map(tolerationOf),
    ips: addressesOf(pod),
    createdMs: isoMs(textAt(pod, 'metadata.creationTimestamp')),
    boundMs: textAt(bound, 'status') === 'True' ? isoMs(textAt(bound, 'lastTransitionTime')) : null,
    startedMs: startOf(pod),
    labels: textsAt(pod, 'metadata.labels'),
  };
}

export function nameOf({ namespace, name }: Pick<PodFacts, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
