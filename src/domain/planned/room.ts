import type { WhyUnknown } from '../../evidence/fact.ts';
import type { Planned } from '../../evidence/planned.ts';
import { cidrOf, sizeOf } from '../network/cidr.ts';
import type { PlannedGroup } from './groups.ts';
import { lookedUp } from './indexed.ts';
import { SUBNETS } from './lookups.ts';
import type { PlanFacts } from './plan-facts.ts';

/** Addresses of each subnet that EC2 keeps for itself. */
const RESERVED = 5;

/** Whether the subnets of a group have an address for each of its machines. */
export type Room =
  | { readonly kind: 'enough' }
  | { readonly kind: 'unknown'; readonly why: WhyUnknown }
  | {
      readonly kind: 'short';
      readonly subnets: readonly Planned<'aws/subnet'>[];
      readonly free: number;
      readonly wanted: number;
    };

/** Counts the addresses of subnets against machines; null where the plan does not show them. */
export function plannedRoom(plan: PlanFacts, { subnets, desired }: PlannedGroup): Room | null {
  if (desired === null) return null;
  if (subnets === null) {
    const detail = 'which subnets the machines will be in';
    return { kind: 'unknown', why: { reason: 'not-in-source', detail, collect: 'terraform plan' } };
  }
  const shown = subnets.flatMap((id) => lookedUp(plan, SUBNETS, id).slice(0, 1));
  const free = shown.map(freeIn).filter((count) => count !== null);
  if (subnets.length === 0 || free.length < subnets.length) return null;
  const sum = free.reduce((total, count) => total + count, 0);
  if (sum >= desired) return { kind: 'enough' };
  return { kind: 'short', subnets: shown, free: sum, wanted: desired };
}

/** Addresses that are free in a subnet; null where neither EC2 nor the plan tells. */
export function freeIn({ value, change }: Planned<'aws/subnet'>): number | null {
  const counted = value.AvailableIpAddressCount ?? null;
  if (counted !== null) return counted;
  const block = cidrOf(value.CidrBlock ?? '');
  return change === 'create' && block !== null ? sizeOf(block) - RESERVED : null;
}
