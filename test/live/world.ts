/** A small EKS cluster, half in a real API server and half in moto, that tests then break. */
import { type ControlPlane, startControlPlane } from '../real/control-plane.ts';
import { awsEnvironment, type Moto, signature, startMoto } from '../real/moto.ts';
import { type ApiProxy, awsProxyOf, proxyOf } from './proxy.ts';
import { emptyHome, type Surroundings, writeKubeconfig } from './rollcall.ts';

export const CLUSTER = 'lab';
const ACCOUNT = '123456789012';
/** Of nodes that are about to join, of nodes that have, and of the cluster. */
const ROLES = ['lab-node', 'lab-other', 'lab-cluster'] as const;
const NODE_ROLE = `arn:aws:iam::${ACCOUNT}:role/lab-node`;

/** Both APIs, each behind a proxy. */
export interface Site {
  readonly plane: ControlPlane;
  readonly moto: Moto;
  readonly kube: ApiProxy;
  readonly aws: ApiProxy;
  /** What the program needs to find both. */
  readonly env: Surroundings;
  readonly reset: () => void;
  readonly stop: () => Promise<void>;
}

async function openSite(): Promise<Site> {
  const [plane, moto] = await Promise.all([startControlPlane(), startMoto()]);
  const [kube, aws] = await Promise.all([proxyOf(plane), awsProxyOf(moto.url)]);
  return {
    plane,
    moto,
    kube,
    aws,
    env: surroundings({ plane, kube, aws }),
    reset: () => {
      kube.reset();
      aws.reset();
    },
    stop: async () => {
      await Promise.all([kube.stop(), aws.stop()]);
      await Promise.all([plane.stop(), moto.stop()]);
    },
  };
}

/** With a home of its own, in which the program has left nothing yet. */
function surroundings({ plane, kube, aws }: Pick<Site, 'plane' | 'kube' | 'aws'>): Surroundings {
  return {
    ...emptyHome(plane.dir, `home-${crypto.randomUUID()}`),
    ...awsEnvironment(aws.url),
    KUBECONFIG: writeKubeconfig(`${plane.dir}/lab.kubeconfig`, { server: kube.url }),
  };
}

/** The site that the suites of this process use in turn; null where each has its own. */
let shared: { opened: Promise<Site> | null } | null = null;

/**
 * Makes the suites of this process use one site in turn: each finds it empty.
 *
 * @returns stops it, once all of them are over
 */
export function shareSite(): () => Promise<void> {
  const kept: NonNullable<typeof shared> = { opened: null };
  shared = kept;
  return async () => {
    await (await kept.opened)?.stop();
  };
}

/** An empty cluster and an empty account. */
export async function startSite(): Promise<Site> {
  if (shared === null) return openSite();
  shared.opened ??= openSite();
  const site = await shared.opened;
  return { ...site, env: surroundings(site), stop: () => emptied(site) };
}

/** Where suites leave objects; those that an API server makes itself are made by it again. */
const LEFT_IN = [
  '/api/v1/nodes',
  '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  '/api/v1/namespaces/kube-system/configmaps',
  '/api/v1/namespaces/kube-system/pods',
  '/api/v1/namespaces/kube-system/serviceaccounts',
];

async function emptied({ plane: { client }, moto, reset }: Site): Promise<void> {
  reset();
  await moto.reset();
  for (const path of LEFT_IN)
    for (const { metadata } of await client.list(path)) {
      const { name } = metadata;
      await client.remove(`${path}/${name}`);
    }
}

export interface Machine {
  readonly id: string;
  readonly address: string;
  readonly name: string;
  readonly zone: string;
}

interface MachineOptions {
  readonly userData?: string;
  /** The role of its instance profile. */
  readonly role?: (typeof ROLES)[number];
  /** False for a machine without the cluster's tag. */
  readonly isTagged?: boolean;
  /** What it was launched from; an image of Windows where nobody says. */
  readonly imageId?: string;
}

function one(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? '';
}

/** Each role in an instance profile of its own; `layCluster` does so too. */
export async function makeRoles({ moto }: Site): Promise<void> {
  const trust = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' },
    ],
  });
  const iam = (Action: string, parameters: Readonly<Record<string, string>>) =>
    fetch(moto.directUrl, {
      method: 'POST',
      headers: { authorization: signature('iam') },
      body: new URLSearchParams({ Action, Version: '2010-05-08', ...parameters }),
    }).then((answer) => answer.text());
  for (const name of ROLES) {
    await iam('CreateRole', { RoleName: name, AssumeRolePolicyDocument: trust });
    await iam('CreateInstanceProfile', { InstanceProfileName: name });
    await iam('AddRoleToInstanceProfile', { InstanceProfileName: name, RoleName: name });
  }
}

async function makeCluster({ moto }: Site): Promise<void> {
  const subnets = await moto.ec2('DescribeSubnets');
  const subnetIds = [...subnets.matchAll(/<subnetId>([^<]+)/g)].map(([, id]) => id);
  await fetch(`${moto.directUrl}/clusters`, {
    method: 'POST',
    headers: { authorization: signature('eks'), 'content-type': 'application/json' },
    body: JSON.stringify({
      name: CLUSTER,
      version: '1.34',
      roleArn: `arn:aws:iam::${ACCOUNT}:role/lab-cluster`,
      resourcesVpcConfig: { subnetIds: subnetIds.slice(0, 2) },
    }),
  });
}

/** The role that machines have, the EKS cluster and its aws-auth. */
export async function layCluster(site: Site, mapRoles = nodeMapping()): Promise<void> {
  await makeRoles(site);
  await makeCluster(site);
  await site.plane.client.create('/api/v1/namespaces/kube-system/configmaps', {
    metadata: { name: 'aws-auth', namespace: 'kube-system' },
    data: { mapRoles },
  });
}

export function nodeMapping(): string {
  return [
    `- rolearn: ${NODE_ROLE}`,
    '  username: system:node:{{EC2PrivateDNSName}}',
    '  groups:',
    '  - system:bootstrappers',
    '  - system:nodes',
    '',
  ].join('\n');
}

/** An instance of the cluster, which the proxy makes six hours old. */
export async function runMachine({ moto }: Site, options: MachineOptions = {}): Promise<Machine> {
  const { userData, role = 'lab-node', isTagged = true, imageId = 'ami-12c6146b' } = options;
  const xml = await moto.ec2('RunInstances', {
    ImageId: imageId,
    InstanceType: 'm5.large',
    MinCount: '1',
    MaxCount: '1',
    'IamInstanceProfile.Name': role,
    ...(userData === undefined ? {} : { UserData: Buffer.from(userData).toString('base64') }),
    ...(isTagged
      ? {
          'TagSpecification.1.ResourceType': 'instance',
          'TagSpecification.1.Tag.1.Key': `kubernetes.io/cluster/${CLUSTER}`,
          'TagSpecification.1.Tag.1.Value': 'owned',
        }
      : {}),
  });
  const id = one(xml, 'instanceId');
  const seen = await moto.ec2('DescribeInstances', { 'InstanceId.1': id });
  const address = one(seen, 'privateIpAddress');
  const name = `ip-${address.replaceAll('.', '-')}.${moto.region}.compute.internal`;
  return { id, address, name, zone: one(seen, 'availabilityZone') };
}

interface NodeOptions {
  readonly name?: string;
  /** null for a Node that no cloud knows. */
  readonly providerID?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  /** Why it is not Ready; null for a Node that is. */
  readonly trouble?: { readonly reason: string; readonly message: string } | null;
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The Node of a machine as its kubelet would have registered it, with a fresh Lease. */
export async function registerNode(
  { plane }: Site,
  machine: Machine,
  options: NodeOptions = {},
): Promise<string> {
  const { name = machine.name, labels = {}, trouble = null } = options;
  const { providerID = `aws:///${machine.zone}/${machine.id}` } = options;
  const { client } = plane;
  await client.create('/api/v1/nodes', {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: providerID === null ? {} : { providerID },
  });
  const ready = { reason: 'KubeletReady', message: 'kubelet is posting ready status' };
  const condition = {
    type: 'Ready',
    status: trouble === null ? 'True' : 'False',
    lastHeartbeatTime: now(),
    lastTransitionTime: now(),
    ...(trouble ?? ready),
  };
  await client.patch(`/api/v1/nodes/${name}/status`, {
    status: {
      addresses: [
        { type: 'InternalIP', address: machine.address },
        { type: 'InternalDNS', address: machine.name },
        { type: 'Hostname', address: name },
      ],
      capacity: { cpu: '2', memory: '7902680Ki', pods: '29' },
      allocatable: { cpu: '2', memory: '7211480Ki', pods: '29' },
      conditions: [condition],
      nodeInfo: { kubeletVersion: 'v1.34.2', systemUUID: machine.id },
    },
  });
  await client.patch(`/api/v1/nodes/${name}`, { spec: { taints: null } });
  await layLease(plane, name);
  return name;
}

async function layLease(plane: ControlPlane, name: string): Promise<void> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  await plane.client.create(path, {
    metadata: { name, namespace: 'kube-node-lease' },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  });
}

/** One machine with a Node and one that has none. */
export async function layTwoMachines(
  site: Site,
): Promise<{ readonly healthy: Machine; readonly lonely: Machine }> {
  await layCluster(site);
  const healthy = await runMachine(site, { role: 'lab-other' });
  await registerNode(site, healthy);
  return { healthy, lonely: await runMachine(site) };
}
