import { checksumOf } from '../evidence/checksum.ts';
import { isObject, type Json, type JsonObject, textAt } from '../evidence/json.ts';
import { redactKeys, redactValue } from '../evidence/redact.ts';
import type { Action, ActionOutcome } from './action.ts';
import type { RecordedEvent } from './recorder.ts';

/** When and where an action is recorded. */
export interface ActionMoment {
  readonly cluster: string;
  /** ms since the Unix epoch. */
  readonly atMs: number;
  readonly isDryRun: boolean;
}

/** How an action ended, and the object as the server last answered it. */
export interface ActionEnd {
  readonly outcome: ActionOutcome;
  /** One sentence. */
  readonly why: string;
  /** null when the server answered none. */
  readonly object: JsonObject | null;
}

/** The record of an intention, written before anything is sent. */
export function intendedRecord(action: Action, moment: ActionMoment): RecordedEvent {
  const { id, object, why, undo } = action;
  return recordOf(action, moment, 'action-intended', {
    id,
    isDryRun: moment.isDryRun,
    object: {
      group: object.resource.group,
      version: object.resource.version,
      plural: object.resource.plural,
      kind: object.resource.kind,
      namespace: object.namespace,
      name: object.name,
      seen: object.seen === null ? null : { ...object.seen },
    },
    why: { ...why },
    undo: undo === null ? null : { ...undo },
    write: recordedWrite(action),
  });
}

/** The record of what became of it; the object by its UID and version alone. */
export function endedRecord(action: Action, moment: ActionMoment, end: ActionEnd): RecordedEvent {
  return recordOf(action, moment, 'action-ended', {
    id: action.id,
    isDryRun: moment.isDryRun,
    outcome: end.outcome,
    why: end.why,
    uid: textAt(end.object ?? undefined, 'metadata.uid'),
    resourceVersion: textAt(end.object ?? undefined, 'metadata.resourceVersion'),
  });
}

function recordOf(
  { object, askedBy }: Action,
  { cluster, atMs }: ActionMoment,
  kind: string,
  body: JsonObject,
): RecordedEvent {
  const clean = redactKeys(redactValue<Json>(body));
  return {
    atMs,
    receivedMs: atMs,
    cluster,
    subject: object.name,
    subjectKind: object.resource.kind,
    uid: object.seen?.uid ?? null,
    kind,
    source: askedBy,
    boot: null,
    skewMs: null,
    key: null,
    body: clean,
  };
}

/** Far below what a recorder takes of one event, in UTF-16 units of its JSON. */
const WRITE_CHARS_MAX = 16 * 1024;

/** The write itself: of a Secret its kind alone; of a ConfigMap, whose texts are of others, and of a long one a checksum. */
function recordedWrite({ object, write }: Action): Json {
  const { verb, ...content } = write;
  const { group, plural } = object.resource;
  if (group === '' && plural === 'secrets') return { verb, isSecret: true };
  const text = JSON.stringify(content);
  const isConfigMap = group === '' && plural === 'configmaps';
  if (text.length <= WRITE_CHARS_MAX && !isConfigMap) return { verb, ...plain(content) };
  return { verb, chars: text.length, checksum: checksumOf(text) };
}

function plain(content: object): JsonObject {
  const copy = JSON.parse(JSON.stringify(content)) as Json;
  return isObject(copy) ? copy : {};
}
