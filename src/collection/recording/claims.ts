import { at, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { isoMs } from '../../evidence/time.ts';
import { ChangeList, type Changes, type Notes } from './change.ts';
import { addConditions, conditionPairs, notedConditions, type Owner } from './conditions.ts';
import { addLink } from './links.ts';
import type { SeenObjects } from './seen.ts';

const PREFIX = 'claim/';

/**
 * What happened to Karpenter's NodeClaims since they were noted.
 *
 * @param isWhole false where their list is not known to be complete
 */
export function claimChanges(
  { claims, presentClaims }: SeenObjects,
  notes: Notes,
  isWhole: boolean,
): Changes {
  const list = new ChangeList();
  for (const claim of claims) {
    const uid = textAt(claim, 'metadata.uid');
    if (uid !== null) addClaim(list, claim, uid, list.noted(PREFIX + uid, notes));
  }
  if (!isWhole) return list;
  for (const [id, note] of new Map([...notes, ...list.notes]))
    if (id.startsWith(PREFIX) && note !== null && !presentClaims.has(id.slice(PREFIX.length)))
      addGone(list, id, note);
  return list;
}

function addClaim(
  list: ChangeList,
  claim: JsonObject,
  uid: string,
  before: Json | undefined,
): void {
  const name = textAt(claim, 'metadata.name') ?? uid;
  const owner: Owner = { subject: name, subjectKind: 'NodeClaim', source: 'NodeClaim', uid };
  const created = isoMs(textAt(claim, 'metadata.creationTimestamp'));
  const changes = Number(at(before, 'changes') ?? 0);
  if (before === undefined) addMoment(list, owner, created, 'created');
  const instance = instanceIdIn(textAt(claim, 'status.providerID') ?? '');
  if (instance !== null && textAt(before, 'instance') !== instance)
    addLink(list, { claim: name, uid, instance, atMs: created });
  const conditions = addConditions(list, owner, claim, notedConditions(before), changes);
  const deleting = textAt(claim, 'metadata.deletionTimestamp');
  if (deleting !== null && textAt(before, 'deleting') === null)
    addMoment(list, owner, isoMs(deleting), 'deleting');
  const now = { name, instance, conditions: conditionPairs(conditions), deleting };
  const isSame =
    before !== undefined && JSON.stringify({ ...now, changes }) === JSON.stringify(before);
  if (!isSame)
    list.notes.set(PREFIX + uid, { ...now, changes: changes + (before === undefined ? 0 : 1) });
}

const WORDS = {
  created: 'is created',
  deleting: 'is being deleted',
  deleted: 'is gone',
} as const;

function addMoment(
  list: ChangeList,
  owner: Owner,
  atMs: number | null,
  moment: keyof typeof WORDS,
): void {
  const what = `NodeClaim ${owner.subject} ${WORDS[moment]}`;
  list.add({ ...owner, atMs, kind: `claim-${moment}`, parts: [owner.uid ?? null], what });
}

function addGone(list: ChangeList, id: string, note: Json): void {
  const uid = id.slice(PREFIX.length);
  const subject = textAt(note, 'name') ?? uid;
  const owner: Owner = { subject, subjectKind: 'NodeClaim', source: 'NodeClaim', uid };
  addMoment(list, owner, null, 'deleted');
  list.notes.set(id, null);
}
