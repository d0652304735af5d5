import type { Hit, Observations } from '../evidence/observations.ts';
import { isTerminated } from '../domain/nodes/fleet.ts';
import type { FactKind, KubeNode } from '../evidence/kinds.ts';
import type { LineSource } from '../evidence/source.ts';
import { stageIndex } from '../evidence/stage.ts';
import { isOvertaken } from '../evidence/time.ts';
import type { Cause } from './cause.ts';
import type { DiagnosisDocument, SubjectReport } from './document.ts';
import { evaluate, type Evaluation } from './evaluate.ts';
import { NO_RESEMBLANCE, possibleFindings, type Resemblance } from './candidates.ts';
import { shownFinding } from './findings.ts';
import { splitGroups } from './groups.ts';
import { firstCutIn } from './fact-index.ts';
import { buildLadder, type Failure, stageOf, verdictOf, withoutUsable } from './ladder.ts';
import { notObservableOf } from './not-observable.ts';
import { assignRoles, pickHeadline } from './rank.ts';
import type { FoundCause, OpenSymptom, Standing } from './standing.ts';
import { hasStartedPod, isOfWellPod, type Surroundings } from './seen-pods.ts';
import { ageOf, instanceWithoutNode, REGISTRATION_NORMAL_MS } from './seen-symptoms.ts';
import { hitsOf, type Subject } from './subject.ts';
import type { Symptom } from './symptom.ts';
import { SYMPTOMS } from './symptoms.ts';
import { timelineOf } from './timeline.ts';

export interface DiagnosisInput {
  readonly observations: Observations;
  readonly subjects: readonly Subject[];
  /** Causes that may matter: those with a hit, a needed fact or an open symptom. */
  readonly causes: readonly Cause[];
  readonly catalogueVersion: string;
  /** What the lines of a subject resemble, where nothing is named; asked when not given: nothing. */
  readonly resemblance?: (subject: Subject) => Resemblance;
  /** Which machines are asked about; all when not given. */
  readonly asked?: (subject: Pick<Subject, 'name' | 'instanceId' | 'node' | 'names'>) => boolean;
}

/** Symptoms of a subject that no later success took back. */
export function openSymptoms(
  subject: Subject,
  observations: Surroundings = { hits: [], facts: [], listings: [], collection: null },
): readonly OpenSymptom[] {
  return SYMPTOMS.flatMap((symptom: Symptom) => {
    const hits = subject.hits.filter((hit) => hit.owner === `symptom:${symptom.id}`);
    const standing = hits.filter(
      (hit) => !isTakenBack(hit, symptom, subject) && !isOfWellPod(hit, subject, observations),
    );
    const enough = standing.filter(
      (hit) => hit.count >= (symptom.signs[Number(hit.sign)]?.atLeast ?? 1),
    );
    return enough.length === 0 ? [] : [{ symptom, proof: enough.map((hit) => hit.first) }];
  });
}

function isTakenBack(hit: Hit, symptom: Symptom, subject: Subject): boolean {
  if (symptom.withdrawnBy.includes('pod-started') && hasStartedPod(subject, hit)) return true;
  return subject.hits.some(
    (other) =>
      symptom.withdrawnBy.some((id) => other.owner === `milestone:${id}`) &&
      isOvertaken(hit.last.moment, other.last.moment),
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
    .map((cause) => evaluate(cause, subject, input.observations, input.subjects));
}

function hasOwnHits(cause: Cause, subject: Subject): boolean {
  return hitsOf(subject, cause.id).length > 0;
}

function hasNeededFact(cause: Cause, subject: Subject): boolean {
  if (cause.scope === 'machine' && subject.kind === 'Cluster') return false;
  return cause.needs.some((kind) => subject.facts.has(kind));
}

/** How every subject stands with the causes that were asked, in the order of the subjects. */
export interface Examination {
  readonly causes: readonly Cause[];
  readonly standings: readonly Standing[];
}

/**
 * Asks causes about all subjects.
 *
 * @param earlier what other causes were asked about the same subjects, which it is added to
 */
export function examine(input: DiagnosisInput, earlier?: Examination): Examination {
  const asked = new Set(earlier?.causes);
  const causes = input.causes.filter((cause) => !asked.has(cause));
  const standings = input.subjects.map((subject, rank) => {
    const standing = isBystander(subject, input)
      ? bystanding(subject, { ...input, causes })
      : standingOf(subject, { ...input, causes });
    const before = earlier?.standings[rank];
    return before === undefined ? standing : { ...standing, ...together(before, standing) };
  });
  return { causes: [...asked, ...causes], standings };
}

function together(before: Standing, after: Standing): Pick<Standing, 'founds' | 'ruledOut'> {
  return {
    founds: [...before.founds, ...after.founds],
    ruledOut: new Set([...before.ruledOut, ...after.ruledOut]),
  };
}

/** A machine that was not asked about where others were. */
function isBystander(subject: Subject, { asked }: DiagnosisInput): boolean {
  return subject.kind === 'Machine' && asked !== undefined && !asked(subject);
}

/** All that counts of a bystander: an explained launch may be the gap of an asked machine's group. */
function bystanding(subject: Subject, input: DiagnosisInput): Standing {
  const causes = input.causes.filter(({ stage }) => stage === 'launched');
  return { ...foundsOf(subject, { ...input, causes }), subject, symptoms: [] };
}

function standingOf(subject: Subject, input: DiagnosisInput): Standing {
  const symptoms = openSymptoms(subject, input.observations);
  return { ...foundsOf(subject, input), subject, symptoms };
}

function foundsOf(subject: Subject, input: DiagnosisInput): Pick<Standing, 'founds' | 'ruledOut'> {
  const evaluations = evaluationsOf(subject, input);
  const founds = evaluations.flatMap(({ cause, match }) =>
    match.verdict === 'found' ? [{ cause, match }] : [],
  );
  const ruledOut = new Set(
    evaluations.filter(({ match }) => match.verdict === 'clear').map(({ cause }) => cause.id),
  );
  return { founds, ruledOut };
}

/** What the evidence of the cluster rules out as a failing of the cluster, no machine suffers from. */
function withClusterRuledOut(
  assembled: readonly Standing[],
  causes: readonly Cause[],
): readonly Standing[] {
  const cluster = assembled.find(({ subject }) => subject.kind === 'Cluster');
  const ruledOut = causes
    .filter(({ id, scope }) => scope === 'cluster' && cluster?.ruledOut.has(id) === true)
    .map(({ id }) => id);
  return assembled.map((standing) => ({
    ...standing,
    ruledOut: new Set([...standing.ruledOut, ...ruledOut]),
  }));
}

/** Puts a pile of evidence into one document: every subject's ladder, findings and what is missing. */
export function diagnose(
  input: DiagnosisInput,
  { causes, standings: examined }: Examination = examine(input),
): DiagnosisDocument {
  const assembled = withClusterRuledOut(examined, causes);
  const cleared = new Set(assembled.flatMap(({ ruledOut }) => [...ruledOut]));
  const shared = assembled
    .filter(({ subject }) => subject.kind === 'Cluster')
    .flatMap(({ founds }) => founds);
  const standings = assembled.flatMap((standing) =>
    standing.subject.kind === 'Cluster' ? splitGroups(standing, assembled) : [standing],
  );
  const told = standings.filter(({ subject }) => !isBystander(subject, input));
  const all = told.flatMap((standing) => {
    const its = standing.subject.kind === 'Machine' ? shared : [];
    const report = reportOf(standing, its, { ...input, cleared });
    return report === null ? [] : [{ report, subject: standing.subject }];
  });
  const reports = concerning(all, input);
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: input.catalogueVersion,
    headline: pickHeadline(reports, standings),
    subjects: reports,
    recognized: recognizedIn(input.observations),
    losses: lossesOf(input.observations),
  };
}

function recognizedIn({ documents }: Observations): readonly LineSource[] {
  const all = new Set(documents.flatMap(({ sources }) => sources));
  return [...all].filter((source) => source !== 'unknown');
}

/**
 * True for a machine of which a live cluster has nothing left but words: no Node, no claim, no Lease
 * and no instance that lives. It is told only where it explains why its group lacks a machine, or why
 * a Node went whose instance EC2 does not know.
 */
function hasGone(
  { report, subject }: { readonly report: SubjectReport; readonly subject: Subject },
  { collection, listings }: Observations,
): boolean {
  if (subject.kind !== 'Machine' || collection === null) return false;
  const isListed = (kind: FactKind): boolean => listings.some((listing) => listing.kind === kind);
  if (!isListed('aws/instance') || !isListed('kube/Node')) return false;
  if ((['kube/Node', 'kube/NodeClaim', 'kube/Lease'] as const).some((kind) => owns(subject, kind)))
    return false;
  const instances = subject.facts
    .of('aws/instance')
    .filter(({ value }) => (value.InstanceId ?? null) === subject.instanceId);
  if (instances.some(({ value }) => !isTerminated(value))) return false;
  const explains = ({ stage, confidence }: SubjectReport['findings'][number]): boolean =>
    stage === 'launched' ||
    // EC2 lists ended instances for an hour, as long as events live: this one was never ended.
    (stage === 'retained' && confidence === 'definite' && instances.length === 0);
  return !report.findings.some(explains);
}

/** True when a fact of this kind is the machine's own. */
function owns(subject: Subject, kind: FactKind): boolean {
  const names = new Set(subject.names.map(({ value }) => value));
  return subject.facts.of(kind).some(({ about }) => about.some(({ value }) => names.has(value)));
}

/** The machines asked about, and the cluster and groups whose causes concern them. */
function concerning(
  all: readonly { readonly report: SubjectReport; readonly subject: Subject }[],
  { asked, observations }: DiagnosisInput,
): readonly SubjectReport[] {
  if (asked === undefined)
    return all.filter((one) => !hasGone(one, observations)).map(({ report }) => report);
  const machines = all.filter(({ subject }) => subject.kind === 'Machine');
  const explaining = new Set(
    machines.flatMap(({ report }) => report.findings.map(({ explainedBy }) => explainedBy)),
  );
  const others = all.filter(
    ({ report }) =>
      report.kind !== 'Machine' && report.findings.some(({ cause }) => explaining.has(cause)),
  );
  return [...machines, ...others].map(({ report }) => report);
}

function lossesOf({ losses, collection }: Observations): DiagnosisDocument['losses'] {
  const refused = collection?.refusals ?? [];
  return [...losses, ...refused.map(({ call, message }) => ({ locator: call, what: message }))];
}

/** A Node this young may still come up by itself: pulling the CNI's images takes about a minute. */
const READY_NORMAL_MS = 120_000;

function isPending({ subject, founds }: Standing, observations: Observations): boolean {
  if (founds.length > 0) return false;
  const lonely = instanceWithoutNode(subject, observations);
  const age = lonely === null ? null : ageOf(lonely.value, observations);
  if (age !== null && age < REGISTRATION_NORMAL_MS) return true;
  return subject.facts.of('kube/Node').some((fact) => isYoung(fact.value, observations));
}

function isYoung(node: KubeNode, { collection }: Observations): boolean {
  const created = node.createdMs;
  const age =
    node.ageMs ?? (collection === null || created === null ? null : collection.atMs - created);
  return age !== null && age <= READY_NORMAL_MS && node.ready === false;
}

function reportOf(
  given: Standing,
  shared: readonly FoundCause[],
  input: DiagnosisInput & { readonly cleared: ReadonlySet<string> },
): SubjectReport | null {
  const pending = given.subject.kind === 'Machine' && isPending(given, input.observations);
  const standing = pending ? { ...given, symptoms: [] } : given;
  const { subject } = standing;
  const roled = assignRoles(standing, shared);
  const shown = roled.map((entry) => shownFinding(entry, subject));
  const built = buildLadder(subject, failuresOf(standing, roled), pending);
  const cut = firstCutIn(input.observations.facts);
  const ladder = cut === null ? built : withoutUsable(built);
  const resemblance = pending ? NO_RESEMBLANCE : (input.resemblance?.(subject) ?? NO_RESEMBLANCE);
  const { causes, observations } = input;
  const possible = possibleFindings(
    standing,
    roled,
    causes,
    failingAt(resemblance, input, ladder),
    observations,
  );
  const findings = [...shown, ...possible];
  if (subject.kind !== 'Machine' && findings.length === 0 && standing.symptoms.length === 0)
    return null;
  return {
    kind: subject.kind,
    name: subject.name,
    instanceId: subject.instanceId,
    node: subject.node,
    verdict: verdictOf(ladder),
    stage: stageOf(ladder),
    ladder,
    findings,
    notObservable: notObservableOf(ladder, subject, input.observations),
    timeline: timelineOf(standing, roled),
  };
}

/** Neither what was ruled out nor a stage that was seen to hold fails, whatever lines resemble. */
function failingAt(
  { alike, ...rest }: Resemblance,
  { causes, cleared }: Pick<DiagnosisInput, 'causes'> & { readonly cleared: ReadonlySet<string> },
  ladder: SubjectReport['ladder'],
): Resemblance {
  const passed = new Set(ladder.flatMap(({ stage, state }) => (state === 'passed' ? [stage] : [])));
  const over = new Set(causes.flatMap(({ id, stage }) => (passed.has(stage) ? [id] : [])));
  return { alike: alike.filter(({ cause }) => !over.has(cause) && !cleared.has(cause)), ...rest };
}

function failuresOf(standing: Standing, roled: ReturnType<typeof assignRoles>): readonly Failure[] {
  const byCause = roled.map(({ cause, match }) => ({ stage: cause.stage, proof: match.proof }));
  const bySymptom = standing.symptoms.map(({ symptom, proof }) => ({
    stage: symptom.stage,
    proof,
  }));
  return [...byCause, ...bySymptom].toSorted((a, b) => stageIndex(a.stage) - stageIndex(b.stage));
}
