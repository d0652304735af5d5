import type { FactRecord, Hit, Observations } from '../evidence/observations.ts';
import {
  isPodReady,
  isSettled,
  podName,
  readyChangedMs,
  runningSinceMs,
  waitsForSandbox,
} from '../domain/pods/pods.ts';
import { isoMs } from '../evidence/time.ts';
import { newestStampMs } from './newest-stamp.ts';
import { seenHit } from './seen-hit.ts';
import type { Subject } from './subject.ts';
import type { Pod } from '../evidence/kube/pod.ts';

const NETWORK_PODS = /^(?:aws-node|calico-node|cilium)-[a-z0-9]+$/;

type PodRecord = FactRecord<'kube/Pod'>;

function waiting(pods: readonly PodRecord[]): readonly Hit[] {
  const [first] = pods;
  if (first === undefined) return [];
  const pod = first.value;
  const name = podName(pod);
  const since = pod.status?.startTime ?? 'an unknown time';
  const words = `pod ${name} has been in ContainerCreating since ${since} (${pods.length} of them on this Node)`;
  return [seenHit(first, 'symptom:sandbox-not-created', words, isoMs(since))];
}

function silentNetwork(pods: readonly PodRecord[]): readonly Hit[] {
  return pods.slice(0, 1).map((fact) => {
    const words = `pod ${podName(fact.value)} of the pod network is not Ready`;
    return seenHit(fact, 'symptom:cni-daemon-silent', words, readyChangedMs(fact.value));
  });
}

function isSilentNetwork(pod: Pod): boolean {
  return pod.namespace === 'kube-system' && NETWORK_PODS.test(pod.name) && !isPodReady(pod);
}

/** What the pods on a machine's Node show to be wrong with it. */
export function podSymptoms(subject: Subject, { collection }: Observations): readonly Hit[] {
  if (collection === null || subject.node === null) return [];
  const isHere = (pod: Pod): boolean =>
    (pod.spec?.nodeName ?? null) === subject.node && isSettled(pod, collection.atMs);
  const pods = subject.facts.of('kube/Pod');
  const waits = pods.filter(({ value }) => waitsForSandbox(value) && isHere(value));
  const silent = pods.filter(({ value }) => isSilentNetwork(value) && isHere(value));
  return [...waiting(waits), ...silentNetwork(silent)];
}

/** True when a pod of the pod network began to run on the machine after it was said. */
export function hasStartedPod({ kind, node, facts }: Subject, { last }: Hit): boolean {
  const { when } = last.moment;
  if (kind !== 'Machine' || when === null || when.yearless || when.clock !== 'utc') return false;
  return facts
    .of('kube/Pod')
    .some(
      ({ value }) =>
        (value.spec?.nodeName ?? null) === node &&
        value.spec?.hostNetwork !== true &&
        (runningSinceMs(value) ?? 0) > when.ms,
    );
}

/** What is known beside a subject. */
export type Surroundings = Pick<Observations, 'hits' | 'facts' | 'listings' | 'collection'>;

/**
 * True for events that ended with a pod which is Ready by now, is gone, or is so young that it may
 * come up by itself: pods that wait for long are seen in their own state. Without the pods, events
 * that came no more say the same.
 */
export function isOfWellPod(hit: Hit, { facts }: Subject, surroundings: Surroundings): boolean {
  const { last } = hit;
  const name = last.source === 'event' ? / pod\/(\S+) /.exec(last.excerpt)?.[1] : undefined;
  if (name === undefined) return false;
  const pod = facts.of('kube/Pod').find(({ value }) => value.name === name);
  if (pod === undefined)
    return (
      surroundings.listings.some(({ kind }) => kind === 'kube/Pod') || isOver(hit, surroundings)
    );
  return isPodReady(pod.value) || isYoung(pod.value, hit, surroundings);
}

/**
 * A kubelet tries a sandbox again every some ten seconds, and client-go's recorder lets one event of
 * a pod through in five minutes at the least (`tools/record/events_cache.go`): three times that.
 */
const SANDBOX_SILENCE_MS = 900_000;

/** True for sandboxes of which nothing was heard while the evidence goes on: they were made since. */
function isOver({ owner, last }: Hit, surroundings: Surroundings): boolean {
  const { when } = last.moment;
  if (owner !== 'symptom:sandbox-not-created') return false;
  if (when === null || when.yearless || when.clock !== 'utc') return false;
  return newestStampMs(surroundings) - when.ms > SANDBOX_SILENCE_MS;
}

/** True for a pod that was not seen for longer than a healthy one takes to come up. */
function isYoung(pod: Pod, { last }: Hit, surroundings: Surroundings): boolean {
  const { collection } = surroundings;
  if (collection !== null) return !isSettled(pod, collection.atMs);
  // Of what others collected nobody knows the moment; an event that has its stamp is no later.
  const { when } = last.moment;
  if (when === null || when.yearless || when.clock !== 'utc') return false;
  const hasStarted = (pod.status?.startTime ?? null) !== null;
  return hasStarted && !isSettled(pod, newestStampMs(surroundings));
}
