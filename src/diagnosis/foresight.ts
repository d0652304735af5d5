import type { PlannedGroup, PlannedRole } from '../domain/planned/groups.ts';
import type { FactKind } from '../evidence/kinds.ts';
import {
  cannotSay,
  type CannotSay,
  type CauseSpec,
  type Details,
  type Match,
  type Step,
} from './cause.ts';
import { machineView } from './machine-view.ts';
import type { PlanView } from './plan-view.ts';

/** What a cause says where a plan shows it, before there is a machine that commands could look at. */
export interface ForeseenWords {
  /** By default the sentence that it says of machines. */
  readonly summary?: (details: Details) => string;
  readonly remedy: (details: Details) => readonly Step[];
}

/** What a plan that does not show enough comes to; it is no question for people. */
export const NOT_SHOWN: CannotSay = cannotSay();

/**
 * A declared cause with the function that finds it in a plan, for each group of machines.
 *
 * @param words by default those of the cause, which then tells a plan by `planned`
 */
export function foreseen<K extends FactKind, S extends string>(
  cause: CauseSpec<K, S>,
  foresee: (plan: PlanView, group: PlannedGroup) => Match | null,
  words?: ForeseenWords,
): CauseSpec<K, S> {
  const own = { ...cause, foresee: judged(foresee) };
  if (words === undefined) return own;
  const isPlanned = ({ planned }: Details): boolean => planned !== undefined;
  return {
    ...own,
    summary: (details) =>
      isPlanned(details) && words.summary !== undefined
        ? words.summary(details)
        : cause.summary(details),
    remedy: (details) => (isPlanned(details) ? words.remedy(details) : cause.remedy(details)),
  };
}

/** What is found is always of a group that a plan has. */
function judged(
  foresee: (plan: PlanView, group: PlannedGroup) => Match | null,
): (plan: PlanView, group: PlannedGroup) => Match | null {
  return (plan, group) => {
    if (group.kind === 'Kubeadm') return null;
    const match = foresee(plan, group);
    if (match?.verdict !== 'found') return match;
    return { ...match, details: { ...plannedDetails(group), ...match.details } };
  };
}

/**
 * A declared cause that judges a machine of a plan as it judges one that did not become a Node.
 *
 * @param isAsked whether it can occur to this group; null where the plan does not tell
 */
export function foreseenByMatch<K extends FactKind, S extends string>(
  cause: CauseSpec<K, S>,
  isAsked: (plan: PlanView, group: PlannedGroup) => boolean | null,
  words: ForeseenWords,
): CauseSpec<K, S> {
  const foresee = (plan: PlanView, group: PlannedGroup): Match | null => {
    const asked = isAsked(plan, group);
    if (asked !== true) return asked === false ? null : NOT_SHOWN;
    const match = cause.match?.(machineView<K, S>(plan, group)) ?? null;
    return match === null || match.verdict === 'unknown' ? NOT_SHOWN : match;
  };
  return foreseen(cause, foresee, words);
}

/** What sentences need to know of a group in a plan. */
export function plannedDetails({ name, clusterName, role }: PlannedGroup): Details {
  return {
    planned: name,
    ...(clusterName === null ? {} : { cluster: clusterName }),
    ...(role === null ? {} : { role: role.name, ...principalOf(role) }),
  };
}

/** What stands for the ARN of a role in a configuration. */
function principalOf({ arn }: PlannedRole): Details {
  if (arn === null) return {};
  if (!arn.startsWith('arn:')) return { principal: `${arn}.arn`, address: arn };
  return { principal: `"${arn}"` };
}
