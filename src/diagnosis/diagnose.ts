import type { Instance } from '../evidence/aws/instance.ts';
import { isSameList, isSameSet } from '../evidence/equal.ts';
import type { Observations } from '../evidence/observations.ts';
import { isTerminated } from '../domain/nodes/fleet.ts';
import type { FactKind, KubeNode } from '../evidence/kinds.ts';
import type { LineSource } from '../evidence/source.ts';
import { stageIndex } from '../evidence/stage.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from './document.ts';
import { type DiagnosisInput, type Examination, examine, isBystander } from './examine.ts';
import { answeredCommands } from './answered.ts';
import { NO_RESEMBLANCE, possibleFindings, type Resemblance } from './candidates.ts';
import { shownFinding } from './findings.ts';
import { splitGroups } from './groups.ts';
import { firstCutIn } from './fact-index.ts';
import { buildLadder, type Failure, stageOf, verdictOf, withoutUsable } from './ladder.ts';
import type { Made, Memory, Reported } from './memory.ts';
import { notObservableOf } from './not-observable.ts';
import { assignRoles, pickHeadline, risksOf } from './rank.ts';
import type { FoundCause, RoledFinding, Standing } from './standing.ts';
import { ageOf, instanceWithoutNode, REGISTRATION_NORMAL_MS } from './seen-symptoms.ts';
import type { Subject } from './subject.ts';
import { timelineOf } from './timeline.ts';
import { newReads, trackedObservations, trackedSubject } from './tracked.ts';

/** What the evidence of the cluster rules out as a failing of the cluster, no machine suffers from. */
function ruledOutByCluster({ causes, standings }: Examination): ReadonlySet<string> {
  const cluster = standings.find(({ subject }) => subject.kind === 'Cluster');
  const ruledOut = causes.filter(
    ({ id, scope }) => scope === 'cluster' && cluster?.ruledOut.has(id) === true,
  );
  return new Set(ruledOut.map(({ id }) => id));
}

/** What all reports of one document have in common. */
interface Frame extends DiagnosisInput {
  readonly memory: Memory;
  /** What was found of the whole cluster. */
  readonly shared: readonly FoundCause[];
  /** Ruled out for every subject. */
  readonly ruledOut: ReadonlySet<string>;
  /** Ruled out for any subject; asked only where lines resemble a cause. */
  readonly cleared: () => ReadonlySet<string>;
}

function frameOf(input: DiagnosisInput, examination: Examination): Frame {
  const { standings, memory } = examination;
  const ruledOut = ruledOutByCluster(examination);
  const shared = standings
    .filter(({ subject }) => subject.kind === 'Cluster')
    .flatMap(({ founds }) => founds);
  const cleared = (): ReadonlySet<string> =>
    new Set([...ruledOut, ...standings.flatMap((standing) => [...standing.ruledOut])]);
  return { ...input, memory, shared, ruledOut, cleared };
}

/** Puts a pile of evidence into one document: every subject's ladder, findings and what is missing. */
export function diagnose(
  input: DiagnosisInput,
  examination: Examination = examine(input),
): DiagnosisDocument {
  const examined = examination.standings;
  const frame = frameOf(input, examination);
  const standings = examined.flatMap((standing) =>
    standing.subject.kind === 'Cluster' ? splitGroups(standing, examined) : [standing],
  );
  const told = standings.filter(({ subject }) => !isBystander(subject, input));
  const all = told.flatMap((standing) => {
    const report = keptReport(standing, frame);
    return report === null ? [] : [{ report, subject: standing.subject }];
  });
  const reports = concerning(all, input);
  const answered = answeredCommands(reports, input.observations);
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Diagnosis',
    catalogueVersion: input.catalogueVersion,
    headline: pickHeadline(reports, standings),
    subjects: reports,
    ...(answered.length === 0 ? {} : { answered }),
    recognized: recognizedIn(input.observations),
    losses: lossesOf(input.observations),
  };
}

/** True when a report was made of the same; what it read of the evidence is known to be unchanged. */
function isMadeOf(
  { value }: Made<Reported>,
  { founds, symptoms, ruledOut }: Standing,
  frame: Frame,
): boolean {
  if (value.founds !== founds || value.symptoms !== symptoms) return false;
  if (!isSameList(value.shared, frame.shared)) return false;
  // Candidates are named only where something failed.
  return (
    symptoms.length === 0 ||
    (value.causes === frame.causes &&
      isSameSet(value.ruledOut, frame.ruledOut) &&
      isSameSet(value.ownRuledOut, ruledOut))
  );
}

/** Of a machine that is still on its way nobody asks what its lines resemble. */
function resemblanceOf(standing: Standing, { resemblance, observations }: Frame): Resemblance {
  if (resemblance === undefined || isPending(standing, observations)) return NO_RESEMBLANCE;
  return resemblance(standing.subject);
}

/** A look goes through two lists of causes, which are others while some machine is not well. */
const REPORTS_MAX = 4;

/** The report of a machine, the one made before where nothing that it rests on changed. */
function keptReport(standing: Standing, frame: Frame): SubjectReport | null {
  const { subject, founds, symptoms } = standing;
  const resemblance = resemblanceOf(standing, frame);
  if (subject.kind !== 'Machine') return reportOf(standing, { ...frame, shared: [] }, resemblance);
  if (resemblance.alike.length > 0) return reportOf(standing, frame, resemblance);
  const conclusion = frame.memory.of(subject);
  const known = conclusion.reports.find((made) => isMadeOf(made, standing, frame));
  if (known !== undefined) return known.value.report;
  const reads = newReads();
  const observations = trackedObservations(frame.observations, reads);
  const tracked = { ...standing, subject: trackedSubject(subject, reads) };
  const report = reportOf(tracked, frame, resemblance, observations);
  const { shared, ruledOut, causes } = frame;
  const ownRuledOut = standing.ruledOut;
  const value = { founds, symptoms, shared, ruledOut, ownRuledOut, causes, report };
  const others = conclusion.reports.filter((made) => made.value.causes !== causes);
  conclusion.reports = [{ value, ...reads }, ...others].slice(0, REPORTS_MAX);
  return report;
}

function recognizedIn({ documents }: Observations): readonly LineSource[] {
  const all = new Set(documents.flatMap(({ sources }) => sources));
  return [...all].filter((source) => source !== 'unknown');
}

/** True for a Spot Instance that EC2 itself ended. */
function isTakenBack({ value }: { readonly value: Instance }): boolean {
  return (value.StateReason?.Code ?? '').startsWith('Server.SpotInstance');
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
  if (LASTING.some((kind) => owns(subject, kind))) return false;
  const instances = subject.facts
    .of('aws/instance')
    .filter(({ value }) => (value.InstanceId ?? null) === subject.instanceId);
  if (instances.some(({ value }) => !isTerminated(value))) return false;
  const explains = ({ stage, confidence }: SubjectReport['findings'][number]): boolean =>
    stage === 'launched' ||
    // EC2 lists ended instances for an hour, as long as events live: one that it does not list was
    // never ended, and of one that it took back itself nobody asked for its end.
    (stage === 'retained' && confidence === 'definite' && instances.every(isTakenBack));
  return !report.findings.some(explains);
}

/** What a machine has that is there. */
const LASTING = ['kube/Node', 'kube/NodeClaim', 'kube/Lease'] as const;

/** True when a fact of this kind is the machine's own. */
function owns({ names, facts }: Subject, kind: FactKind): boolean {
  const isCalled = (value: string): boolean => names.some((name) => name.value === value);
  return facts.of(kind).some(({ about }) => about.some(({ value }) => isCalled(value)));
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
    machines.flatMap(({ report: { findings, risks = [] } }) => [
      ...findings.map(({ explainedBy }) => explainedBy),
      ...risks,
    ]),
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
  if (subject.kind !== 'Machine' || founds.length > 0) return false;
  const lonely = instanceWithoutNode(subject, observations);
  const age = lonely === null ? null : ageOf(lonely.value, observations);
  if (age !== null && age < REGISTRATION_NORMAL_MS) return true;
  return subject.facts.of('kube/Node').some((fact) => isYoung(fact.value, observations));
}

function isYoung(node: KubeNode, { collection }: Observations): boolean {
  if (node.ready !== false) return false;
  const created = node.createdMs;
  const age =
    node.ageMs ?? (collection === null || created === null ? null : collection.atMs - created);
  return age !== null && age <= READY_NORMAL_MS;
}

/** @param timed the same evidence, of which is noted that its moment is asked for */
function reportOf(
  given: Standing,
  frame: Frame,
  resemblance: Resemblance,
  timed: Observations = frame.observations,
): SubjectReport | null {
  const pending = isPending(given, timed);
  const standing = pending ? { ...given, symptoms: [] } : given;
  const { subject } = standing;
  const { observations } = frame;
  const roled = assignRoles(standing, frame.shared);
  if (subject.kind !== 'Machine' && isSilent(standing, roled, resemblance)) return null;
  const shown = roled.map((entry) => shownFinding(entry, subject));
  const built = buildLadder(subject, failuresOf(standing, roled), pending);
  const ladder = firstCutIn(observations.facts) === null ? built : withoutUsable(built);
  const findings = [...shown, ...candidatesOf(standing, roled, frame, resemblance, ladder)];
  if (subject.kind !== 'Machine' && findings.length === 0 && standing.symptoms.length === 0)
    return null;
  const risks = subject.kind === 'Machine' ? risksOf(subject, frame.shared, roled, ladder) : [];
  return {
    kind: subject.kind,
    name: subject.name,
    instanceId: subject.instanceId,
    node: subject.node,
    verdict: verdictOf(ladder),
    stage: stageOf(ladder),
    ladder,
    findings,
    ...(risks.length === 0 ? {} : { risks }),
    notObservable: notObservableOf(ladder, subject, observations),
    timeline: timelineOf(standing, roled),
  };
}

/** True when there is nothing of which a finding could be made. */
function isSilent(
  { symptoms }: Standing,
  roled: readonly RoledFinding[],
  { alike }: Resemblance,
): boolean {
  return symptoms.length === 0 && roled.length === 0 && alike.length === 0;
}

/** What nothing decides, as far as something speaks for it. */
function candidatesOf(
  standing: Standing,
  roled: readonly RoledFinding[],
  frame: Frame,
  resemblance: Resemblance,
  ladder: SubjectReport['ladder'],
): readonly Finding[] {
  if (standing.symptoms.length === 0 && resemblance.alike.length === 0) return [];
  const ruledOut = standing.ruledOut.union(frame.ruledOut);
  const alike = failingAt(resemblance, frame, ladder);
  const { causes, observations } = frame;
  return possibleFindings({ ...standing, ruledOut }, roled, causes, alike, observations);
}

/** Neither what was ruled out nor a stage that was seen to hold fails, whatever lines resemble. */
function failingAt(
  { alike, ...rest }: Resemblance,
  { causes, cleared }: Pick<Frame, 'causes' | 'cleared'>,
  ladder: SubjectReport['ladder'],
): Resemblance {
  if (alike.length === 0) return { alike, ...rest };
  const isCleared = cleared();
  const passed = new Set(ladder.flatMap(({ stage, state }) => (state === 'passed' ? [stage] : [])));
  const over = new Set(causes.flatMap(({ id, stage }) => (passed.has(stage) ? [id] : [])));
  return { alike: alike.filter(({ cause }) => !over.has(cause) && !isCleared.has(cause)), ...rest };
}

function failuresOf(standing: Standing, roled: ReturnType<typeof assignRoles>): readonly Failure[] {
  const byCause = roled.map(({ cause, match }) => ({ stage: cause.stage, proof: match.proof }));
  const bySymptom = standing.symptoms.map(({ symptom, proof }) => ({
    stage: symptom.stage,
    proof,
  }));
  return [...byCause, ...bySymptom].toSorted((a, b) => stageIndex(a.stage) - stageIndex(b.stage));
}
