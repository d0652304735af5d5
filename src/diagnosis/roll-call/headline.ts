import { stageIndex } from '../../evidence/stage.ts';
import type { DiagnosisDocument, Finding, Headline, SubjectReport } from '../document.ts';

/** What a roll call needs to know of all findings to choose between those of one subject. */
export interface Findings {
  /** How many subjects each cause explains. */
  readonly explained: ReadonlyMap<string, number>;
  /** The cluster or group to which a cause belongs that is repeated on its machines. */
  readonly owners: ReadonlyMap<string, string>;
}

export function indexFindings(document: DiagnosisDocument): Findings {
  const explained = new Map<string, number>();
  const owners = new Map<string, string>();
  for (const subject of document.subjects) {
    const named = subject.findings.flatMap((finding) => [
      finding.cause,
      finding.explainedBy ?? finding.cause,
    ]);
    for (const cause of new Set(named)) explained.set(cause, (explained.get(cause) ?? 0) + 1);
    if (subject.kind === 'Machine') continue;
    for (const { cause, role } of subject.findings)
      if (role === 'root' && !owners.has(cause)) owners.set(cause, subject.name);
  }
  return { explained, owners };
}

/** A root of its own, or the cause of its cluster or group repeated on it. */
function isNamed(finding: Finding): boolean {
  const isOwn = finding.role === 'root' || finding.explainedBy === finding.cause;
  return isOwn && finding.confidence !== 'possible';
}

function timeOf(finding: Finding): string {
  return finding.evidence[0]?.time ?? '';
}

function compareTimes(a: string, b: string): number {
  if (a === b || a === '' || b === '') return 0;
  return a < b ? -1 : 1;
}

/** Lowest stage, then most subjects explained, then definite, then earliest, then id. */
function compare(a: Finding, b: Finding, { explained }: Findings): number {
  return (
    stageIndex(a.stage) - stageIndex(b.stage) ||
    (explained.get(b.cause) ?? 0) - (explained.get(a.cause) ?? 0) ||
    Number(b.confidence === 'definite') - Number(a.confidence === 'definite') ||
    compareTimes(timeOf(a), timeOf(b)) ||
    (a.cause < b.cause ? -1 : 1)
  );
}

/** The one cause to name for this subject, by the order of the diagnosis; null without one. */
export function headlineOf(subject: SubjectReport, findings: Findings): Headline | null {
  const [best] = subject.findings.filter(isNamed).toSorted((a, b) => compare(a, b, findings));
  if (best === undefined) return null;
  const own = subject.instanceId ?? subject.name;
  return {
    cause: best.cause,
    stage: best.stage,
    confidence: best.confidence,
    subject: best.role === 'root' ? own : (findings.owners.get(best.cause) ?? own),
  };
}
