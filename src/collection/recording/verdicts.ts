import type { RollCallDocument, RollCallRow } from '../../diagnosis/roll-call/document.ts';
import { at, type Json, textAt } from '../../evidence/json.ts';
import { ChangeList, type Changes, type Notes } from './change.ts';

const PREFIX = 'verdict/';
const FINDING = 'finding/';

/** `not-usable at networked (cni-not-ready)`. */
export function standingOf({
  verdict,
  stage,
  headline,
}: Pick<RollCallRow, 'verdict' | 'stage' | 'headline'>): string {
  const where = verdict === 'usable' || stage === null ? '' : ` at ${stage}`;
  return `${verdict}${where}${headline === null ? '' : ` (${headline.cause})`}`;
}

/**
 * How each machine's verdict differs from the one noted, and what is found of the cluster itself.
 *
 * @param isWhole false where a source did not answer, so that what is not called may still be there
 */
export function verdictChanges(
  { rows, cluster }: Pick<RollCallDocument, 'rows' | 'cluster'>,
  notes: Notes,
  isWhole: boolean,
): Changes {
  const list = new ChangeList();
  const seen = new Set<string>();
  for (const row of rows) {
    const name = row.instanceId ?? row.name;
    if (seen.has(PREFIX + name)) continue;
    seen.add(PREFIX + name);
    addVerdict(list, row, name, notes.get(PREFIX + name));
  }
  for (const finding of cluster) {
    const id = FINDING + finding.cause;
    if (seen.has(id)) continue;
    seen.add(id);
    addFinding(list, finding, notes.get(id));
  }
  if (!isWhole) return list;
  for (const [id, note] of notes) if (!seen.has(id)) addOver(list, id, note);
  return list;
}

function addVerdict(
  list: ChangeList,
  row: RollCallRow,
  name: string,
  before: Json | undefined,
): void {
  const standing = standingOf(row);
  const noted = textAt(before, 'standing');
  if (noted === standing) return;
  const count = Number(at(before, 'changes') ?? -1) + 1;
  list.notes.set(PREFIX + name, { standing, changes: count, node: row.node });
  list.add({
    atMs: null,
    subject: name,
    subjectKind: row.instanceId === null ? 'Node' : 'Machine',
    kind: 'verdict',
    source: 'rollcall',
    parts: [name, count, standing],
    what: noted === null ? standing : `${noted} -> ${standing}`,
    more: {
      verdict: row.verdict,
      stage: row.stage,
      cause: row.headline?.cause ?? null,
      confidence: row.headline?.confidence ?? null,
      standing,
      before: noted,
      node: row.node,
      note: row.note,
    },
  });
}

function addFinding(
  list: ChangeList,
  { name, cause, stage, confidence, summary }: RollCallDocument['cluster'][number],
  before: Json | undefined,
): void {
  if (textAt(before, 'summary') === summary && at(before, 'isOver') !== true) return;
  const count = Number(at(before, 'changes') ?? -1) + 1;
  list.notes.set(FINDING + cause, { name, summary, changes: count, isOver: false });
  list.add({
    atMs: null,
    subject: name,
    subjectKind: 'Cluster',
    kind: 'finding',
    source: 'rollcall',
    parts: [cause, count, summary],
    what: `${cause}: ${summary}`,
    more: { cause, stage, confidence, summary },
  });
}

/** A machine that is no longer called has no verdict; what was found of the cluster is over. */
function addOver(list: ChangeList, id: string, note: Json): void {
  if (id.startsWith(PREFIX)) {
    const subject = id.slice(PREFIX.length);
    const count = Number(at(note, 'changes') ?? 0) + 1;
    list.notes.set(id, null);
    list.add({
      atMs: null,
      subject,
      subjectKind: /^i-[0-9a-f]+$/.test(subject) ? 'Machine' : 'Node',
      kind: 'verdict',
      source: 'rollcall',
      parts: [subject, count, 'gone', textAt(note, 'standing')],
      what: `gone; was ${textAt(note, 'standing') ?? 'unknown'}`,
      more: { verdict: null, before: textAt(note, 'standing'), node: textAt(note, 'node') },
    });
  } else if (id.startsWith(FINDING) && at(note, 'isOver') !== true) {
    addFindingOver(list, id, note);
  }
}

function addFindingOver(list: ChangeList, id: string, note: Json): void {
  const cause = id.slice(FINDING.length);
  const changes = Number(at(note, 'changes') ?? 0) + 1;
  const subject = textAt(note, 'name') ?? 'cluster';
  list.notes.set(id, { name: subject, summary: null, changes, isOver: true });
  list.add({
    atMs: null,
    subject,
    subjectKind: 'Cluster',
    kind: 'finding',
    source: 'rollcall',
    parts: [cause, changes, 'over'],
    what: `${cause}: no longer found`,
    more: { cause, summary: null },
  });
}
