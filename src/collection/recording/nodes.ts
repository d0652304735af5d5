import { at, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { isoMs } from '../../evidence/time.ts';
import { ChangeList, type Changes, type Moment, type Notes } from './change.ts';
import { addConditions, conditionPairs, notedConditions, type Owner } from './conditions.ts';
import { addLink } from './links.ts';
import type { SeenObjects } from './seen.ts';

/** So long it is remembered which UID a name had, to report a Node that is created again. */
const REMEMBERED_MS = 24 * 3_600_000;
const PREFIX = 'node/';

/**
 * What happened to the Nodes since they were noted.
 *
 * @param isWhole false where the list of Nodes is not known to be complete
 */
export function nodeChanges(
  { nodes, presentNodes }: SeenObjects,
  notes: Notes,
  moment: Moment,
  isWhole: boolean,
): Changes {
  const list = new ChangeList();
  for (const node of nodes) {
    const uid = textAt(node, 'metadata.uid');
    if (uid !== null) addNode(list, node, uid, notes);
  }
  if (isWhole) addDeleted(list, presentNodes, notes, moment);
  return list;
}

function addNode(list: ChangeList, node: JsonObject, uid: string, notes: Notes): void {
  const id = PREFIX + uid;
  const before = list.noted(id, notes);
  const name = textAt(node, 'metadata.name') ?? uid;
  // A Node that just registered says '' until its kubelet reports.
  const boot = textAt(node, 'status.nodeInfo.bootID') || textAt(before, 'boot') || null;
  const owner: Owner = { subject: name, subjectKind: 'Node', source: 'Node', uid, boot };
  const changes = Number(at(before, 'changes') ?? 0);
  if (before === undefined) addCreated(list, node, owner, notes);
  const instance = instanceIdIn(textAt(node, 'spec.providerID') ?? '');
  if (instance !== null && textAt(before, 'instance') !== instance)
    addLink(list, { node: name, uid, instance, atMs: createdMsOf(node) });
  const conditions = addConditions(list, owner, node, notedConditions(before), changes);
  addBoot(list, owner, textAt(before, 'boot') || null);
  const marks = marksOf(node);
  addMarks(list, owner, marks, textAt(before, 'marks'), changes);
  const deleting = textAt(node, 'metadata.deletionTimestamp');
  if (deleting !== null && textAt(before, 'deleting') === null) addDeleting(list, owner, deleting);
  const now = {
    name,
    created: textAt(node, 'metadata.creationTimestamp'),
    instance,
    boot,
    conditions: conditionPairs(conditions),
    marks,
    deleting,
  };
  // The count tells apart what comes back: it changes with everything else.
  const isSame =
    before !== undefined && JSON.stringify({ ...now, changes }) === JSON.stringify(before);
  if (!isSame) list.notes.set(id, { ...now, changes: changes + (before === undefined ? 0 : 1) });
}

function createdMsOf(node: JsonObject): number | null {
  return isoMs(textAt(node, 'metadata.creationTimestamp'));
}

function addCreated(list: ChangeList, node: JsonObject, owner: Owner, notes: Notes): void {
  const former = formerUid(notes, owner.subject);
  const version = textAt(node, 'status.nodeInfo.kubeletVersion');
  const provider = textAt(node, 'spec.providerID');
  const again = former === null ? '' : ` again; its UID was ${former}`;
  list.add({
    ...owner,
    atMs: createdMsOf(node),
    kind: 'node-created',
    parts: [owner.uid ?? null],
    what: `Node ${owner.subject} is created${again}`,
    more: { version, provider, former },
  });
}

/** The UID of another Node that had this name, the latest one noted. */
function formerUid(notes: Notes, name: string): string | null {
  const found = [...notes].findLast(
    ([id, note]) => id.startsWith(PREFIX) && textAt(note, 'name') === name,
  );
  return found === undefined ? null : found[0].slice(PREFIX.length);
}

function addBoot(list: ChangeList, owner: Owner, before: string | null): void {
  const { boot = null } = owner;
  if (before === null || boot === null || boot === before) return;
  list.add({
    ...owner,
    atMs: null,
    kind: 'node-rebooted',
    parts: [owner.uid ?? null, boot],
    what: `the machine rebooted`,
    more: { before, after: boot },
  });
}

/** `cordoned` and taints, in one line. */
function marksOf(node: JsonObject): string {
  const taints = listAt(node, 'spec.taints').map(taintText);
  const cordoned = at(node, 'spec.unschedulable') === true ? ['cordoned'] : [];
  return [...cordoned, ...taints].slice(0, 40).join(', ');
}

function taintText(taint: Json): string {
  const value = textAt(taint, 'value');
  const shown = value === null || value === '' ? '' : `=${value}`;
  return `${textAt(taint, 'key') ?? ''}${shown}:${textAt(taint, 'effect') ?? ''}`;
}

function addMarks(
  list: ChangeList,
  owner: Owner,
  marks: string,
  before: string | null,
  count: number,
): void {
  if (marks === (before ?? '')) return;
  list.add({
    ...owner,
    atMs: null,
    kind: 'node-marks',
    parts: [owner.uid ?? null, marks, count],
    what: marks === '' ? 'no longer cordoned or tainted' : `marked ${marks}`,
    more: { marks, before },
  });
}

function addDeleting(list: ChangeList, owner: Owner, deleting: string): void {
  list.add({
    ...owner,
    atMs: isoMs(deleting),
    kind: 'node-deleting',
    parts: [owner.uid ?? null],
    what: `Node ${owner.subject} is being deleted`,
  });
}

function addDeleted(
  list: ChangeList,
  present: ReadonlySet<string>,
  notes: Notes,
  { nowMs }: Moment,
): void {
  const lastSeen = at(notes.get('look'), 'atMs') ?? null;
  for (const [id, note] of new Map([...notes, ...list.notes])) {
    if (!id.startsWith(PREFIX) || note === null) continue;
    const uid = id.slice(PREFIX.length);
    const goneMs = at(note, 'goneMs');
    if (present.has(uid)) continue;
    if (typeof goneMs === 'number') {
      if (goneMs < nowMs - REMEMBERED_MS) list.notes.set(id, null);
      continue;
    }
    const name = textAt(note, 'name') ?? uid;
    list.notes.set(id, { name, created: textAt(note, 'created'), goneMs: nowMs });
    list.add({
      atMs: null,
      subject: name,
      subjectKind: 'Node',
      source: 'Node',
      uid,
      boot: textAt(note, 'boot'),
      kind: 'node-deleted',
      parts: [uid],
      what: `Node ${name} is gone`,
      more: {
        created: textAt(note, 'created'),
        instance: textAt(note, 'instance'),
        conditions: at(note, 'conditions') ?? [],
        lastSeenMs: lastSeen,
      },
    });
  }
}
