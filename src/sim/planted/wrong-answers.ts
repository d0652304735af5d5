import type { DiagnosisDocument, Finding, SubjectReport } from '../../diagnosis/document.ts';

/** Ids of causes that people reach for when the last thing that they saw was a node not ready. */
const SYMPTOM_NAMED_AS_CAUSE = 'node-heartbeat-lost';
/** The cause that more machines of the worlds have than any other. */
const MOST_FREQUENT = 'instance-type-unknown-to-cni';

type Change = (subject: SubjectReport) => SubjectReport;

function changed(document: DiagnosisDocument, change: Change): DiagnosisDocument {
  return { ...document, subjects: document.subjects.map(change) };
}

function lastSeen({ evidence }: Finding): string {
  return evidence
    .map(({ time }) => time ?? '')
    .reduce((last, one) => (one > last ? one : last), '');
}

/** The machine's last word instead of its first: whatever came, a silent kubelet explains it. */
function preferLatest(subject: SubjectReport): SubjectReport {
  const roots = subject.findings.filter(({ role }) => role === 'root');
  const latest = roots.toSorted((one, other) => (lastSeen(one) < lastSeen(other) ? 1 : -1))[0];
  if (subject.kind !== 'Machine' || latest === undefined || subject.verdict !== 'not-usable')
    return subject;
  const named: Finding = { ...latest, cause: SYMPTOM_NAMED_AS_CAUSE, confidence: 'definite' };
  return { ...subject, findings: [named] };
}

export function latestSymptom(document: DiagnosisDocument): DiagnosisDocument {
  return changed(document, preferLatest);
}

/** One answer for every machine that is called not usable. */
export function alwaysTheSame(document: DiagnosisDocument): DiagnosisDocument {
  return changed(document, (subject) => {
    if (subject.kind !== 'Machine' || subject.verdict !== 'not-usable') return subject;
    const stage = subject.stage ?? 'networked';
    const told = { role: 'root', explainedBy: null, confidence: 'definite', summary: '' } as const;
    const said = { cause: MOST_FREQUENT, stage, ...told, evidence: [], remedy: [], decide: null };
    return { ...subject, findings: [said] };
  });
}

/** The first consequence of each machine is its root, and its root the consequence. */
export function swappedRoots(document: DiagnosisDocument): DiagnosisDocument {
  return changed(document, (subject) => {
    const { findings } = subject;
    const shows = findings.find(
      ({ role, confidence }) => role === 'consequence' && confidence !== 'possible',
    );
    if (shows === undefined) return subject;
    const root: Finding = { ...shows, role: 'root', explainedBy: null };
    const others = findings
      .filter((one) => one !== shows)
      .map((one): Finding => ({ ...one, role: 'consequence', explainedBy: shows.cause }));
    return { ...subject, findings: [root, ...others] };
  });
}

/** What was named of a subject is named again at every later look. */
export function neverForgetting(): (document: DiagnosisDocument) => DiagnosisDocument {
  const said = new Map<string, readonly Finding[]>();
  return (document) =>
    changed(document, (subject) => {
      const before = said.get(subject.name) ?? [];
      const causes = new Set(subject.findings.map(({ cause }) => cause));
      const findings = [...subject.findings, ...before.filter(({ cause }) => !causes.has(cause))];
      const known = findings.filter(({ confidence }) => confidence !== 'possible');
      said.set(
        subject.name,
        known.map((one) => ({ ...one, evidence: [] })),
      );
      return { ...subject, findings };
    });
}

/** The findings of each machine under the name of the one before it. */
export function ofAnotherMachine(document: DiagnosisDocument): DiagnosisDocument {
  const machines = document.subjects.filter(({ kind }) => kind === 'Machine');
  const next = new Map(
    machines.map((one, index) => [one, machines[(index + 1) % machines.length] ?? one] as const),
  );
  return changed(document, (subject) => ({
    ...subject,
    findings: next.get(subject)?.findings ?? subject.findings,
  }));
}
