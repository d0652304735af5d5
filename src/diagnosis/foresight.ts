import type { PlannedGroup, PlannedRole } from '../domain/planned/groups.ts';
import type { FactKind } from '../evidence/kinds.ts';
import type { CauseSpec, Details, Match } from './cause.ts';
import type { PlanView } from './plan-view.ts';

/** A declared cause with the function that finds it in a plan, for each group of machines. */
export function foreseen<K extends FactKind, S extends string>(
  cause: CauseSpec<K, S>,
  foresee: (plan: PlanView, group: PlannedGroup) => Match | null,
): CauseSpec<K, S> {
  return { ...cause, foresee };
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
