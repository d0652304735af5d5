import type { JsonObject } from '../../../evidence/json.ts';
import { textAt } from '../../../evidence/json.ts';
import { secondStamp } from '../logs/stamps.ts';
import type { NodeApi } from './node-api.ts';

export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

interface Told {
  readonly name: string;
  readonly firstTimestamp: string;
  count: number;
}

/** So many different messages are remembered; later ones are new events again. */
const REMEMBERED_MAX = 400;

/** Events of one kubelet; the same words about the same object raise a count. */
export class EventRecorder {
  readonly #api: NodeApi;
  readonly #nodeName: string;
  readonly #nowMs: () => number;
  readonly #told = new Map<string, Told>();

  constructor(api: NodeApi, nodeName: string, nowMs: () => number) {
    this.#api = api;
    this.#nodeName = nodeName;
    this.#nowMs = nowMs;
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

  #tell(involvedObject: JsonObject, namespace: string, text: EventText): void {
    const key = `${textAt(involvedObject, 'uid')}/${text.reason}/${text.message}`;
    const told = this.#told.get(key);
    if (told !== undefined && this.#again(told, namespace)) return;
    const now = secondStamp(this.#nowMs());
    const name = `${textAt(involvedObject, 'name')}.${suffixOf(this.#nowMs(), this.#told.size)}`;
    if (this.#told.size >= REMEMBERED_MAX) this.#told.clear();
    this.#told.set(key, { name, firstTimestamp: now, count: 1 });
    const source = { component: 'kubelet', host: this.#nodeName };
    this.#api.ask('events', (client) =>
      client.create({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace },
        involvedObject,
        ...text,
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

  #again(told: Told, namespace: string): boolean {
    told.count += 1;
    const patch = { count: told.count, lastTimestamp: secondStamp(this.#nowMs()) };
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
