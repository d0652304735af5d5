import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { SimulatedAws } from '../aws/cloud.ts';
import { clusterOf } from '../aws/eks/clusters.ts';
import type { KubeApiServer } from '../kube/server.ts';
import type { WorkloadSetting, WorldSetting } from '../stories/scenario.ts';

/** Where the workloads of a simulated cluster are. */
export const PRODUCTION = 'production';
const STS = 'sts.amazonaws.com';
const EKS_AUTH = 'pods.eks.amazonaws.com';

/** Whether a webhook gives pods their role as they are created. */
export function isInjected({ cluster }: WorldSetting): boolean {
  return cluster.podIdentity === 'irsa' || cluster.podIdentity === 'pod-identity';
}

/**
 * Who signs tokens of service accounts where AWS knows of it; null elsewhere. A cluster of kubeadm
 * has its discovery document in a bucket (amazon-eks-pod-identity-webhook, SELF_HOSTED_SETUP.md).
 */
export function issuerOf({ controls, region }: SimulatedAws, setting: WorldSetting): string | null {
  const { kind, name, podIdentity } = setting.cluster;
  if (kind === 'eks') return textAt(clusterOf(controls.account, name), 'identity.oidc.issuer');
  return podIdentity === 'irsa' ? `https://s3.${region}.amazonaws.com/oidc-of-${name}` : null;
}

/** AWS can check the tokens; roles can trust them once IAM has the provider, as for IRSA. */
export function publishIssuer(
  cloud: SimulatedAws,
  setting: WorldSetting,
  issuer: string,
  api: KubeApiServer,
): void {
  const { controls } = cloud;
  controls.publishIssuer(issuer, (token) => api.hasSigned(token));
  if (setting.cluster.podIdentity === 'irsa') trustAccounts(cloud, setting, issuer);
  if (setting.cluster.podIdentity === 'pod-identity') associate(cloud, setting);
}

function trustAccounts(cloud: SimulatedAws, setting: WorldSetting, issuer: string): void {
  const { cluster, workloads } = setting;
  const provider =
    cluster.kind === 'eks'
      ? cloud.controls.createOidcProvider(cluster.name)
      : createOwnProvider(cloud, issuer, setting.startMs);
  for (const role of rolesOf(workloads)) {
    const subjects = workloads
      .filter((one) => one.role === role)
      .map(({ name }) => `system:serviceaccount:${PRODUCTION}:${name}`);
    cloud.controls.setTrust(role, webTrust(provider, issuer, subjects));
  }
}

function rolesOf(workloads: readonly WorkloadSetting[]): ReadonlySet<string> {
  return new Set(workloads.flatMap(({ role }) => role ?? []));
}

function withoutScheme(issuer: string): string {
  return issuer.replace('https://', '');
}

function createOwnProvider({ controls, accountId }: SimulatedAws, issuer: string, atMs: number) {
  const Url = withoutScheme(issuer);
  const arn = `arn:aws:iam::${accountId}:oidc-provider/${Url}`;
  const CreateDate = new Date(atMs).toISOString();
  const thumbprint = '9e99a48a9960b14926bb7f3b02e22da2b0ab7280';
  const trusted = { ClientIDList: [STS], ThumbprintList: [thumbprint], Tags: [] };
  controls.put('oidc-provider', arn, { Url, ...trusted, CreateDate });
  return arn;
}

/** As `eksctl create iamserviceaccount` writes it. */
function webTrust(provider: string, issuer: string, subjects: readonly string[]): JsonObject {
  const url = withoutScheme(issuer);
  return trust({
    Principal: { Federated: provider },
    Action: 'sts:AssumeRoleWithWebIdentity',
    Condition: { StringEquals: { [`${url}:sub`]: [...subjects], [`${url}:aud`]: STS } },
  });
}

function trust(statement: JsonObject): JsonObject {
  return { Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] };
}

/** EKS knows whose role is whose; elsewhere there is nobody who could be told. */
function associate({ controls, accountId }: SimulatedAws, { cluster, workloads }: WorldSetting) {
  if (cluster.kind !== 'eks') return;
  for (const role of rolesOf(workloads))
    controls.setTrust(
      role,
      trust({ Principal: { Service: EKS_AUTH }, Action: ['sts:AssumeRole', 'sts:TagSession'] }),
    );
  for (const { name, role } of workloads) {
    if (role === null) continue;
    const roleArn = `arn:aws:iam::${accountId}:role/${role}`;
    const whose = { namespace: PRODUCTION, serviceAccount: name };
    controls.createPodIdentity({ cluster: cluster.name, ...whose, roleArn });
  }
}
