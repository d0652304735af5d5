import type { JsonObject } from '../../evidence/json.ts';
import type { KubeClient } from '../kube/contract.ts';
import type { ClusterSetting, WorldSetting } from '../stories/scenario.ts';
import { kubeadmRoles } from './kubeadm-roles.ts';
import { CLOUD_CONTROLLER, systemAgents } from './system-pods.ts';
import type { JoinSecret } from './user-data.ts';
import { webhookObjects } from './webhook-objects.ts';
import { isInjected, PRODUCTION } from './workload-roles.ts';
import { deployment, workloadAccounts } from './workloads.ts';

const DAY_MS = 86_400_000;

export interface ClusterPlan {
  readonly setting: WorldSetting;
  readonly join: JoinSecret;
  readonly nodeRoleArn: string;
  readonly accountId: string;
  /** ms since the Unix epoch. */
  readonly nowMs: number;
}

/** Puts into an empty cluster what kubeadm or EKS, and its people, put there. */
export function createClusterObjects(client: KubeClient, plan: ClusterPlan): void {
  const { setting } = plan;
  const { cluster } = setting;
  const objects = [
    ...serviceAccounts(cluster),
    ...(cluster.kind === 'kubeadm' ? kubeadmObjects(plan) : []),
    ...(cluster.kind === 'eks' && cluster.isNodeRoleMapped ? [awsAuth([plan.nodeRoleArn])] : []),
    ...systemAgents(cluster, setting.region),
    ...webhookObjects(cluster),
    ...namespacesOf(setting),
    ...workloadAccounts(setting, plan.accountId),
    ...(isInjected(setting) ? [] : workloadsOf(plan)),
  ];
  for (const object of objects) mustBeMade(client, object);
}

function workloadsOf({ setting, accountId }: ClusterPlan): readonly JsonObject[] {
  return setting.workloads.map((workload) => deployment(workload, setting, accountId));
}

/** What comes once the webhook that gives pods their roles is there, as nobody would do it before. */
export function createLateObjects(client: KubeClient, plan: ClusterPlan): void {
  if (isInjected(plan.setting)) for (const object of workloadsOf(plan)) mustBeMade(client, object);
}

function mustBeMade(client: KubeClient, object: JsonObject): void {
  const made = client.create(object);
  if (made.ok || made.failure.reason === 'AlreadyExists') return;
  throw new RangeError(`the API server refused ${JSON.stringify(object)}: ${made.failure.message}`);
}

function serviceAccounts({ podNetwork, podIdentity }: ClusterSetting): readonly JsonObject[] {
  const names = ['kube-proxy', 'calico-node', 'aws-node', 'kiam-agent', 'kiam-server', 'kube2iam'];
  const isUsed = (name: string): boolean =>
    name === 'kube-proxy' ||
    (name === 'calico-node' && podNetwork === 'calico') ||
    (name === 'aws-node' && podNetwork === 'vpc-cni') ||
    name.startsWith(podIdentity);
  const agents = [
    CLOUD_CONTROLLER,
    ...(podIdentity === 'pod-identity' ? ['eks-pod-identity-agent'] : []),
  ];
  return [...names.filter(isUsed), ...agents].map((name) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: 'kube-system' },
  }));
}

/** kiam gives roles only in namespaces that say which ones. */
function namespacesOf({ workloads }: WorldSetting): readonly JsonObject[] {
  if (workloads.length === 0) return [];
  const annotations = { 'iam.amazonaws.com/permitted': '.*' };
  const metadata = { name: PRODUCTION, annotations };
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata }];
}

/** What kubeadm init leaves for those who join. */
function kubeadmObjects({ setting, join, nowMs }: ClusterPlan): readonly JsonObject[] {
  const [id = '', secret = ''] = join.token.split('.');
  const { name, version } = setting.cluster;
  const configuration = [
    'apiVersion: kubeadm.k8s.io/v1beta4',
    'kind: ClusterConfiguration',
    `clusterName: ${name}`,
    `controlPlaneEndpoint: ${join.endpoint}`,
    `kubernetesVersion: v${version}`,
    'networking:',
    '  dnsDomain: cluster.local',
    '  podSubnet: 192.168.0.0/16',
    '  serviceSubnet: 10.96.0.0/12',
    '',
  ].join('\n');
  return [
    ...kubeadmRoles(),
    configMap('kube-system', 'kubeadm-config', { ClusterConfiguration: configuration }),
    configMap('kube-public', 'cluster-info', { kubeconfig: discoveryConfig(join.endpoint) }),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'bootstrap.kubernetes.io/token',
      metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
      stringData: {
        'token-id': id,
        'token-secret': secret,
        expiration: new Date(nowMs + DAY_MS).toISOString(),
        'usage-bootstrap-authentication': 'true',
        'usage-bootstrap-signing': 'true',
        'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
      },
    },
  ];
}

function discoveryConfig(endpoint: string): string {
  const cluster = { server: `https://${endpoint}`, 'certificate-authority-data': '' };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: '', cluster }],
  });
}

function configMap(
  namespace: string,
  name: string,
  data: Readonly<Record<string, string>>,
): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

/** The map of roles to users, as `eksctl` writes it. */
export function awsAuth(roleArns: readonly string[]): JsonObject {
  const mapRoles = roleArns
    .map((arn) =>
      [
        `- rolearn: ${arn}`,
        '  username: system:node:{{EC2PrivateDNSName}}',
        '  groups:',
        '  - system:bootstrappers',
        '  - system:nodes',
        '',
      ].join('\n'),
    )
    .join('');
  return configMap('kube-system', 'aws-auth', { mapRoles });
}
