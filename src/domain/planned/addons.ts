import type { Planned } from '../../evidence/planned.ts';
import type { PlannedGroup } from './groups.ts';
import { lookedUp } from './indexed.ts';
import { ADDONS, ANY, IDENTITIES, ROLES } from './lookups.ts';
import type { PlanFacts } from './plan-facts.ts';

/** The service accounts of the add-ons whose pods call AWS. */
export const ACCOUNTS: Readonly<Record<string, string>> = {
  'vpc-cni': 'aws-node',
  'aws-ebs-csi-driver': 'ebs-csi-controller-sa',
  'aws-efs-csi-driver': 'efs-csi-controller-sa',
};

/** The add-ons that a plan gives the cluster of a group. */
export function addonsOf(
  plan: PlanFacts,
  { clusterName }: PlannedGroup,
): readonly Planned<'aws/addon'>[] {
  return [...lookedUp(plan, ADDONS, clusterName), ...lookedUp(plan, ADDONS, ANY)];
}

/** True where the pods of an add-on get a role by EKS Pod Identity. */
function hasPodIdentity(plan: PlanFacts, addon: Planned<'aws/addon'>): boolean {
  const account = ACCOUNTS[addon.value.addonName ?? ''];
  return [addon.value.clusterName ?? ANY, ANY]
    .flatMap((cluster) => lookedUp(plan, IDENTITIES, cluster))
    .some(({ value }) => value.serviceAccount === account);
}

/** How the pods of an add-on get a role: by a token of IRSA, in another way, or not at all. */
export function addonIdentity(
  plan: PlanFacts,
  addon: Planned<'aws/addon'>,
): 'irsa' | 'other' | 'none' {
  const arn = addon.value.serviceAccountRoleArn ?? null;
  if (arn !== null) return arn === addon.address ? 'other' : 'irsa';
  return hasPodIdentity(plan, addon) ? 'other' : 'none';
}

/** The role of an add-on's service account, where the plan shows it. */
export function addonRole(
  plan: PlanFacts,
  { value }: Planned<'aws/addon'>,
): Planned<'aws/role'> | null {
  return lookedUp(plan, ROLES, value.serviceAccountRoleArn)[0] ?? null;
}

/** The VPC CNI as the one add-on of the one cluster sets it up; null where nobody can tell. */
export function plannedCni(plan: PlanFacts): Planned<'kube/DaemonSet'> | null {
  const [daemonSet, ...more] = plan.list('kube/DaemonSet');
  const isClear = plan.list('aws/cluster').length === 1 && plan.doubtOf('kube/DaemonSet') === null;
  return isClear && more.length === 0 ? (daemonSet ?? null) : null;
}
