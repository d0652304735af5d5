import type { Json, JsonObject } from '../evidence/json.ts';
import { redactKeys, redactValue } from '../evidence/redact.ts';
import type { ActionOutcome, ActionReason, ActionUndo } from './action.ts';
import type { AwsCall } from './aws-api.ts';
import type { RecordedEvent } from './recorder.ts';

/** What a call to AWS changes, by names that a person can look up. */
export interface AwsActionObject {
  /** `AccessEntry`, `Instance`, `NetworkInterface`. */
  readonly kind: string;
  /** ARN or id. */
  readonly name: string;
  /** What was seen of it when the call was decided; null for what was seen to be absent. */
  readonly seen: JsonObject | null;
}

/** One change in AWS that somebody decided, as data. */
export interface AwsAction {
  /** Ties the records of one action together, and is its idempotency token. */
  readonly id: string;
  readonly object: AwsActionObject;
  readonly call: AwsCall;
  readonly why: ActionReason;
  /** The controller, or the command that was typed. */
  readonly askedBy: string;
  /** null when it cannot be taken back. */
  readonly undo: ActionUndo | null;
}

/** When and where it is recorded. */
export interface AwsActionMoment {
  readonly cluster: string;
  /** ms since the Unix epoch. */
  readonly atMs: number;
  readonly isDryRun: boolean;
}

/** The record of an intention, written before anything is sent. */
export function intendedAwsRecord(action: AwsAction, moment: AwsActionMoment): RecordedEvent {
  const { id, object, call, why, undo } = action;
  return recordOf(action, moment, 'action-intended', {
    id,
    isDryRun: moment.isDryRun,
    object: { ...object },
    why: { ...why },
    undo: undo === null ? null : { ...undo },
    write: { verb: `${call.service}:${call.operation}`, input: call.input },
  });
}

/** The record of what became of it. */
export function endedAwsRecord(
  action: AwsAction,
  moment: AwsActionMoment,
  end: { readonly outcome: ActionOutcome; readonly why: string },
): RecordedEvent {
  return recordOf(action, moment, 'action-ended', {
    id: action.id,
    isDryRun: moment.isDryRun,
    ...end,
  });
}

function recordOf(
  { object, askedBy }: AwsAction,
  { cluster, atMs }: AwsActionMoment,
  kind: string,
  body: JsonObject,
): RecordedEvent {
  return {
    atMs,
    receivedMs: atMs,
    cluster,
    subject: object.name,
    subjectKind: object.kind,
    uid: null,
    kind,
    source: askedBy,
    boot: null,
    skewMs: null,
    key: null,
    body: redactKeys(redactValue<Json>(body)),
  };
}
