import type { WhyUnknown } from '../../evidence/fact.ts';
import { type HeldRight, rightOf, type WantedRight } from '../instances/role-rights.ts';
import type { PlannedGroup } from './groups.ts';
import { lookedUp } from './indexed.ts';
import { INLINE_DOCUMENTS, INLINE_OF_ROLE, POLICIES_OF_ROLE } from './lookups.ts';
import type { PlanFacts } from './plan-facts.ts';

/** Whether the role of a group will have a right. */
export type PlannedRight =
  | { readonly kind: 'given' }
  | { readonly kind: 'missing'; readonly held: HeldRight }
  | { readonly kind: 'unknown'; readonly why: WhyUnknown };

function unknown(detail: string, collect: string): PlannedRight {
  return { kind: 'unknown', why: { reason: 'not-in-source', detail, collect } };
}

type Rights = Parameters<typeof rightOf>[0];

/** The policies of one role, in a plan that may have thousands of others. */
function rightsOf(plan: PlanFacts, role: string): Rights {
  const own = {
    'aws/attached-policies': () => lookedUp(plan, POLICIES_OF_ROLE, role),
    'aws/role-policies': () => lookedUp(plan, INLINE_OF_ROLE, role),
    'aws/role-policy': () => lookedUp(plan, INLINE_DOCUMENTS, role),
    'aws/policy-version': () => plan.list('aws/policy-version'),
  } as const;
  return { nowMs: 0, list: (kind) => own[kind]() as never };
}

/** Looks for a right of any role in the policies that a plan gives it; null where it gives none. */
export function heldRight(plan: PlanFacts, role: string, wanted: WantedRight): HeldRight | null {
  return rightOf(rightsOf(plan, role), role, wanted);
}

/** Looks for a right in the policies that a plan gives to the role of a group. */
export function plannedRight(
  plan: PlanFacts,
  { role }: PlannedGroup,
  wanted: WantedRight,
): PlannedRight {
  if (role === null) return unknown('which role the machines run with', 'terraform plan');
  const held = heldRight(plan, role.name, wanted);
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
