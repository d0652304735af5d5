import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { RecordedEvent, RecordedNote } from '../../ports/recorder.ts';

/** Something that happened, before it is known when and where it was recorded. */
export interface Happening {
  /** ms since the epoch by the clock of the source; null for the time of the look. */
  readonly atMs: number | null;
  readonly subject: string;
  readonly subjectKind: string;
  readonly uid?: string | null;
  readonly kind: string;
  readonly source: string;
  readonly boot?: string | null;
  /** What makes it one fact: the same parts are recorded once, whoever sees them. */
  readonly parts: readonly (string | number | null)[];
  /** One line for people. */
  readonly what: string;
  readonly more?: JsonObject;
}

/** What a look adds to the record. */
export interface Changes {
  readonly happenings: readonly Happening[];
  /** By id; null for what is to be forgotten. */
  readonly notes: ReadonlyMap<string, Json>;
}

/** What is noted so far, by id. */
export type Notes = ReadonlyMap<string, Json>;

export interface Moment {
  readonly cluster: string;
  readonly nowMs: number;
  /** How far the clock of the API server is ahead of this one, ms; null when unknown. */
  readonly skewMs: number | null;
}

const KEY_LENGTH = 22;

/**
 * The same for the same parts: 128 bits, so that two facts are never taken for one.
 *
 * @param atMs the time of the fact by its source, null without one; it comes first, so that an
 *   index of keys grows at its end
 */
export function keyOf(
  parts: readonly (string | number | null)[],
  atMs: number | null = null,
): string {
  const sum = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return `${atMs === null ? '' : `${atMs.toString(36)}.`}${sum.slice(0, KEY_LENGTH)}`;
}

export function eventOfHappening(happening: Happening, moment: Moment): RecordedEvent {
  const { atMs, subject, subjectKind, uid = null, kind, source, boot = null } = happening;
  return {
    atMs: atMs ?? moment.nowMs,
    receivedMs: moment.nowMs,
    cluster: moment.cluster,
    subject,
    subjectKind,
    uid,
    kind,
    source,
    boot,
    // EC2 and the API server keep one time; a clock that disagrees with it is the one here.
    skewMs: atMs === null ? null : moment.skewMs,
    key: keyOf([kind, ...happening.parts], atMs),
    body: { what: happening.what, ...happening.more },
  };
}

export function noteOf(cluster: string, [id, body]: readonly [string, Json]): RecordedNote {
  return { cluster, id, body };
}

/** Collects what one kind of object adds. */
export class ChangeList implements Changes {
  readonly happenings: Happening[] = [];
  readonly notes = new Map<string, Json>();

  add(happening: Happening): void {
    this.happenings.push(happening);
  }

  /** What is noted by now: here, or else before. */
  noted(id: string, before: Notes): Json | undefined {
    const here = this.notes.get(id);
    return here === undefined ? before.get(id) : (here ?? undefined);
  }
}
