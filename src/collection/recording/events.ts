import { type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { isoMs } from '../../evidence/time.ts';
import type { Happening } from './change.ts';

const MESSAGE_LENGTH_MAX = 2000;
/** Times of an Event, the latest that it tells first. */
const TIMES = ['lastTimestamp', 'eventTime', 'firstTimestamp', 'metadata.creationTimestamp'];

/** Whom an Event of Kubernetes concerns: a kubelet's concerns its Node, whatever Pod it names. */
interface Concerned {
  readonly subject: string;
  readonly subjectKind: string;
  readonly uid: string | null;
  /** `kube-system/aws-node-x` where it is a Pod's on a Node. */
  readonly pod: string | null;
}

function firstText(value: JsonObject, paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = textAt(value, path);
    if (text !== null && text !== '') return text;
  }
  return null;
}

/** An object in `core/v1` (`involvedObject`) or `events.k8s.io` (`regarding`). */
function concerned(event: JsonObject): Concerned {
  const one = (field: string): string | null =>
    firstText(event, [`involvedObject.${field}`, `regarding.${field}`]);
  const kind = one('kind') ?? '';
  const name = one('name') ?? '';
  const namespace = one('namespace');
  const host = firstText(event, ['source.host', 'deprecatedSource.host']);
  const full = namespace === null ? name : `${namespace}/${name}`;
  if (kind === 'Pod' && host !== null)
    return { subject: host, subjectKind: 'Node', uid: null, pod: full };
  const isOfCluster = kind === 'Node' || kind === 'NodeClaim';
  return { subject: isOfCluster ? name : full, subjectKind: kind, uid: one('uid'), pod: null };
}

/** An Event as it stands now; one that repeats is another row with each higher count. */
export function happeningOfEvent(event: JsonObject): Happening | null {
  const { subject, subjectKind, uid, pod } = concerned(event);
  const reason = textAt(event, 'reason');
  const id = textAt(event, 'metadata.uid');
  if (reason === null || subject === '' || id === null) return null;
  const message = (firstText(event, ['message', 'note']) ?? '').slice(0, MESSAGE_LENGTH_MAX);
  const count = Number(textAt(event, 'count') ?? 1);
  const time = firstText(event, TIMES);
  const source = firstText(event, ['source.component', 'reportingComponent']) ?? 'Event';
  const about = pod === null ? '' : `${pod}: `;
  return {
    atMs: isoMs(time),
    subject,
    subjectKind,
    uid,
    kind: 'event',
    source,
    parts: [id, count, time],
    what: `${about}${reason}: ${message}`,
    more: {
      reason,
      message,
      type: textAt(event, 'type'),
      event: id,
      count,
      first: textAt(event, 'firstTimestamp'),
      pod,
    },
  };
}

/** Remembers which Events were recorded lately, so that each look need not offer all of them. */
export class EventsOffered {
  readonly #keys = new Set<string>();
  readonly #most: number;

  constructor(most = 50_000) {
    this.#most = most;
  }

  /** What was not offered before; the oldest that are remembered are forgotten first. */
  fresh(events: readonly JsonObject[]): readonly Happening[] {
    return events.flatMap((event) => {
      const happening = happeningOfEvent(event);
      if (happening === null) return [];
      const key = JSON.stringify(happening.parts satisfies Json);
      if (this.#keys.has(key)) return [];
      this.#keys.add(key);
      if (this.#keys.size > this.#most) this.#forgetFirst();
      return [happening];
    });
  }

  #forgetFirst(): void {
    const [first] = this.#keys;
    if (first !== undefined) this.#keys.delete(first);
  }
}
