import type { JsonObject } from '../../../evidence/json.ts';
import { textAt } from '../../../evidence/json.ts';
import {
  createEventCorrelator,
  type EventCorrelator,
  type EventText,
  trim,
} from '../../platform/running/event-correlator.ts';
import { secondStamp } from '../logs/stamps.ts';
import type { NodeApi } from './node-api.ts';

interface Told {
  readonly name: string;
  count: number;
}

/** Events of one kubelet; the same words about the same object raise a count, floods are combined. */
export class EventRecorder {
  readonly #api: NodeApi;
  readonly #nodeName: string;
  readonly #nowMs: () => number;
  readonly #correlator: EventCorrelator;
  readonly #told = new Map<string, Told>();
  #written = 0;

  constructor(api: NodeApi, nodeName: string, nowMs: () => number) {
    this.#api = api;
    this.#nodeName = nodeName;
    this.#nowMs = nowMs;
    this.#correlator = createEventCorrelator(nowMs);
  }

  ofNode(text: EventText): void {
    const name = this.#nodeName;
    this.#tell({ kind: 'Node', name, uid: name }, 'default', text);
  }

  /** @param fieldPath `spec.containers{app}` */
  ofPod(pod: JsonObject, text: EventText, fieldPath?: string): void {
    const namespace = textAt(pod, 'metadata.namespace') ?? 'default';
    const involved = {
      kind: 'Pod',
      namespace,
      name: textAt(pod, 'metadata.name') ?? '',
      uid: textAt(pod, 'metadata.uid') ?? '',
      apiVersion: 'v1',
      resourceVersion: textAt(pod, 'metadata.resourceVersion') ?? '',
      ...(fieldPath === undefined ? {} : { fieldPath }),
    };
    this.#tell(involved, namespace, text);
  }

  #tell(involvedObject: JsonObject, namespace: string, given: EventText): void {
    const object = `${textAt(involvedObject, 'kind')}/${textAt(involvedObject, 'uid')}`;
    const text = this.#correlator.correlated(object, given);
    if (text === null) return;
    const { isCombined, ...words } = text;
    const key = `${object}/${words.reason}/${isCombined ? '' : words.message}`;
    const told = this.#told.get(key);
    if (told !== undefined && this.#again(told, namespace, words.message)) return;
    const now = secondStamp(this.#nowMs());
    const name = `${textAt(involvedObject, 'name')}.${suffixOf(this.#nowMs(), this.#written++)}`;
    this.#told.set(key, { name, count: 1 });
    trim(this.#told);
    const source = { component: 'kubelet', host: this.#nodeName };
    this.#api.ask('events', (client) =>
      client.create({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace },
        involvedObject,
        ...words,
        source,
        firstTimestamp: now,
        lastTimestamp: now,
        count: 1,
        eventTime: null,
        reportingComponent: 'kubelet',
        reportingInstance: this.#nodeName,
      }),
    );
  }

  #again(told: Told, namespace: string, message: string): boolean {
    told.count += 1;
    const lastTimestamp = secondStamp(this.#nowMs());
    const patch = { count: told.count, lastTimestamp, message };
    const answer = this.#api.ask('events', (client) =>
      client.patch('Event', `${namespace}/${told.name}`, 'strategic', patch),
    );
    return answer.ok || answer.code !== 404;
  }
}

/** Names of events end in the nanoseconds of their first time, in hexadecimal. */
function suffixOf(nowMs: number, count: number): string {
  return (BigInt(Math.floor(nowMs)) * 1_000_000n + BigInt(count)).toString(16);
}
