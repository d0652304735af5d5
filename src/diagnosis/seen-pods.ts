import { at, type Json, listAt, textAt } from '../evidence/json.ts';
import type { KubeObject } from '../evidence/kinds.ts';
import type { FactRecord, Hit, Observations } from '../evidence/observations.ts';
import { isoMs } from '../evidence/time.ts';
import { seenHit } from './seen-hit.ts';
import type { Subject } from './subject.ts';

/** A sandbox is made in seconds; two minutes also cover a slow image pull of the CNI. */
const WAITING_NORMAL_MS = 120_000;
const NETWORK_PODS = /^(?:aws-node|calico-node|cilium)-[a-z0-9]+$/;

type PodRecord = FactRecord<'kube/Pod'>;

function isSettled(pod: KubeObject, nowMs: number): boolean {
  const startedMs = isoMs(textAt(pod.body, 'status.startTime') ?? '');
  return startedMs !== null && nowMs - startedMs > WAITING_NORMAL_MS;
}

function isConditionTrue(pod: KubeObject, type: string): boolean {
  return listAt(pod.body, 'status.conditions').some(
    (entry) => textAt(entry, 'type') === type && textAt(entry, 'status') === 'True',
  );
}

function isCreating(status: Json): boolean {
  const reason = textAt(status, 'state.waiting.reason') ?? '';
  return reason === 'ContainerCreating' || reason === 'PodInitializing';
}

/** A pod that waits for its sandbox: no address, nothing started, and not for its volumes. */
export function waitsForSandbox(pod: KubeObject): boolean {
  if (at(pod.body, 'spec.hostNetwork') === true) return false;
  if (textAt(pod.body, 'metadata.deletionTimestamp') !== null) return false;
  if (textAt(pod.body, 'status.podIP') !== null) return false;
  if (isConditionTrue(pod, 'PodReadyToStartContainers')) return false;
  const statuses = [
    ...listAt(pod.body, 'status.containerStatuses'),
    ...listAt(pod.body, 'status.initContainerStatuses'),
  ];
  return statuses.some(isCreating);
}

function waiting(pods: readonly PodRecord[]): readonly Hit[] {
  const [first] = pods;
  if (first === undefined) return [];
  const pod = first.value;
  const name = `${pod.namespace ?? 'default'}/${pod.name}`;
  const since = textAt(pod.body, 'status.startTime') ?? 'an unknown time';
  const words = `pod ${name} waits in ContainerCreating since ${since} (${pods.length} of them on this Node)`;
  return [seenHit(first, 'symptom:sandbox-not-created', words)];
}

function silentNetwork(pods: readonly PodRecord[]): readonly Hit[] {
  return pods.slice(0, 1).map((fact) => {
    const words = `pod ${fact.value.namespace ?? ''}/${fact.value.name} of the pod network is not Ready`;
    return seenHit(fact, 'symptom:cni-daemon-silent', words);
  });
}

/** What the pods on a machine's Node show to be wrong with it. */
export function podSymptoms(subject: Subject, { collection }: Observations): readonly Hit[] {
  if (collection === null || subject.node === null) return [];
  const here = subject.facts
    .of('kube/Pod')
    .filter(({ value }) => textAt(value.body, 'spec.nodeName') === subject.node)
    .filter(({ value }) => isSettled(value, collection.atMs));
  const silent = here.filter(
    ({ value }) =>
      value.namespace === 'kube-system' &&
      NETWORK_PODS.test(value.name) &&
      !isConditionTrue(value, 'Ready'),
  );
  return [...waiting(here.filter(({ value }) => waitsForSandbox(value))), ...silentNetwork(silent)];
}
