import { load } from 'js-yaml';
import type { NamesSeen } from '../../../capacity/naming/names-table.ts';
import { at, isObject, type Json, listAt, textAt } from '../../../evidence/json.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { type Machine, namingValues } from './naming-facts.ts';

/** Name of a role without path, as aws-auth compares it. */
function roleName(arn: string): string {
  return arn.split('/').at(-1) ?? arn;
}

function nodeRoles(observations: Observations, instance: Json | null): readonly string[] {
  const profile = textAt(instance ?? {}, 'IamInstanceProfile.Arn') ?? '';
  const found = namingValues(observations, 'aws/instance-profile').find(
    (one) => profile !== '' && textAt(one, 'InstanceProfileName') === roleName(profile),
  );
  return listAt(found, 'Roles').flatMap((role) => textAt(role, 'Arn') ?? []);
}

/** The user name that the API server gives the machine's role; undefined when not to be seen. */
function userNameOf(observations: Observations, instance: Json | null): string | null | undefined {
  const roles = nodeRoles(observations, instance);
  if (roles.length === 0) return undefined;
  const names = new Set(roles.map(roleName));
  const entry = namingValues(observations, 'aws/access-entry').find((one) =>
    roles.includes(textAt(one, 'principalArn') ?? ''),
  );
  const byEntry = textAt(entry, 'username');
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
    .filter(({ body }) => textAt(body, 'spec.signerName') === KUBELET_SIGNER)
    .filter(({ body }) => users.has(textAt(body, 'spec.username') ?? ''));
  const newest = requests.toSorted((a, b) => (createdOf(a.body) < createdOf(b.body) ? 1 : -1))[0];
  return newest === undefined ? undefined : (textAt(newest.body, 'spec.username') ?? undefined);
}

function createdOf(body: Json): string {
  return textAt(body, 'metadata.creationTimestamp') ?? '';
}

const EBS_DRIVER = 'ebs.csi.aws.com';

function csiNodeIdOf(observations: Observations, name: string | null): string | null | undefined {
  const found = namingValues(observations, 'kube/CSINode').find((one) => one.name === name);
  if (found === undefined) return undefined;
  const driver = listAt(found.body, 'spec.drivers').find(
    (one) => textAt(one, 'name') === EBS_DRIVER,
  );
  return textAt(driver, 'nodeID');
}

const STATUS_TEXT_MAX = 64 * 1024;

/** Names in `ClusterStatus` of kubeadm-config, which kubeadm kept up to 1.21. */
function kubeadmEndpoints(observations: Observations): readonly string[] | undefined {
  const config = namingValues(observations, 'kube/ConfigMap').find(
    ({ name, namespace }) => name === 'kubeadm-config' && namespace === 'kube-system',
  );
  const text = textAt(config?.body, 'data.ClusterStatus');
  if (text === null || text.length > STATUS_TEXT_MAX) return undefined;
  const status = parsed(text);
  const endpoints = at(status, 'apiEndpoints');
  return isObject(endpoints) ? Object.keys(endpoints) : undefined;
}

function parsed(text: string): Json {
  try {
    return load(text) as Json;
  } catch {
    return null;
  }
}

/** What credentials, drivers and kubeadm call a machine. */
export function identityOf(
  observations: Observations,
  { instance, node }: Machine,
  formerNames: readonly string[],
): Partial<NamesSeen> {
  const names = [...(node === null ? [] : [node.name]), ...formerNames];
  const userName = userNameOf(observations, instance);
  const certificateName = certificateOf(observations, names);
  const csiNodeId = csiNodeIdOf(observations, node?.name ?? null);
  const endpoints = kubeadmEndpoints(observations);
  // A worker is in no endpoint list, so that the list says something of control planes only.
  const isEndpoint = endpoints?.some((one) => names.includes(one)) === true;
  return {
    ...(userName === undefined ? {} : { userName }),
    ...(certificateName === undefined ? {} : { certificateName }),
    ...(csiNodeId === undefined ? {} : { csiNodeId }),
    ...(endpoints === undefined || !isEndpoint ? {} : { kubeadmEndpoints: endpoints }),
  };
}
