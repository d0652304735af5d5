import { textAt } from '../../evidence/json.ts';
import { type SimulatedAws, createAwsCloud } from '../aws/cloud.ts';
import { clusterOf, createCluster } from '../aws/eks/clusters.ts';
import type { AwsIdentity } from '../aws/contract.ts';
import { LATE, NO_LAG } from '../aws/options.ts';
import { createKernel, type Kernel, type LogLine } from '../kernel/kernel.ts';
import { createClient } from '../kube/client.ts';
import type { ApiUser } from '../kube/contract.ts';
import { createApiServer, type KubeApiServer } from '../kube/server.ts';
import type { SimulatedMachine, Hypervisor, JoinTurn } from '../machines/contract.ts';
import { createHypervisor } from '../machines/hypervisor.ts';
import { type Platform, startPlatform } from '../platform/platform.ts';
import type { GroupSetting, WorldSetting } from '../stories/scenario.ts';
import type { World } from '../world.ts';
import { createClusterObjects, createLateObjects } from './cluster-objects.ts';
import { createFleet, type Fleet } from './fleet.ts';
import { isAnswering, kubeletPage, type Places, podLog, runByAgent } from './hooks.ts';
import { type Infrastructure, createInfrastructure, minorOf } from './infrastructure.ts';
import { gitVersionOf, platformOptions, hypervisorOptions } from './options.ts';
import { type PodIdentityWebhook, startWebhook } from './pod-identity-webhook.ts';
import { CONTROL_PLANE } from './system-pods.ts';
import type { JoinSecret } from './user-data.ts';
import { isInjected, issuerOf, publishIssuer } from './workload-roles.ts';

/** A whole world: a cloud, a cluster on it, its machines, and who watches over them. */
export interface SimulatedCluster extends Fleet {
  readonly kernel: Kernel;
  readonly world: World;
  readonly setting: WorldSetting;
  readonly cloud: SimulatedAws;
  readonly api: KubeApiServer;
  readonly hypervisor: Hypervisor;
  readonly platform: Platform;
  readonly infrastructure: Infrastructure;
  readonly join: JoinSecret;
  /** null where nothing of the kind gives pods their roles. */
  readonly webhook: PodIdentityWebhook | null;
  /** May do everything, on both sides. */
  readonly admin: { readonly user: ApiUser; readonly identity: AwsIdentity };
  machineOf(name: string): SimulatedMachine | null;
}

export interface SimulatedOptions {
  readonly setting: WorldSetting;
  readonly seed: number;
  readonly onLine?: (line: LogLine) => void;
  readonly onEvent?: () => void;
  /** Stands between `rollcall join` and its ports on every machine. */
  readonly joinTools?: JoinTurn;
}

export const ADMIN: ApiUser = {
  name: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};

const ACCOUNT_ID = '123456789012';

function endpointOf({ cluster, region }: WorldSetting): string {
  return cluster.kind === 'eks'
    ? `ABCDEF0123456789.gr7.${region}.eks.amazonaws.com`
    : '10.0.250.10:6443';
}

/** Builds a simulated cluster; its machines are launched at once, and start as time goes on. */
export function buildCluster({
  setting: given,
  seed,
  joinTools,
  ...hooks
}: SimulatedOptions): SimulatedCluster {
  const setting = withControlPlane(given);
  const kernel = createKernel({ seed, startMs: setting.startMs - PRELUDE_MS, ...hooks });
  const { region, isAwsLate } = setting;
  const lag = isAwsLate ? LATE : NO_LAG;
  const cloud = createAwsCloud({ kernel, region, accountId: ACCOUNT_ID, lag });
  const infrastructure = withCluster(cloud, setting, createInfrastructure(cloud, setting));
  const places: { -readonly [Part in keyof Places]: Places[Part] } = {};
  const issuer = issuerOf(cloud, setting);
  const api = openApi({ kernel, cloud }, setting, places, issuer);
  if (issuer !== null) publishIssuer(cloud, setting, issuer, api);
  const world: World = { kernel, aws: cloud, api, client: (user) => createClient(api, user) };
  const join = { endpoint: endpointOf(setting), token: tokenOf(kernel) };
  const accountId = ACCOUNT_ID;
  const nowMs = setting.startMs;
  const { nodeRoleArn } = infrastructure;
  const plan = { setting, join, nodeRoleArn, accountId, nowMs };
  createClusterObjects(world.client(ADMIN), plan);
  const webhook = isInjected(setting) ? webhookOf(world, cloud, setting, places) : null;
  if (webhook !== null) places.webhook = webhook;
  const platform = startPlatform(world, platformOptions(setting.cluster));
  const hypervisor = createHypervisor(world, {
    ...hypervisorOptions(setting, join.endpoint),
    ...(joinTools === undefined ? {} : { joinTools }),
  });
  Object.assign(places, { hypervisor, platform });
  cloud.controls.setAgents((instanceId, script, done) =>
    runByAgent(hypervisor, instanceId, script, done),
  );
  if (setting.cluster.kind === 'eks') writeControlPlaneLogs(cloud, setting.cluster.name, platform);
  const fleet = createFleet({ seed, cloud, setting }, infrastructure, join);
  launchAll(fleet, infrastructure, (group) => group.isControlPlane);
  happenUntil(kernel, setting.startMs - PRELUDE_MS / 2);
  markControlPlane(world);
  happenUntil(kernel, setting.startMs);
  createLateObjects(world.client(ADMIN), plan);
  launchAll(fleet, infrastructure, (group) => !group.isControlPlane);
  const identity = cloud.controls.createUser('admin');
  const machineOf = (name: string): SimulatedMachine | null => {
    const instanceId = fleet.instanceOf(name);
    return instanceId === null ? null : hypervisor.machine(instanceId);
  };
  const admin = { user: ADMIN, identity };
  return {
    kernel,
    world,
    setting,
    cloud,
    api,
    hypervisor,
    platform,
    infrastructure,
    join,
    webhook,
    admin,
    ...fleet,
    machineOf,
  };
}

/** As EKS writes those of the types that DescribeCluster shows as enabled. */
function writeControlPlaneLogs({ controls }: SimulatedAws, name: string, platform: Platform): void {
  const streams = new Map([
    ['authenticator-0123456789abcdef0123456789abcdef', () => platform.authenticatorLog()],
  ]);
  controls.account.logGroups.set(`/aws/eks/${name}/cluster`, streams);
}

/** Until the control plane of a kubeadm cluster is up; its machine is there when the story begins. */
const PRELUDE_MS = 300_000;
const CONTROL_PLANE_GROUP: GroupSetting = {
  name: 'control-plane',
  count: 1,
  instanceType: 'm6i.large',
  image: 'ubuntu',
  isSpot: false,
  bootMs: 5000,
  subnetPrefix: 24,
  hostname: null,
  hasProviderId: true,
  isControlPlane: true,
};

function happenUntil(kernel: Kernel, untilMs: number): void {
  while ((kernel.nextAtMs() ?? Number.POSITIVE_INFINITY) <= untilMs) kernel.step();
  kernel.passTo(untilMs);
}

/** As `kubeadm init` does: a kubelet may not give itself the label of a role. */
function markControlPlane(world: World): void {
  const client = world.client(ADMIN);
  const labels = { [CONTROL_PLANE]: '' };
  for (const node of client.list('Node'))
    client.patch('Node', textAt(node, 'metadata.name') ?? '', 'merge', { metadata: { labels } });
}

function withControlPlane(setting: WorldSetting): WorldSetting {
  if (setting.cluster.kind === 'eks') return setting;
  return { ...setting, groups: [...setting.groups, CONTROL_PLANE_GROUP] };
}

function launchAll(
  fleet: Fleet,
  { groups }: Infrastructure,
  isChosen: (group: GroupSetting) => boolean,
): void {
  for (const group of groups.filter(({ setting }) => isChosen(setting)))
    for (let index = 0; index < group.setting.count; index++) fleet.launch(group);
}

function tokenOf(kernel: Kernel): string {
  const random = kernel.random('kubeadm/token');
  return `${random.word(6)}.${random.word(16)}`;
}

/** The API server asks machines and authenticators that are built after it. */
function openApi(
  { kernel, cloud }: { readonly kernel: Kernel; readonly cloud: SimulatedAws },
  { cluster }: WorldSetting,
  places: Places,
  issuer: string | null,
): KubeApiServer {
  return createApiServer({
    kernel,
    ...(issuer === null ? {} : { issuer }),
    version: gitVersionOf(cluster),
    authenticateToken: (token) => places.platform?.authenticate(token) ?? null,
    podLog: (pod, request) => podLog(places, pod, request),
    kubelet: (node, question) => kubeletPage(places, node, question, cloud),
    mutatePod: (pod) => places.webhook?.mutated(pod) ?? pod,
  });
}

function webhookOf(
  world: World,
  cloud: SimulatedAws,
  { cluster }: WorldSetting,
  places: Places,
): PodIdentityWebhook {
  const client = world.client(ADMIN);
  const ofPod = (nodeName: string): boolean => isAnswering(places.hypervisor, nodeName);
  return startWebhook({ world, cloud, cluster, client, isAnswering: ofPod });
}

/** On EKS the cluster itself is a thing of AWS, and its machines are in the group that it makes. */
function withCluster(
  cloud: SimulatedAws,
  setting: WorldSetting,
  infrastructure: Infrastructure,
): Infrastructure {
  const { cluster } = setting;
  if (cluster.kind !== 'eks') return infrastructure;
  const { controls } = cloud;
  const policies = ['AmazonEKSClusterPolicy'];
  createCluster(controls.account, {
    name: cluster.name,
    version: minorOf(cluster.version),
    vpcId: infrastructure.vpcId,
    roleArn: controls.createRole({ name: `${cluster.name}-cluster`, policies }),
    subnetIds: infrastructure.groups.map(({ subnetId }) => subnetId),
    endpoint: `https://${endpointOf(setting)}`,
    authenticationMode: 'CONFIG_MAP',
  });
  const made = clusterOf(controls.account, cluster.name);
  const group = textAt(made, 'resourcesVpcConfig.clusterSecurityGroupId') ?? '';
  return { ...infrastructure, securityGroupIds: [...infrastructure.securityGroupIds, group] };
}
