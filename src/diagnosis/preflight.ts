import { type PlannedGroup, plannedGroups } from '../domain/planned/groups.ts';
import { kubeadmOf } from '../domain/planned/kubeadm.ts';
import type { WhyUnknown } from '../evidence/fact.ts';
import type { PlanContents } from '../evidence/planned.ts';
import type { Verdict } from '../evidence/verdict.ts';
import { STAGES } from '../evidence/stage.ts';
import type { CannotSay, Cause, Confidence, Found, Step } from './cause.ts';
import type { EvidenceLine, NotObservable } from './document.ts';
import { type PlanView, planView } from './plan-view.ts';

/** What a plan would bring about, of one cause and one group. */
export interface ForeseenFinding {
  readonly cause: string;
  readonly stage: Cause['stage'];
  readonly confidence: Confidence;
  /** Where the plan says it, the deciding place first. */
  readonly address: string;
  readonly summary: string;
  readonly why: string;
  readonly evidence: readonly EvidenceLine[];
  readonly remedy: readonly Step[];
}

/** A group of machines that a plan has as nodes. */
export interface PreflightSubject {
  readonly kind: PlannedGroup['kind'];
  readonly name: string;
  /** The plan that it is in. */
  readonly plan: string;
  readonly address: string;
  readonly cluster: string | null;
  readonly verdict: Verdict;
  readonly findings: readonly ForeseenFinding[];
  /** Ids of the causes that the plan rules out. */
  readonly clear: readonly string[];
  /** Ids of the causes that the plan neither shows nor rules out. */
  readonly open: readonly string[];
  readonly notObservable: readonly NotObservable[];
}

/** The document that `rollcall preflight -o json` prints; other programs rely on its shape. */
export interface PreflightDocument {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'Preflight';
  readonly catalogueVersion: string;
  readonly subjects: readonly PreflightSubject[];
  readonly plans: readonly {
    readonly locator: string;
    readonly resources: number;
    /** True when something that nodes depend on is made, changed or removed; else nothing is judged. */
    readonly isChanging: boolean;
  }[];
  /** What was given but could not be read, in sentences. */
  readonly losses: readonly { readonly locator: string; readonly what: string }[];
}

/** Judges every group of one plan by all causes that plans show. */
export function foreseeAll(
  causes: readonly Cause[],
  contents: PlanContents,
  plan: string,
): readonly PreflightSubject[] {
  if (!contents.isChanging) return [];
  const view = planView(contents);
  return plannedGroups(view).map((group) => subjectOf(causes, view, group, plan));
}

/** One of several plans that say together what there will be. */
export interface Sharing {
  readonly locator: string;
  readonly contents: PlanContents;
}

/**
 * Judges the groups of plans that lean on one another, such as manifests.
 *
 * @param beside plans whose things these groups may use, and whose own groups are judged elsewhere
 */
export function foreseeTogether(
  causes: readonly Cause[],
  plans: readonly Sharing[],
  beside: readonly PlanContents[],
): readonly PreflightSubject[] {
  if (plans.length === 0) return [];
  const view = planView(joined([...plans.map(({ contents }) => contents), ...beside]));
  const own = new Map<unknown, string>(
    plans.flatMap(({ contents, locator }) => contents.facts.map((fact) => [fact, locator])),
  );
  return plannedGroups(view).flatMap((group) => {
    const plan = own.get(group.fact);
    return plan === undefined ? [] : [subjectOf(causes, view, group, plan)];
  });
}

/** Several plans as one; what one of them could not write, another may. */
function joined(plans: readonly PlanContents[]): PlanContents {
  return {
    facts: plans.flatMap(({ facts }) => facts),
    doubts: plans.flatMap(({ doubts }) => doubts),
    resourceCount: plans.reduce((sum, { resourceCount }) => sum + resourceCount, 0),
    isChanging: plans.some(({ isChanging }) => isChanging),
    canWriteMaps: plans.some(({ canWriteMaps }) => canWriteMaps),
  };
}

function subjectOf(
  causes: readonly Cause[],
  view: PlanView,
  group: PlannedGroup,
  plan: string,
): PreflightSubject {
  const findings: ForeseenFinding[] = [];
  const open: NotObservable[] = [];
  const ruledOut: string[] = [];
  const undecided: string[] = [];
  for (const cause of causes) {
    const match = cause.foresee?.(view, group) ?? null;
    if (match?.verdict === 'found') findings.push(findingOf(cause, match, group, plan));
    else if (match?.verdict === 'clear') ruledOut.push(cause.id);
    else if (match !== null) {
      undecided.push(cause.id);
      for (const { detail: why, collect } of openOf(match, group, view))
        open.push({ stage: cause.stage, why, collect: collect ?? cause.decide.command ?? '' });
    }
  }
  return {
    kind: group.kind,
    name: group.name,
    plan,
    address: group.fact.address,
    cluster: group.clusterName,
    verdict: verdictOf(findings, open),
    findings: findings.toSorted((a, b) => STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage)),
    clear: ruledOut,
    open: undecided,
    notObservable: open.filter(
      ({ why }, index) => open.findIndex((other) => other.why === why) === index,
    ),
  };
}

function verdictOf(findings: readonly unknown[], open: readonly unknown[]): Verdict {
  if (findings.length > 0) return 'not-usable';
  return open.length > 0 ? 'cannot-tell' : 'usable';
}

/**
 * What is still to be asked: of a group that the plan leaves as it is, only what the plan itself
 * leaves open, since whatever else lets its machines in does so today.
 */
function openOf(
  { missing }: CannotSay,
  group: PlannedGroup,
  view: PlanView,
): readonly WhyUnknown[] {
  const { fact, kind, cluster } = group;
  // Of a cluster that kubeadm makes nobody can ask EKS.
  if (cluster === null && kubeadmOf(view, group) !== null) return [];
  // A manifest leaves the cluster to others; beside a plan that shows it, the cluster can be asked.
  if (kind === 'NodePool')
    return cluster === null ? [] : missing.filter(({ collect }) => collect !== 'terraform plan');
  if (fact.change !== 'keep') return missing;
  return missing.filter(({ collect }) => collect === 'terraform plan');
}

/** The part of a plan that a quote was taken from. */
function addressIn(locator: string | undefined): string | null {
  const at = locator?.indexOf('#') ?? -1;
  return locator === undefined || at < 0 ? null : locator.slice(at + 1);
}

function findingOf(cause: Cause, match: Found, group: PlannedGroup, plan: string): ForeseenFinding {
  const own = match.proof.find(({ locator }) => locator.startsWith(`${plan}#`));
  return {
    cause: cause.id,
    stage: cause.stage,
    confidence: match.confidence,
    address: addressIn(own?.locator) ?? group.fact.address,
    summary: cause.summary(match.details),
    why: cause.page.why,
    evidence: match.proof.map(({ source, locator, excerpt }) => ({
      source,
      locator,
      excerpt,
      time: null,
    })),
    remedy: cause.remedy(match.details),
  };
}
