import type { FactRecord, Hit, Observations } from '../evidence/observations.ts';
import { isoMs } from '../evidence/time.ts';
import { groupSymptoms } from './seen-groups.ts';
import { podSymptoms } from './seen-pods.ts';
import { seenHit } from './seen-hit.ts';
import type { Subject } from './subject.ts';
import type { Instance } from '../evidence/aws/instance.ts';

/** A healthy machine has registered by then; Windows and large images take longest. */
export const REGISTRATION_NORMAL_MS = 300_000;

/** What the state of an instance is, null when the answer does not say. */
function stateOf(instance: Instance): string | null {
  return instance.State?.Name ?? null;
}

/** The running instance of a subject that has no Node in a complete list of Nodes, null otherwise. */
export function instanceWithoutNode(
  subject: Subject,
  observations: Observations,
): FactRecord<'aws/instance'> | null {
  if (subject.kind !== 'Machine' || subject.facts.has('kube/Node')) return null;
  if (!observations.listings.some(({ kind }) => kind === 'kube/Node')) return null;
  const own = subject.facts
    .of('aws/instance')
    .find(({ value }) => (value.InstanceId ?? null) === subject.instanceId);
  return own !== undefined && stateOf(own.value) === 'running' ? own : null;
}

/** How long the instance has run when the evidence was collected, ms; null when nobody knows. */
export function ageOf(instance: Instance, observations: Observations): number | null {
  const launchedMs = isoMs(instance.LaunchTime ?? '');
  const atMs = observations.collection?.atMs ?? null;
  return launchedMs === null || atMs === null ? null : atMs - launchedMs;
}

/** Symptoms that only lists and states show, as hits beside those which lines show. */
export function seenSymptoms(subject: Subject, observations: Observations): readonly Hit[] {
  if (subject.kind === 'Cluster') return groupSymptoms(observations);
  if (subject.kind !== 'Machine') return [];
  return [
    ...withoutNode(subject, observations),
    ...podSymptoms(subject, observations),
    ...cordoned(subject),
  ];
}

/** A Node that is well and takes no pods: on purpose, or because a drain stopped halfway. */
function cordoned({ facts }: Subject): readonly Hit[] {
  const closed = facts
    .of('kube/Node')
    .find(({ value }) => value.ready === true && value.unschedulable === true);
  if (closed === undefined) return [];
  const words = `Node ${closed.value.name} is Ready, spec.unschedulable true`;
  const taint = closed.value.taints?.find(({ key }) => key === 'node.kubernetes.io/unschedulable');
  return [seenHit(closed, 'symptom:node-cordoned', words, taint?.addedMs ?? null)];
}

function withoutNode(subject: Subject, observations: Observations): readonly Hit[] {
  const lonely = instanceWithoutNode(subject, observations);
  if (lonely === null) return [];
  const age = ageOf(lonely.value, observations);
  if (age !== null && age < REGISTRATION_NORMAL_MS) return [];
  const since = lonely.value.LaunchTime ?? 'an unknown time';
  const name = lonely.value.PrivateDnsName ?? '';
  const words = `instance ${subject.instanceId ?? ''} ${name} runs since ${since} and has no Node`;
  return [seenHit(lonely, 'symptom:machine-without-node', words, isoMs(since))];
}
