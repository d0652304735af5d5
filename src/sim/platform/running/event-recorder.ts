import type { JsonObject } from '../../../evidence/json.ts';
import { type ObjectReference, referenceTo } from '../objects/meta.ts';
import { microTime, timestamp } from '../objects/stamp.ts';
import type { Actor } from './actor.ts';
import { createEventCorrelator, type EventText, trim } from './event-correlator.ts';

/** Writes events; the same text about the same object counts up instead of being written again. */
export interface EventRecorder {
  record(involved: ObjectReference, text: EventText): void;
}

interface Recorded {
  /** `namespace/name` of the Event. */
  readonly key: string;
  readonly count: number;
}

const NANOSECONDS_PER_MS = 1_000_000n;
const DEFAULT_NAMESPACE = 'default';

/** `node.18c3a1b2f4d5e6a7`: the object's name and the moment in nanoseconds. */
export function eventName(involvedName: string, atMs: number, sequence: number): string {
  return `${involvedName}.${(BigInt(Math.trunc(atMs)) * NANOSECONDS_PER_MS + BigInt(sequence)).toString(16)}`;
}

function namespaceFor({ namespace }: ObjectReference): string {
  return namespace === undefined || namespace === '' ? DEFAULT_NAMESPACE : namespace;
}

/** Events of core/v1 as client-go's tools/record writes them, by controllers and the kubelet. */
export function createEventRecorder(actor: Actor, component: string): EventRecorder {
  const recorded = new Map<string, Recorded>();
  const correlator = createEventCorrelator(() => actor.kernel.nowMs());
  let sequence = 0;
  return {
    record: (involved, given) => {
      const object = [involved.kind, namespaceFor(involved), involved.name, involved.uid].join(
        '\n',
      );
      const text = correlator.correlated(object, given);
      if (text === null) return;
      const { type, reason, message } = text;
      const key = text.isCombined ? [object, type, reason] : [object, type, reason, message];
      const known = recorded.get(key.join('\n'));
      const next = known === undefined ? null : countUp(actor, known, message);
      recorded.set(key.join('\n'), next ?? create(actor, component, involved, text, ++sequence));
      trim(recorded);
    },
  };
}

function create(
  actor: Actor,
  component: string,
  involved: ObjectReference,
  { type, reason, message }: EventText,
  sequence: number,
): Recorded {
  const atMs = actor.kernel.nowMs();
  const namespace = namespaceFor(involved);
  const name = eventName(involved.name, atMs, sequence);
  actor.client.create({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace },
    involvedObject: { ...involved },
    type,
    reason,
    message,
    source: { component },
    firstTimestamp: timestamp(atMs),
    lastTimestamp: timestamp(atMs),
    count: 1,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: '',
  });
  return { key: `${namespace}/${name}`, count: 1 };
}

/** null when the Event is gone by now, as they live for an hour. */
function countUp(actor: Actor, { key, count }: Recorded, message: string): Recorded | null {
  const lastTimestamp = timestamp(actor.kernel.nowMs());
  const patch = { count: count + 1, lastTimestamp, message };
  const outcome = actor.client.patch('Event', key, 'strategic', patch);
  return outcome.ok ? { key, count: count + 1 } : null;
}

/** How long a series stays open without a new event (client-go tools/events finishTime). */
const SERIES_OPEN_MS = 6 * 60_000;
/** How often an open series is written again (refreshTime). */
const SERIES_REFRESH_MS = 30 * 60_000;

interface Series {
  readonly key: string;
  readonly count: number;
  readonly lastMs: number;
  readonly writtenMs: number;
}

export interface SeriesText extends EventText {
  readonly action: string;
}

/**
 * Events as tools/events writes them for the scheduler: the second one of a kind about an object
 * opens a series, and later ones are counted without being written until the series is refreshed.
 */
export function createSeriesRecorder(
  actor: Actor,
  controller: string,
): { record(involved: ObjectReference, text: SeriesText): void } {
  const open = new Map<string, Series>();
  let sequence = 0;
  const begun = (involved: ObjectReference, text: SeriesText): Series => {
    const atMs = actor.kernel.nowMs();
    const namespace = namespaceFor(involved);
    const name = eventName(involved.name, atMs, ++sequence);
    actor.client.create(seriesEvent(actor, controller, { namespace, name }, involved, text));
    return { key: `${namespace}/${name}`, count: 1, lastMs: atMs, writtenMs: atMs };
  };
  return {
    record: (involved, text) => {
      const key = [text.reason, text.action, involved.uid].join('\n');
      const known = open.get(key);
      const isOpen = known !== undefined && actor.kernel.nowMs() - known.lastMs <= SERIES_OPEN_MS;
      open.delete(key);
      open.set(key, isOpen ? continued(actor, known) : begun(involved, text));
      trim(open);
    },
  };
}

function seriesEvent(
  actor: Actor,
  controller: string,
  metadata: { readonly namespace: string; readonly name: string },
  involved: ObjectReference,
  { type, reason, message, action }: SeriesText,
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { ...metadata },
    involvedObject: { ...involved },
    type,
    reason,
    message,
    action,
    eventTime: microTime(actor.kernel.nowMs()),
    reportingComponent: controller,
    reportingInstance: `${controller}-control-plane`,
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
  };
}

function continued(actor: Actor, series: Series): Series {
  const nowMs = actor.kernel.nowMs();
  const next = { ...series, count: series.count + 1, lastMs: nowMs };
  if (series.count > 1 && nowMs - series.writtenMs < SERIES_REFRESH_MS) return next;
  const patch = { series: { count: next.count, lastObservedTime: microTime(nowMs) } };
  actor.client.patch('Event', series.key, 'strategic', patch);
  return { ...next, writtenMs: nowMs };
}

export function recordAbout(recorder: EventRecorder, object: JsonObject, text: EventText): void {
  recorder.record(referenceTo(object), text);
}
