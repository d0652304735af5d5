/** The fourth story, from its Terraform to usable nodes: moto as AWS and a real API server. */
import type { ServerResponse } from 'node:http';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '../../src/evidence/json.ts';
import { type ApiProxy, type AskedCall, awsProxyOf, proxyOf } from '../live/proxy.ts';
import { emptyHome, type Surroundings, writeKubeconfig } from '../live/rollcall.ts';
import { applyPlan, type Clients, clientsAt } from './apply-plan.ts';
import { type Authenticator, startAuthenticator, tokenOf } from './authenticator.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { type Addon, layKubeProxy, vpcCniAddon } from './eks-addon.ts';
import { REFUSALS } from './eks-entries.ts';
import { type KubeClient, kubeClient, type KubeObject, KubeRefusal } from './kube-client.ts';
import { awsEnvironment, type Moto, startMoto } from './moto.ts';

export const PLAN = 'examples/preflight/fourth-story/plan.json';
const ROOT = join(import.meta.dirname, '../..');
export const CLUSTER = 'shop';
const ROLE = 'arn:aws:iam::123456789012:role/shop-nodes';
const AWS_AUTH = '/api/v1/namespaces/kube-system/configmaps/aws-auth';
const PODS = '/api/v1/namespaces/default/pods';

export interface Site {
  readonly plane: ControlPlane;
  readonly moto: Moto;
  readonly kube: ApiProxy;
  readonly aws: ApiProxy;
  readonly clients: Clients;
  readonly addon: Addon;
  readonly env: Surroundings;
  readonly stop: () => Promise<void>;
}

/** An empty account, and a control plane that has not heard of EKS's cluster yet. */
export async function openSite(): Promise<Site> {
  const authenticator = await startAuthenticator();
  const [plane, moto] = await Promise.all([
    startControlPlane({ apiServerFlags: authenticator.flags }),
    startMoto({ managedPolicies: true }),
  ]);
  const [kube, aws] = await Promise.all([proxyOf(plane), awsProxyOf(moto.url)]);
  const addon = vpcCniAddon(CLUSTER, plane.client);
  aws.fail((call, response) => addon.answer(call, response) || refuseEntries(call, response));
  aws.rewrite((text) => asAwsAnswers(text, kube.url));
  const clients = clientsAt(aws.url, moto.region);
  beginIn(authenticator, { plane, aws, clients });
  const server = { server: kube.url };
  return {
    plane,
    moto,
    kube,
    aws,
    clients,
    addon,
    env: {
      ...emptyHome(plane.dir, 'home'),
      ...awsEnvironment(aws.url),
      KUBECONFIG: writeKubeconfig(join(plane.dir, 'shop.kubeconfig'), server),
    },
    stop: async () => {
      authenticator.stop();
      await Promise.all([kube.stop(), aws.stop()]);
      await Promise.all([plane.stop(), moto.stop()]);
    },
  };
}

function beginIn(
  authenticator: Authenticator,
  { plane, aws, clients }: Pick<Site, 'plane' | 'aws' | 'clients'>,
): void {
  authenticator.begin({
    awsAuth: () => plane.client.find<KubeObject>(AWS_AUTH),
    url: aws.url,
    nameOf: async (id) => (await machineOf(clients, id)).name,
  });
}

/** As EKS does in mode CONFIG_MAP. */
function refuseEntries({ url }: AskedCall, response: ServerResponse): boolean {
  if (!url.startsWith(`/clusters/${CLUSTER}/access-entries`)) return false;
  const { status, code, message } = REFUSALS.mode;
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': code });
  response.end(JSON.stringify({ message }));
  return true;
}

/** moto knows no authentication mode, and has the names of another region. */
function asAwsAnswers(text: string, endpoint: string): string {
  const named = text.replaceAll('.ec2.internal', '.us-west-2.compute.internal');
  if (!named.startsWith('{"cluster":')) return named;
  const { cluster } = JSON.parse(named) as { readonly cluster: JsonObject };
  const accessConfig = { authenticationMode: 'CONFIG_MAP' };
  return JSON.stringify({ cluster: { ...cluster, endpoint, accessConfig } });
}

export interface Machine {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly subnet: string;
  readonly zone: string;
  /** Its first interface. */
  readonly interface: string;
}

async function machineOf({ ec2 }: Clients, id: string): Promise<Machine> {
  const { Reservations } = await ec2.describeInstances({ InstanceIds: [id] });
  const found = Reservations?.[0]?.Instances?.[0];
  const primary = found?.NetworkInterfaces?.find(({ Attachment }) => Attachment?.DeviceIndex === 0);
  return {
    id,
    name: found?.PrivateDnsName ?? '',
    address: found?.PrivateIpAddress ?? '',
    subnet: found?.SubnetId ?? '',
    zone: found?.Placement?.AvailabilityZone ?? '',
    interface: primary?.NetworkInterfaceId ?? '',
  };
}

/** What a template gives a machine, and moto's groups leave out. */
async function launchByTemplate({ ec2 }: Clients, InstanceId: string): Promise<void> {
  const { LaunchTemplateVersions } = await ec2.describeLaunchTemplateVersions({
    LaunchTemplateName: 'shop-nodes',
  });
  const template = LaunchTemplateVersions?.[0]?.LaunchTemplateData;
  const { HttpTokens, HttpPutResponseHopLimit } = template?.MetadataOptions ?? {};
  const { Reservations } = await ec2.describeInstances({ InstanceIds: [InstanceId] });
  if (Reservations?.[0]?.Instances?.[0]?.IamInstanceProfile !== undefined) return;
  const IamInstanceProfile = { Name: template?.IamInstanceProfile?.Name };
  await ec2.associateIamInstanceProfile({ InstanceId, IamInstanceProfile });
  await ec2.modifyInstanceMetadataOptions({ InstanceId, HttpTokens, HttpPutResponseHopLimit });
}

/** The machines of the group, the oldest first. */
export async function machinesOf({ clients }: Site): Promise<readonly Machine[]> {
  const { AutoScalingGroups } = await clients.autoscaling.describeAutoScalingGroups({});
  const ids = (AutoScalingGroups?.[0]?.Instances ?? []).map(({ InstanceId = '' }) => InstanceId);
  for (const id of ids) await launchByTemplate(clients, id);
  return await Promise.all(ids.map((id) => machineOf(clients, id)));
}

/** `terraform apply`, and the machine that the group then starts. */
export async function apply(site: Site): Promise<readonly string[]> {
  const plan = JSON.parse(readFileSync(join(ROOT, PLAN), 'utf8')) as Json;
  const addresses = await applyPlan(plan, site.clients);
  await site.addon.applied();
  await layKubeProxy(site.plane.client);
  await site.plane.client.create('/api/v1/namespaces/default/serviceaccounts', {
    metadata: { name: 'default' },
  });
  return addresses;
}

function now(agoMs = 0): string {
  return new Date(Date.now() - agoMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The kubelet of a machine, by the token that its role gives it. */
async function kubeletOf({ plane, aws }: Site, { id }: Machine): Promise<KubeClient> {
  const token = await tokenOf(aws.url, ROLE, id);
  return kubeClient(plane.url, plane.caPath, { token });
}

/** Registers a Node as its kubelet does. @returns what the API server refuses it with, or null */
export async function register(site: Site, machine: Machine): Promise<KubeRefusal | null> {
  const kubelet = await kubeletOf(site, machine);
  try {
    await registerBy(kubelet, machine);
  } catch (error) {
    if (error instanceof KubeRefusal) return error;
    throw error;
  } finally {
    kubelet.close();
  }
  // By the controllers of Kubernetes, once it is Ready.
  await site.plane.client.patch(`/api/v1/nodes/${machine.name}`, { spec: { taints: null } });
  return null;
}

async function registerBy(
  kubelet: KubeClient,
  { id, name, address, zone }: Machine,
): Promise<void> {
  const labels = {
    'kubernetes.io/hostname': name,
    'node.kubernetes.io/instance-type': 'm5.large',
    'topology.kubernetes.io/zone': zone,
  };
  const times = { lastHeartbeatTime: now(), lastTransitionTime: now() };
  const ready = { reason: 'KubeletReady', message: 'kubelet is posting ready status' };
  await kubelet.create('/api/v1/nodes', {
    metadata: { name, labels },
    spec: { providerID: `aws:///${zone}/${id}` },
    status: {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'InternalDNS', address: name },
        { type: 'Hostname', address: name },
      ],
      capacity: { cpu: '2', memory: '7902680Ki', pods: '110' },
      allocatable: { cpu: '1930m', memory: '7211480Ki', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True', ...ready, ...times }],
      nodeInfo: { kubeletVersion: 'v1.32.9-eks-113cf36', systemUUID: id },
    },
  });
  await kubelet.create('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', {
    metadata: { name, namespace: 'kube-node-lease' },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: 40,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    },
  });
}

/** What somebody would collect on the machine: the journal with the server's words, and kubectl. */
export function collect({ plane }: Site, { name }: Machine, refusal: KubeRefusal): string {
  const folder = join(plane.dir, 'collected');
  mkdirSync(folder, { recursive: true });
  const [host = ''] = name.split('.');
  const word = /"reason":"(\w+)"/.exec(refusal.message)?.[1] ?? '';
  const line = `E1130 10:00:01.000001    3011 kubelet_node_status.go:107] "Unable to register node with API server" err="${word}" node="${name}"`;
  const journal = [1, 2, 3].map(
    (second) => `Nov 30 10:00:0${second} ${host} kubelet[3011]: ${line}`,
  );
  writeFileSync(join(folder, 'kubelet.log'), `${journal.join('\n')}\n`);
  writeFileSync(
    join(folder, 'kubectl.txt'),
    [
      '$ kubectl get nodes',
      'No resources found',
      '$ kubectl -n kube-system get configmap aws-auth -o yaml',
      'Error from server (NotFound): configmaps "aws-auth" not found',
      '',
    ].join('\n'),
  );
  return folder;
}

/** The interfaces of a machine with all the addresses that its type can have. */
export async function fillInterfaces(
  { clients: { ec2 } }: Site,
  machine: Machine,
): Promise<readonly string[]> {
  await ec2.assignPrivateIpAddresses({
    NetworkInterfaceId: machine.interface,
    SecondaryPrivateIpAddressCount: 9,
  });
  for (const DeviceIndex of [1, 2]) {
    const { NetworkInterface } = await ec2.createNetworkInterface({
      SubnetId: machine.subnet,
      Description: `aws-K8S-${machine.id}`,
      SecondaryPrivateIpAddressCount: 9,
    });
    const NetworkInterfaceId = NetworkInterface?.NetworkInterfaceId ?? '';
    await ec2.attachNetworkInterface({ DeviceIndex, InstanceId: machine.id, NetworkInterfaceId });
  }
  const { Reservations } = await ec2.describeInstances({ InstanceIds: [machine.id] });
  return (Reservations?.[0]?.Instances?.[0]?.NetworkInterfaces ?? []).flatMap((one) =>
    (one.PrivateIpAddresses ?? []).flatMap(({ Primary, PrivateIpAddress = '' }) =>
      Primary === true ? [] : [PrivateIpAddress],
    ),
  );
}

const OLD_MS = 600_000;

/** A Pod of the application on a Node; without an address it waits for one. */
export async function layPod(
  { plane: { client } }: Site,
  { name: nodeName }: Machine,
  name: string,
  podIP: string | null,
): Promise<void> {
  const containers = [{ name: 'orders', image: 'example.org/orders:1' }];
  await client.create(PODS, { metadata: { name }, spec: { nodeName, containers } });
  const state =
    podIP === null
      ? { waiting: { reason: 'ContainerCreating' } }
      : { running: { startedAt: now(OLD_MS) } };
  const isReady = podIP !== null;
  const container = { name: 'orders', image: 'example.org/orders:1', imageID: '', restartCount: 0 };
  await client.patch(`${PODS}/${name}/status`, {
    status: {
      phase: isReady ? 'Running' : 'Pending',
      startTime: now(OLD_MS),
      ...(isReady ? { podIP, podIPs: [{ ip: podIP }] } : {}),
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: now(OLD_MS) },
        { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: now(OLD_MS) },
      ],
      containerStatuses: [{ ...container, ready: isReady, state }],
    },
  });
}

/** The Pods that every node of EKS has, which run. */
export async function layDaemons({ plane: { client } }: Site, machine: Machine): Promise<void> {
  const account = '/api/v1/namespaces/kube-system/serviceaccounts';
  if ((await client.find(`${account}/default`)) === null)
    await client.create(account, { metadata: { name: 'default' } });
  for (const daemonSet of ['aws-node', 'kube-proxy']) await layDaemon(client, machine, daemonSet);
}

async function layDaemon(client: KubeClient, machine: Machine, daemonSet: string): Promise<void> {
  const set = `/apis/apps/v1/namespaces/kube-system/daemonsets/${daemonSet}`;
  const { uid } = (await client.get<KubeObject>(set)).metadata;
  const pods = '/api/v1/namespaces/kube-system/pods';
  const name = `${daemonSet}-${machine.id.slice(-5)}`;
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: daemonSet, uid };
  const container = { name: daemonSet, image: 'image', imageID: '', restartCount: 0, ready: true };
  const containers = [{ name: daemonSet, image: 'image' }];
  await client.create(pods, {
    metadata: {
      name,
      labels: { 'k8s-app': daemonSet },
      ownerReferences: [{ ...owner, controller: true }],
    },
    spec: { nodeName: machine.name, hostNetwork: true, containers },
  });
  await client.patch(`${pods}/${name}/status`, {
    status: {
      phase: 'Running',
      startTime: now(OLD_MS),
      podIP: machine.address,
      podIPs: [{ ip: machine.address }],
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: now(OLD_MS) }],
      containerStatuses: [{ ...container, state: { running: { startedAt: now(OLD_MS) } } }],
    },
  });
}

/** Whether the CNI assigns prefixes, by its DaemonSet. */
export async function prefixesOf({ plane }: Site): Promise<string | undefined> {
  const set = '/apis/apps/v1/namespaces/kube-system/daemonsets/aws-node';
  const object = JSON.stringify(await plane.client.get<KubeObject>(set));
  return /"name":"ENABLE_PREFIX_DELEGATION","value":"(\w+)"/.exec(object)?.[1];
}

/** Has EKS do what the printed command asks it for. */
export async function sendUpdate({ clients, addon }: Site, command: string): Promise<void> {
  const values = /--configuration-values '(\{.*\})'/.exec(command)?.[1];
  if (values === undefined) throw new Error(`no values in: ${command}`);
  const of = { clusterName: CLUSTER, addonName: 'vpc-cni', configurationValues: values };
  await clients.eks.updateAddon({ ...of, resolveConflicts: 'PRESERVE' });
  await addon.applied();
}

/** The machine that the group starts when it may have one more. */
export async function growGroup(site: Site): Promise<Machine> {
  const before = new Set((await machinesOf(site)).map(({ id }) => id));
  await site.clients.autoscaling.setDesiredCapacity({
    AutoScalingGroupName: 'shop-nodes',
    DesiredCapacity: 2,
  });
  const grown = (await machinesOf(site)).find(({ id }) => !before.has(id));
  if (grown === undefined) throw new Error('the group did not grow');
  return grown;
}

/** Pods that waited come to another machine, whose CNI has addresses for them. */
export async function movePods(
  site: Site,
  names: readonly string[],
  machine: Machine,
): Promise<void> {
  const { clients, plane } = site;
  const { AssignedPrivateIpAddresses = [] } = await clients.ec2.assignPrivateIpAddresses({
    NetworkInterfaceId: machine.interface,
    SecondaryPrivateIpAddressCount: names.length,
  });
  for (const [index, name] of names.entries()) {
    await plane.client.remove(`${PODS}/${name}?gracePeriodSeconds=0`);
    const address = AssignedPrivateIpAddresses[index]?.PrivateIpAddress ?? '';
    await layPod(site, machine, name, address);
  }
}
