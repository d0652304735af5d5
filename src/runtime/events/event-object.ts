import type { JsonObject } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { KubeResource } from '../../ports/kube-api.ts';
import type { EventNote, EventSubject } from './event-correlator.ts';

export const EVENTS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  isNamespaced: true,
};

/** Of a note in events.k8s.io/v1, which the API server checks for new Events. */
const MESSAGE_CHARS_MAX = 1000;
const NAME_CHARS_MAX = 220;
/** Where kubectl describe looks for Events of objects without a namespace. */
const NAMESPACE_OF_CLUSTER = 'default';

export interface EventSource {
  /** `rollcall-controller`. */
  readonly component: string;
  /** Which of several programs, such as the name of its Pod. */
  readonly instance: string;
}

export interface NewEvent {
  readonly note: EventNote;
  readonly count: number;
  readonly source: EventSource;
  /** Wall clock, ms since the Unix epoch. */
  readonly atMs: number;
  /** What makes its name another one than those of the same object at the same time. */
  readonly suffix: string;
}

export function namespaceOfEvent(about: EventSubject): string {
  return about.namespace ?? NAMESPACE_OF_CLUSTER;
}

export function eventObject({ note, count, source, atMs, suffix }: NewEvent): JsonObject {
  const { about, type, reason, action } = note;
  const { namespace, ...rest } = about;
  const name = `${about.name.slice(0, NAME_CHARS_MAX)}.${Math.trunc(atMs).toString(16)}${suffix}`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: namespaceOfEvent(about), name },
    involvedObject: namespace === null ? { ...rest } : { ...rest, namespace },
    type,
    reason,
    ...(action === undefined ? {} : { action }),
    message: shownMessage(note),
    count,
    firstTimestamp: timeOf(atMs),
    lastTimestamp: timeOf(atMs),
    source: { component: source.component },
    reportingComponent: source.component,
    reportingInstance: source.instance,
  };
}

/** What changes when the same is noted again. */
export function eventChange(note: EventNote, count: number, atMs: number): JsonObject {
  return { message: shownMessage(note), count, lastTimestamp: timeOf(atMs) };
}

function shownMessage({ message }: EventNote): string {
  return excerptOf(message, MESSAGE_CHARS_MAX);
}

/** As Kubernetes writes a Time: without a fraction. */
function timeOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}
