import type { DiagnosisDocument, SubjectReport } from '../../diagnosis/document.ts';
import { checksumOf } from '../../evidence/checksum.ts';
import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { ChangeList, type Changes, type Happening, type Notes } from './change.ts';
import type { SeenObjects } from './seen.ts';

/** Rows of evidence that one object may have, so that one that flaps does not fill the record. */
const ROWS_AN_OBJECT_MAX = 20;
/** Machines whose evidence one look keeps. */
const MACHINES_A_LOOK_MAX = 200;
const BYTES_MAX = 32 * 1024;
const FINDINGS_MAX = 5;
const QUOTES_MAX = 5;
const PREFIX = 'evidence/';

interface Going {
  readonly object: JsonObject;
  readonly kind: 'Node' | 'NodeClaim';
  readonly uid: string;
  readonly name: string;
  readonly instance: string | null;
}

/** Being deleted, or not ready: what there is to see of it may be gone at the next look. */
function isGoing(object: JsonObject): boolean {
  if (textAt(object, 'metadata.deletionTimestamp') !== null) return true;
  const ready = listAt(object, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
  return ready !== undefined && textAt(ready, 'status') !== 'True';
}

function goingIn({ nodes, claims }: SeenObjects): readonly Going[] {
  const named =
    (kind: Going['kind'], path: string) =>
    (object: JsonObject): readonly Going[] => {
      const uid = textAt(object, 'metadata.uid');
      if (uid === null || !isGoing(object)) return [];
      const instance = instanceIdIn(textAt(object, path) ?? '');
      return [{ object, kind, uid, name: textAt(object, 'metadata.name') ?? uid, instance }];
    };
  return [
    ...nodes.flatMap(named('Node', 'spec.providerID')),
    ...claims.flatMap(named('NodeClaim', 'status.providerID')),
  ].slice(0, MACHINES_A_LOOK_MAX);
}

/** Without the times of heartbeats, by which every look would differ. */
function steady(object: JsonObject): Json {
  const conditions = listAt(object, 'status.conditions').map((one) =>
    isObject(one) ? { ...one, lastHeartbeatTime: null } : one,
  );
  const status = at(object, 'status');
  return { ...object, status: { ...(isObject(status) ? status : {}), conditions } };
}

/** The value where it is small enough, else how large it would have been. */
function bounded(value: Json): Json {
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return bytes <= BYTES_MAX ? value : { omittedBytes: bytes };
}

function findingsOf(document: DiagnosisDocument, going: Going): Json {
  const report = document.subjects.find((one) => isReportOf(one, going));
  return (report?.findings ?? []).slice(0, FINDINGS_MAX).map((finding) => ({
    cause: finding.cause,
    confidence: finding.confidence,
    summary: finding.summary,
    evidence: finding.evidence
      .slice(0, QUOTES_MAX)
      .map(({ source, locator, excerpt, time }) => ({ source, locator, excerpt, time })),
  }));
}

function isReportOf({ instanceId, node, name }: SubjectReport, going: Going): boolean {
  if (going.instance !== null && instanceId === going.instance) return true;
  return node === going.name || name === going.name;
}

/** What there is to keep of machines that are about to go, each version of it once. */
export function evidenceChanges(
  seen: SeenObjects,
  document: DiagnosisDocument,
  notes: Notes,
): Changes {
  const list = new ChangeList();
  for (const one of goingIn(seen)) addEvidence(list, one, partsOf(one, seen, document), notes);
  for (const [id] of new Map([...notes, ...list.notes])) {
    const uid = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : null;
    const isGone = uid !== null && !seen.presentNodes.has(uid) && !seen.presentClaims.has(uid);
    if (isGone) list.notes.set(id, null);
  }
  return list;
}

/** Each part is a row of its own, so that what changes does not repeat what stays. */
function partsOf(
  going: Going,
  seen: SeenObjects,
  document: DiagnosisDocument,
): readonly (readonly [string, Json])[] {
  const console = going.instance === null ? undefined : seen.consoles.get(going.instance);
  const findings = findingsOf(document, going);
  return [
    [going.kind, steady(going.object)],
    ...(Array.isArray(findings) && findings.length > 0 ? ([['findings', findings]] as const) : []),
    ...(console === undefined ? [] : ([['console output', console]] as const)),
  ];
}

function addEvidence(
  list: ChangeList,
  going: Going,
  parts: readonly (readonly [string, Json])[],
  notes: Notes,
): void {
  const id = PREFIX + going.uid;
  const known = listAt(list.noted(id, notes), 'kept').map(String);
  const kept = [...known];
  for (const [part, content] of parts) {
    const mark = markOf(part, content);
    if (kept.includes(mark) || kept.length >= ROWS_AN_OBJECT_MAX) continue;
    kept.push(mark);
    list.add(evidenceHappening(going, part, content));
  }
  if (kept.length > known.length) list.notes.set(id, { kept });
}

function evidenceHappening({ kind, name, uid }: Going, part: string, content: Json): Happening {
  return {
    atMs: null,
    subject: name,
    subjectKind: kind,
    uid,
    kind: 'evidence',
    source: 'rollcall',
    parts: [uid, markOf(part, content)],
    what: `kept ${part} of ${kind} ${name}`,
    more: { part, content: bounded(content) },
  };
}

/** Which version of a part it is. */
function markOf(part: string, content: Json): string {
  return `${part} ${checksumOf(JSON.stringify(content))}`;
}
