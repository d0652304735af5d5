import type { PlannedGroup } from '../domain/planned/groups.ts';
import { kubeadmOf, type PlannedKubeadm } from '../domain/planned/kubeadm.ts';
import type { FactKind } from '../evidence/kinds.ts';
import type { CauseSpec, Details, Match, Step } from './cause.ts';
import { plannedDetails } from './foresight.ts';
import type { PlanView } from './plan-view.ts';

/** What a cause says where a configuration of kubeadm shows it. */
export interface KubeadmWords {
  readonly summary: (details: Details) => string;
  readonly remedy: (details: Details) => readonly Step[];
}

/** Whether what kubeadm is given brings a cause about, for one group of machines. */
type KubeadmJudge = (plan: PlanView, given: PlannedKubeadm, group: PlannedGroup) => Match | null;

/**
 * A cause with the function that finds it in what kubeadm is given, by files or by user data. A
 * plan without kubeadm is judged as before.
 */
export function foreseenByKubeadm<K extends FactKind, S extends string>(
  cause: CauseSpec<K, S>,
  judge: KubeadmJudge,
  words: KubeadmWords,
): CauseSpec<K, S> {
  const isOurs = ({ kubeadm }: Details): boolean => kubeadm !== undefined;
  return {
    ...cause,
    foresee: (plan, group) => {
      const given = kubeadmOf(plan, group);
      const own = given === null ? null : detailed(judge(plan, given, group), group);
      return stronger(own, cause.foresee?.(plan, group) ?? null);
    },
    summary: (details) => (isOurs(details) ? words.summary(details) : cause.summary(details)),
    remedy: (details) => (isOurs(details) ? words.remedy(details) : cause.remedy(details)),
  };
}

function detailed(match: Match | null, group: PlannedGroup): Match | null {
  if (match?.verdict !== 'found') return match;
  const details = { ...plannedDetails(group), kubeadm: 'true', ...match.details };
  return { ...match, details };
}

/** What is found by either counts, and nothing is ruled out that one of them leaves open. */
function stronger(one: Match | null, other: Match | null): Match | null {
  if (one === null || other === null) return one ?? other;
  if (one.verdict === 'found' || other.verdict === 'clear') return one;
  return other;
}
