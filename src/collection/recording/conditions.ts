import { type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { isoMs } from '../../evidence/time.ts';
import type { ChangeList, Happening } from './change.ts';

/** What is noted of the conditions of an object: `True KubeletReady` by type. */
export type NotedConditions = Readonly<Record<string, string>>;

/** Whose conditions they are. */
export type Owner = Pick<Happening, 'subject' | 'subjectKind' | 'source' | 'uid' | 'boot'>;

const CONDITIONS_MAX = 40;
const MESSAGE_LENGTH_MAX = 600;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly changedMs: number | null;
}

function conditionsOf(object: JsonObject): readonly Condition[] {
  return listAt(object, 'status.conditions')
    .slice(0, CONDITIONS_MAX)
    .map((one) => ({
      type: textAt(one, 'type') ?? '',
      status: textAt(one, 'status') ?? 'Unknown',
      reason: textAt(one, 'reason') ?? '',
      message: (textAt(one, 'message') ?? '').slice(0, MESSAGE_LENGTH_MAX),
      changedMs: isoMs(textAt(one, 'lastTransitionTime')),
    }));
}

/** Where a problem is a condition that is true, a new object without one has nothing to tell. */
function isTelling({ type, status }: Condition, isFirst: boolean): boolean {
  return !isFirst || type === 'Ready' || (status !== 'False' && type !== '');
}

/**
 * Adds each condition that is not as it was noted.
 *
 * @param noted undefined for an object that is seen for the first time
 * @param count how many changes of the object were recorded before
 * @returns what is to be noted
 */
export function addConditions(
  list: ChangeList,
  owner: Owner,
  object: JsonObject,
  noted: NotedConditions | undefined,
  count: number,
): NotedConditions {
  const now: [string, string][] = [];
  for (const condition of conditionsOf(object)) {
    const { type, status, reason } = condition;
    const standing = `${status} ${reason}`;
    now.push([type, standing]);
    if (noted?.[type] === standing || !isTelling(condition, noted === undefined)) continue;
    list.add(conditionHappening(owner, condition, noted?.[type] ?? null, count));
  }
  return Object.fromEntries(now);
}

function conditionHappening(
  owner: Owner,
  { type, status, reason, message, changedMs }: Condition,
  before: string | null,
  count: number,
): Happening {
  // A new reason for the same status leaves the time of its last change as it was.
  const isChanged = before === null || before.split(' ')[0] !== status;
  const atMs = isChanged ? changedMs : null;
  const why = [reason === '' ? '' : ` (${reason})`, message === '' ? '' : `: ${message}`].join('');
  return {
    ...owner,
    atMs,
    kind: 'condition',
    parts: [owner.uid ?? owner.subject, type, status, reason, atMs ?? count],
    what: `${type} is ${status}${why}`,
    more: { type, status, reason, message, before },
  };
}

/** The conditions in a note, which somebody may have changed. */
export function notedConditions(note: Json | undefined): NotedConditions | undefined {
  if (note === undefined || note === null) return undefined;
  const pairs = listAt(note, 'conditions').flatMap((pair): [string, string][] => {
    const [type, standing] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
    return typeof type === 'string' && typeof standing === 'string' ? [[type, standing]] : [];
  });
  return Object.fromEntries(pairs);
}

/** As a note keeps them: names of conditions are values there, so that none is cut as a secret. */
export function conditionPairs(conditions: NotedConditions): Json {
  return Object.entries(conditions).map(([type, standing]) => [type, standing]);
}
