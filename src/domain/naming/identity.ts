import type { Observations } from '../../evidence/observations.ts';
import { type NamingMachine, namingValues } from './machines.ts';
import type { NamesSeen } from './names-table.ts';
import type { Instance } from '../../evidence/aws/instance.ts';
import type { CertificateSigningRequest } from '../../evidence/kube/admission.ts';

/** Name of a role without path, as aws-auth compares it. */
function roleName(arn: string): string {
  return arn.split('/').at(-1) ?? arn;
}

function nodeRoles(observations: Observations, instance: Instance | null): readonly string[] {
  const profile = (instance ?? {}).IamInstanceProfile?.Arn ?? '';
  const found = namingValues(observations, 'aws/instance-profile').find(
    (one) => profile !== '' && one.InstanceProfileName === roleName(profile),
  );
  return (found?.Roles ?? []).flatMap((role) => role.Arn ?? []);
}

/** The user name that the API server gives the machine's role; undefined when not to be seen. */
function userNameOf(
  observations: Observations,
  instance: Instance | null,
): string | null | undefined {
  const roles = nodeRoles(observations, instance);
  if (roles.length === 0) return undefined;
  const names = new Set(roles.map(roleName));
  const entry = namingValues(observations, 'aws/access-entry').find((one) =>
    roles.includes(one.principalArn ?? ''),
  );
  const byEntry = entry?.username ?? null;
  if (byEntry !== null) return byEntry;
  const auth = namingValues(observations, 'kube/aws-auth').flatMap((one) => one.roles);
  const mapped = auth.find(({ arn }) => names.has(roleName(arn)));
  return mapped === undefined ? undefined : mapped.username;
}

const KUBELET_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';

/** The user of the newest request by which a kubelet of one of these names renewed its certificate. */
function certificateOf(observations: Observations, names: readonly string[]): string | undefined {
  const users = new Set(names.map((name) => `system:node:${name}`));
  const requests = namingValues(observations, 'kube/CertificateSigningRequest')
    .filter(({ spec }) => spec?.signerName === KUBELET_SIGNER)
    .filter(({ spec }) => users.has(spec?.username ?? ''));
  const newest = requests.toSorted((a, b) => (createdOf(a) < createdOf(b) ? 1 : -1))[0];
  return newest === undefined ? undefined : (newest.spec?.username ?? undefined);
}

function createdOf({ metadata }: CertificateSigningRequest): string {
  return metadata?.creationTimestamp ?? '';
}

const EBS_DRIVER = 'ebs.csi.aws.com';

function csiNodeIdOf(observations: Observations, name: string | null): string | null | undefined {
  const found = namingValues(observations, 'kube/CSINode').find((one) => one.name === name);
  if (found === undefined) return undefined;
  const driver = (found.spec?.drivers ?? []).find((one) => one.name === EBS_DRIVER);
  return driver?.nodeID ?? null;
}

/**
 * What credentials, drivers and kubeadm call a machine.
 *
 * @param endpoints names of control planes in `ClusterStatus` of kubeadm-config, if it was seen
 */
export function identityOf(
  observations: Observations,
  { instance, node }: NamingMachine,
  formerNames: readonly string[],
  endpoints: readonly string[] | undefined,
): Partial<NamesSeen> {
  const names = [...(node === null ? [] : [node.name]), ...formerNames];
  const userName = userNameOf(observations, instance);
  const certificateName = certificateOf(observations, names);
  const csiNodeId = csiNodeIdOf(observations, node?.name ?? null);
  // A worker is in no endpoint list, so that the list says something of control planes only.
  const isEndpoint = endpoints?.some((one) => names.includes(one)) === true;
  return {
    ...(userName === undefined ? {} : { userName }),
    ...(certificateName === undefined ? {} : { certificateName }),
    ...(csiNodeId === undefined ? {} : { csiNodeId }),
    ...(endpoints === undefined || !isEndpoint ? {} : { kubeadmEndpoints: endpoints }),
  };
}
