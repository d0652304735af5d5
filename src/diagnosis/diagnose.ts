import type { Hit, Observations } from '../evidence/observations.ts';
import type { Quote } from '../evidence/sighting.ts';
import { stageIndex } from '../evidence/stage.ts';
import { isAfter } from '../evidence/time.ts';
import type { Cause } from './cause.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from './document.ts';
import { evaluate, type Evaluation } from './evaluate.ts';
import { possibleFindings, shownFinding, type Standing } from './findings.ts';
import { buildLadder, type Failure, notObservableOf, stageOf, verdictOf } from './ladder.ts';
import { assignRoles, pickHeadline } from './rank.ts';
import type { Subject } from './subjects.ts';
import { type Symptom, SYMPTOMS } from './symptoms.ts';

export interface DiagnosisInput {
  readonly observations: Observations;
  readonly subjects: readonly Subject[];
  /** Causes that may matter: those with a hit, a needed fact or an open symptom. */
  readonly causes: readonly Cause[];
  readonly catalogueVersion: string;
}

/** A symptom that stands for a subject, with its lines. */
export interface OpenSymptom {
  readonly symptom: Symptom;
  readonly proof: readonly Quote[];
}

/** Symptoms of a subject that no later success took back. */
export function openSymptoms(subject: Subject): readonly OpenSymptom[] {
  return SYMPTOMS.flatMap((symptom: Symptom) => {
    const hits = subject.hits.filter((hit) => hit.owner === `symptom:${symptom.id}`);
    const standing = hits.filter((hit) => !isTakenBack(hit, symptom, subject));
    const enough = standing.filter(
      (hit) => hit.count >= (symptom.signs[Number(hit.sign)]?.atLeast ?? 1),
    );
    return enough.length === 0 ? [] : [{ symptom, proof: enough.map((hit) => hit.first) }];
  });
}

function isTakenBack(hit: Hit, symptom: Symptom, subject: Subject): boolean {
  return subject.hits.some(
    (other) =>
      symptom.withdrawnBy.some((id) => other.owner === `milestone:${id}`) &&
      isAfter(other.last.moment, hit.last.moment),
  );
}

/** Which of the causes may be asked about this subject, by the scope they have. */
function evaluationsOf(subject: Subject, input: DiagnosisInput): readonly Evaluation[] {
  return input.causes
    .filter(
      (cause) =>
        cause.scope === 'machine' || subject.kind === 'Cluster' || hasOwnHits(cause, subject),
    )
    .filter((cause) => hasOwnHits(cause, subject) || hasNeededFact(cause, subject))
    .map((cause) => evaluate(cause, subject, input.observations.listings));
}

function hasOwnHits(cause: Cause, subject: Subject): boolean {
  return subject.hits.some((hit) => hit.owner === cause.id);
}

function hasNeededFact(cause: Cause, subject: Subject): boolean {
  if (cause.scope === 'machine' && subject.kind === 'Cluster') return false;
  return subject.facts.some((fact) => cause.needs.includes(fact.kind));
}

function standingOf(subject: Subject, input: DiagnosisInput): Standing {
  const evaluations = evaluationsOf(subject, input);
  const founds = evaluations.flatMap(({ cause, match }) =>
    match.verdict === 'found' ? [{ cause, match }] : [],
  );
  const ruledOut = new Set(
    evaluations.filter(({ match }) => match.verdict === 'clear').map(({ cause }) => cause.id),
  );
  return { subject, founds, symptoms: openSymptoms(subject), ruledOut };
}

/** Puts a pile of evidence into one document: every subject's ladder, findings and what is missing. */
export function diagnose(input: DiagnosisInput): DiagnosisDocument {
  const standings = input.subjects.map((subject) => standingOf(subject, input));
  const cluster = standings.find((standing) => standing.subject.kind === 'Cluster') ?? null;
  const reports = standings.flatMap((standing) => {
    const report = reportOf(standing, cluster, input);
    return report === null ? [] : [report];
  });
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: input.catalogueVersion,
    headline: pickHeadline(reports, standings),
    subjects: reports,
    losses: input.observations.losses,
  };
}

function reportOf(
  standing: Standing,
  cluster: Standing | null,
  input: DiagnosisInput,
): SubjectReport | null {
  const { subject } = standing;
  const shared = cluster === null || subject.kind === 'Cluster' ? [] : cluster.founds;
  const roled = assignRoles(standing, shared);
  const shown = roled.map((entry) => shownFinding(entry, subject));
  const possible = possibleFindings(standing, roled, input.causes);
  const findings: readonly Finding[] = [...shown, ...possible];
  if (subject.kind === 'Cluster' && findings.length === 0 && standing.symptoms.length === 0)
    return null;
  const ladder = buildLadder(subject, failuresOf(standing, roled), false);
  return {
    kind: subject.kind,
    name: subject.name,
    instanceId: subject.instanceId,
    node: subject.node,
    verdict: verdictOf(ladder),
    stage: stageOf(ladder),
    ladder,
    findings,
    notObservable: notObservableOf(ladder, subject),
  };
}

function failuresOf(standing: Standing, roled: ReturnType<typeof assignRoles>): readonly Failure[] {
  const byCause = roled.map(({ cause, match }) => ({ stage: cause.stage, proof: match.proof }));
  const bySymptom = standing.symptoms.map(({ symptom, proof }) => ({
    stage: symptom.stage,
    proof,
  }));
  return [...byCause, ...bySymptom].sort((a, b) => stageIndex(a.stage) - stageIndex(b.stage));
}
