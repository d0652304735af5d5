import type { WhyUnknown } from '../../evidence/fact.ts';
import { type HeldRight, rightOf, type WantedRight } from '../instances/role-rights.ts';
import type { PlannedGroup } from './groups.ts';
import type { PlanFacts } from './plan-facts.ts';

/** Whether the role of a group will have a right. */
export type PlannedRight =
  | { readonly kind: 'given' }
  | { readonly kind: 'missing'; readonly held: HeldRight }
  | { readonly kind: 'unknown'; readonly why: WhyUnknown };

function unknown(detail: string, collect: string): PlannedRight {
  return { kind: 'unknown', why: { reason: 'not-in-source', detail, collect } };
}

/** Looks for a right in the policies that a plan gives to the role of a group. */
export function plannedRight(
  plan: PlanFacts,
  { role }: PlannedGroup,
  wanted: WantedRight,
): PlannedRight {
  if (role === null) return unknown('which role the machines run with', 'terraform plan');
  const held = rightOf({ nowMs: 0, list: (kind) => plan.list(kind) }, role.name, wanted);
  if (held?.right === 'given') return { kind: 'given' };
  const doubt = plan.doubtOf('aws/attached-policies');
  if (doubt !== null) return unknown(`${doubt.what} (${doubt.address})`, 'terraform plan');
  if (held === null)
    return unknown(
      `which policies the role ${role.name} has, since this plan does not make it`,
      `aws iam list-attached-role-policies --role-name ${role.name}`,
    );
  return held.right === 'unknown' ? { kind: 'unknown', why: held.why } : { kind: 'missing', held };
}
