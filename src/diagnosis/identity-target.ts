import type { AssociationTarget, IdentityTarget } from '../evidence/detail-target.ts';
import { roleName } from '../domain/nodes/fleet.ts';
import { factValues } from '../evidence/fact-values.ts';
import type { Observations } from '../evidence/observations.ts';
import { environmentOf, isPodReady, serviceAccountOf } from '../domain/pods/pods.ts';
import { ecrImageWaiting } from '../domain/pods/pulls.ts';
import type { Pod } from '../evidence/kube/pod.ts';
import type { Instance } from '../evidence/aws/instance.ts';

const ROLES_MAX = 20;
const POLICIES_MAX = 20;
const ASSOCIATIONS_MAX = 20;

export const NO_IDENTITY: IdentityTarget = {
  instanceIds: [],
  roleNames: [],
  policyArns: [],
  associations: [],
  providerArns: [],
  isRegistryAsked: false,
};

/** Machines and pods that do not work and stand for the others. */
export interface Unwell {
  readonly instances: readonly Instance[];
  readonly pods: readonly Pod[];
}

/** What AWS is asked of the identities of machines and pods that do not work. */
export function identityTarget(
  { instances, pods }: Unwell,
  observations: Observations,
): IdentityTarget {
  const failing = pods.filter((pod) => !isPodReady(pod));
  const roleNames = rolesOf(instances, observations);
  return {
    instanceIds: distinct(instances.map((one) => one.InstanceId ?? null)),
    roleNames,
    policyArns: ownPolicies(roleNames, observations),
    associations: associationsOf(failing, observations),
    providerArns: failing.some(asksSts) ? providersOf(observations) : [],
    isRegistryAsked: failing.some((pod) => ecrImageWaiting(pod) !== null),
  };
}

function distinct(values: readonly (string | null)[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== null && value !== '') as string[];
}

/** The roles that the machines have, and that of the cluster, which works for all of them. */
function rolesOf(instances: readonly Instance[], observations: Observations): readonly string[] {
  const profiles = new Set(instances.map((one) => one.IamInstanceProfile?.Arn ?? null));
  const ofMachines = factValues(observations, 'aws/instance-profile')
    .filter((profile) => profiles.has(profile.Arn ?? null))
    .flatMap((profile) => (profile.Roles ?? []).map((role) => role.RoleName ?? null));
  const ofCluster = factValues(observations, 'aws/cluster').map((cluster) =>
    roleName(cluster.roleArn ?? ''),
  );
  return distinct([...ofMachines, ...ofCluster]).slice(0, ROLES_MAX);
}

function ownPolicies(roleNames: readonly string[], observations: Observations): readonly string[] {
  const arns = factValues(observations, 'aws/attached-policies')
    .filter((held) => roleNames.includes(held.RoleName ?? ''))
    .flatMap((held) => (held.AttachedPolicies ?? []).map((one) => one.PolicyArn ?? null));
  return distinct(arns)
    .filter((arn) => !arn.includes(':iam::aws:'))
    .slice(0, POLICIES_MAX);
}

function associationsOf(failing: Pod[], observations: Observations): readonly AssociationTarget[] {
  const accounts = new Set(
    failing.map((pod) => `${pod.namespace ?? 'default'}/${serviceAccountOf(pod)}`),
  );
  return factValues(observations, 'aws/pod-identity-association')
    .filter((one) => accounts.has(`${one.namespace ?? ''}/${one.serviceAccount ?? ''}`))
    .map((one) => ({
      clusterName: one.clusterName ?? '',
      associationId: one.associationId ?? '',
    }))
    .filter(({ clusterName, associationId }) => clusterName !== '' && associationId !== '')
    .slice(0, ASSOCIATIONS_MAX);
}

function asksSts(pod: Pod): boolean {
  return environmentOf(pod, 'AWS_WEB_IDENTITY_TOKEN_FILE') !== null;
}

/** The providers of the account that are of the cluster's issuer. */
function providersOf(observations: Observations): readonly string[] {
  const issuers = factValues(observations, 'aws/cluster')
    .map((cluster) => cluster.identity?.oidc?.issuer?.replace('https://', '') ?? '')
    .filter((issuer) => issuer !== '');
  return distinct(
    factValues(observations, 'aws/oidc-providers')
      .flat()
      .map((entry) => entry.Arn ?? null),
  ).filter((arn) => issuers.some((issuer) => arn.endsWith(`:oidc-provider/${issuer}`)));
}
