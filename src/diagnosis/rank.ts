import { type Stage, stageIndex } from '../evidence/stage.ts';
import { isAfter } from '../evidence/time.ts';
import type { Cause, Found } from './cause.ts';
import type { Finding, Headline, Rung, SubjectReport } from './document.ts';
import type { FoundCause, RoledFinding, Standing } from './standing.ts';
import type { Subject } from './subject.ts';

/** True when `a`, being there, is reason enough for `b` to be seen. */
export function explains(a: FoundCause, b: FoundCause): boolean {
  if (a.cause.id === b.cause.id) return false;
  if (a.cause.explains?.includes(b.cause.id) === true) return true;
  if (b.cause.explains?.includes(a.cause.id) === true) return false;
  return a.cause.blocksAbove !== false && stageIndex(a.cause.stage) < stageIndex(b.cause.stage);
}

/** Gives each finding its part: root, consequence of a root, or contributing beside one. */
export function assignRoles(
  standing: Standing,
  shared: readonly FoundCause[],
): readonly RoledFinding[] {
  const own = standing.founds;
  const applying = shared
    .filter((entry) => concerns(entry, standing))
    .filter((entry) => !own.some(({ cause }) => cause.explains?.includes(entry.cause.id) === true));
  const all = [...applying, ...own];
  const roots = all.filter(
    (entry) => !all.some((other) => other !== entry && explains(other, entry)),
  );
  const repeated = applying.map((entry) => ({
    ...entry,
    role: 'consequence' as const,
    explainedBy: entry.cause.id,
  }));
  return [...repeated, ...own.map((entry) => roleOf(entry, roots, standing))];
}

function isAmong(machines: readonly string[], subject: Subject): boolean {
  const own = new Set([
    subject.instanceId,
    subject.node,
    ...subject.names.map(({ value }) => value),
  ]);
  return machines.some((machine) => own.has(machine));
}

/** A cause of the whole cluster concerns the machines that stand at or above its stage in trouble. */
function concerns(entry: FoundCause, standing: Standing): boolean {
  // A cause that names its machines concerns only those.
  if (entry.match.machines !== undefined) return isAmong(entry.match.machines, standing.subject);
  const reach = stageIndex(entry.cause.stage);
  return (
    standing.symptoms.some(({ symptom }) => stageIndex(symptom.stage) >= reach) ||
    standing.founds.some(
      ({ cause }) => cause.id !== entry.cause.id && stageIndex(cause.stage) >= reach,
    )
  );
}

/** Stages that are climbed once: what fails there later stops new machines, and none that is past it. */
const CLIMBED_ONCE: ReadonlySet<Stage> = new Set(['launched', 'bootstrapped', 'registered']);

/** Causes of the whole cluster that a machine depends on and does not suffer from yet. */
export function risksOf(
  subject: Subject,
  shared: readonly FoundCause[],
  roled: readonly RoledFinding[],
  ladder: readonly Rung[],
): readonly string[] {
  const suffered = new Set(roled.flatMap(({ cause, explainedBy: by }) => [cause.id, by]));
  const isPast = (stage: Stage): boolean =>
    CLIMBED_ONCE.has(stage) &&
    ladder.some((rung) => rung.stage === stage && rung.state === 'passed');
  return shared
    .filter(({ cause, match: { machines, dependents } }) =>
      machines === undefined ? cause.scope === 'cluster' : isAmong(dependents ?? [], subject),
    )
    .filter((entry) => !shared.some((other) => explains(other, entry)))
    .filter(({ cause }) => !suffered.has(cause.id) && !isPast(cause.stage))
    .map(({ cause }) => cause.id);
}

/** The stage of an undecided symptom under which nothing above can work, null without one. */
function lowestBlockedStage(standing: Standing): number | null {
  const blocking = standing.symptoms
    .filter(({ symptom }) => symptom.blocksAbove)
    .map(({ symptom }) => stageIndex(symptom.stage));
  return blocking.length === 0 ? null : Math.min(...blocking);
}

function roleOf(entry: FoundCause, roots: readonly FoundCause[], standing: Standing): RoledFinding {
  const blocked = lowestBlockedStage(standing);
  const root = roots.find((other) => other !== entry && explains(other, entry));
  if (root !== undefined) return { ...entry, role: 'consequence', explainedBy: root.cause.id };
  if (!roots.includes(entry)) {
    const indirect = roots[0];
    return { ...entry, role: 'consequence', explainedBy: indirect?.cause.id ?? null };
  }
  if (
    blocked !== null &&
    stageIndex(entry.cause.stage) > blocked &&
    !answersBlock(entry.cause, standing)
  ) {
    return { ...entry, role: 'contributing', explainedBy: null };
  }
  return { ...entry, role: 'root', explainedBy: null };
}

/** True when the cause itself says that the blocking symptom may be its own. */
function answersBlock(cause: Cause, standing: Standing): boolean {
  return standing.symptoms.some(
    ({ symptom }) =>
      symptom.blocksAbove && (cause.symptoms as readonly string[]).includes(symptom.id),
  );
}

interface Candidate {
  readonly finding: Finding;
  readonly report: SubjectReport;
  readonly explained: number;
  readonly match: Found | null;
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Lowest stage, then most subjects explained, then definite, then earliest, then id, then name. */
function compare(a: Candidate, b: Candidate): number {
  const stages = stageIndex(a.finding.stage) - stageIndex(b.finding.stage);
  if (stages !== 0) return stages;
  if (a.explained !== b.explained) return b.explained - a.explained;
  const definite =
    Number(b.finding.confidence === 'definite') - Number(a.finding.confidence === 'definite');
  if (definite !== 0) return definite;
  return (
    compareTimes(a, b) ||
    compareTexts(a.finding.cause, b.finding.cause) ||
    compareTexts(a.report.name, b.report.name)
  );
}

function compareTimes(a: Candidate, b: Candidate): number {
  const first = a.match?.proof[0]?.moment;
  const second = b.match?.proof[0]?.moment;
  if (first === undefined || second === undefined) return 0;
  if (first.at.document !== second.at.document && (first.when === null || second.when === null))
    return 0;
  if (isAfter(second, first)) return -1;
  return isAfter(first, second) ? 1 : 0;
}

/** The one cause to name, null when no root is definite or likely. */
export function pickHeadline(
  reports: readonly SubjectReport[],
  standings: readonly Standing[],
): Headline | null {
  const explained = explainedBy(reports);
  const matches = matchesOf(standings);
  const candidates = reports.flatMap((report) =>
    report.findings
      .filter((finding) => finding.role === 'root' && finding.confidence !== 'possible')
      .map((finding) => ({
        finding,
        report,
        explained: explained.get(finding.cause) ?? 0,
        match: matches.get(`${report.name} ${finding.cause}`) ?? null,
      })),
  );
  const best = candidates.toSorted(compare)[0];
  if (best === undefined) return null;
  const { cause, stage, confidence } = best.finding;
  return { cause, stage, confidence, subject: best.report.instanceId ?? best.report.name };
}

/** In how many subjects each cause is found, or explains what is. */
function explainedBy(reports: readonly SubjectReport[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { findings } of reports) {
    const causes = new Set(findings.flatMap(({ cause, explainedBy: by }) => [cause, by]));
    for (const cause of causes) if (cause !== null) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return counts;
}

/** What was found, by the name of its subject and the cause. */
function matchesOf(standings: readonly Standing[]): ReadonlyMap<string, Found> {
  return new Map(
    standings
      .toReversed()
      .flatMap(({ subject, founds }) =>
        founds.map(({ cause, match }) => [`${subject.name} ${cause.id}`, match] as const),
      ),
  );
}
