import type { ClusterFinding, RollCallDocument, RollCallRow } from './document.ts';
import { rowKey } from './times.ts';

/** `not-usable at networked (cni-not-ready)`, `usable, at risk from aws-auth-missing`. */
function standing({ verdict, stage, headline, risks }: RollCallRow): string {
  const where = verdict === 'usable' || stage === null ? '' : ` at ${stage}`;
  const risk = risks.length === 0 ? '' : `, at risk from ${risks.join(', ')}`;
  return `${verdict}${where}${headline === null ? '' : ` (${headline.cause})`}${risk}`;
}

function labelOf({ name, instanceId }: RollCallRow): string {
  return instanceId === null || instanceId === name ? name : `${name} ${instanceId}`;
}

function findingText({ name, cause, confidence }: ClusterFinding): string {
  return `cluster ${name}: ${cause}${confidence === 'definite' ? '' : ` (${confidence})`}`;
}

/** What is wrong with the cluster itself, as it comes and goes. */
function clusterLines(
  previous: RollCallDocument | null,
  { cluster }: RollCallDocument,
): readonly string[] {
  const before = new Set((previous?.cluster ?? []).map(findingText));
  const now = new Set(cluster.map(findingText));
  return [
    ...now.difference(before),
    ...[...before.difference(now)].map((finding) => `${finding}: over`),
  ];
}

/**
 * What changed from one look to the next, a line for each finding of the cluster and each machine:
 * `ip-10-0-1-2 i-0abc…: not-usable at authenticated (aws-auth-missing) -> usable`.
 *
 * @param previous null before the first look, when every machine is new
 */
export function changeLines(
  previous: RollCallDocument | null,
  next: RollCallDocument,
): readonly string[] {
  const before = new Map((previous?.rows ?? []).map((row) => [rowKey(row), row]));
  const lines: string[] = [];
  for (const row of next.rows) {
    const known = before.get(rowKey(row));
    before.delete(rowKey(row));
    if (known === row) continue;
    const now = standing(row);
    if (known === undefined) lines.push(`${labelOf(row)}: new, ${now}`);
    else if (standing(known) !== now) lines.push(`${labelOf(row)}: ${standing(known)} -> ${now}`);
  }
  for (const row of before.values()) lines.push(`${labelOf(row)}: gone, was ${standing(row)}`);
  return [...clusterLines(previous, next), ...lines];
}

/** Keys of the rows that do not stand as they did, those that are new among them. */
export function changedRows(previous: RollCallDocument, next: RollCallDocument): readonly string[] {
  const before = new Map(previous.rows.map((row) => [rowKey(row), standing(row)]));
  return next.rows.filter((row) => before.get(rowKey(row)) !== standing(row)).map(rowKey);
}
