import type { Planned } from '../../evidence/planned.ts';
import type { PlannedGroup } from './groups.ts';
import { lookedUp } from './indexed.ts';
import { NODE_POOLS } from './lookups.ts';
import type { PlanFacts } from './plan-facts.ts';

/** The NodePool that a group was read from; two files may have one of the same name. */
export function poolOf(
  plan: PlanFacts,
  { kind, name, fact }: PlannedGroup,
): Planned<'kube/NodePool'> | null {
  if (kind !== 'NodePool') return null;
  return lookedUp(plan, NODE_POOLS, name).find(({ locator }) => locator === fact.locator) ?? null;
}
