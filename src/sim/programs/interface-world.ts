import { isoTime } from '../../evidence/time.ts';
import { textAt } from '../../evidence/json.ts';
import { createAwsCloud, type SimulatedAws } from '../aws/cloud.ts';
import type { AwsIdentity } from '../aws/contract.ts';
import type { Lag } from '../aws/options.ts';
import { createKernel, type Kernel, type LogLine } from '../kernel/kernel.ts';
import { createClient } from '../kube/client.ts';
import type { KubeClient } from '../kube/contract.ts';
import { createApiServer, type KubeApiServer } from '../kube/server.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_772_442_000_000;
export const CLUSTER = 'shop';

/**
 * What becomes of an interface that the CNI makes.
 * `leaked`: its instance is gone. `lingering`: gone as well, but its Node stays for a while.
 * `kept-by-live`: unused for ever, and its instance runs. `slow`: attached some minutes later.
 * `attached-again`: leaked, and attached to another instance in the moment in which it was listed.
 * The others are leaked and miss a proof.
 */
export const INTERFACE_STORIES = [
  'leaked',
  'lingering',
  'kept-by-live',
  'slow',
  'attached-again',
  'foreign',
  'of-two-clusters',
  'without-cluster',
  'without-time',
  'garbled-time',
  'other-description',
] as const;
export type InterfaceStory = (typeof INTERFACE_STORIES)[number];

/** One interface, after the beginning. */
export interface PlannedInterface {
  readonly atMs: number;
  readonly story: InterfaceStory;
  /** Of attaching, or of the Node that goes, after it was made, ms. */
  readonly laterMs: number;
}

/** An interface as the world knows it. */
export interface MadeInterface {
  readonly story: InterfaceStory;
  readonly createdMs: number;
  readonly instanceId: string;
  /** Of the Node that names the instance; null without one. */
  readonly node: string | null;
}

/** An API server with Nodes, and an account in which the CNI makes interfaces. */
export interface InterfaceWorld {
  readonly kernel: Kernel;
  readonly server: KubeApiServer;
  readonly people: KubeClient;
  readonly cloud: SimulatedAws;
  readonly admin: AwsIdentity;
  readonly subnetId: string;
  readonly made: ReadonlyMap<string, MadeInterface>;
  /** A program has a list of interfaces: those that are attached again are so now. */
  readonly listed: () => void;
}

export interface InterfaceWorldOptions {
  readonly seed: number;
  readonly lag: Lag;
  readonly interfaces: readonly PlannedInterface[];
  readonly onLine?: (line: LogLine) => void;
}

interface Laid extends Omit<InterfaceWorld, 'listed'> {
  readonly made: Map<string, MadeInterface>;
  readonly launch: () => string;
}

export function createInterfaceWorld(options: InterfaceWorldOptions): InterfaceWorld {
  const laid = layOut(options);
  const { kernel, made } = laid;
  for (const planned of options.interfaces)
    kernel.after(planned.atMs, () => make(laid, planned));
  return {
    ...laid,
    listed: () => {
      for (const [id, { story }] of made) if (story === 'attached-again') attach(laid, id);
    },
  };
}

function layOut({ seed, lag, onLine }: InterfaceWorldOptions): Laid {
  const listening = onLine === undefined ? {} : { onLine };
  const kernel = createKernel({ seed, startMs: START_MS, ...listening });
  const server = createApiServer({ kernel });
  const groups = ['system:masters', 'system:authenticated'];
  const people = createClient(server, { name: 'kubernetes-admin', groups });
  const account = { region: 'us-west-2', accountId: '123456789012' };
  const cloud = createAwsCloud({ kernel, ...account, lag, isThrottled: false });
  const { controls } = cloud;
  const vpcId = controls.createVpc({ cidr: '10.0.0.0/16' });
  const subnetId = controls.createSubnet({ vpcId, zone: 'us-west-2a', cidr: '10.0.0.0/22' });
  const imageId = controls.createImage({ name: 'ubuntu' });
  const { profileArn } = controls.createNodeRole({ name: 'lab-node', policies: [] });
  const admin = controls.createUser('people');
  const launch = (): string =>
    controls.launch({ instanceType: 'm5.large', imageId, subnetId, profileArn, isSpot: false });
  return { kernel, server, people, cloud, admin, subnetId, made: new Map(), launch };
}

const LIVES: ReadonlySet<InterfaceStory> = new Set(['kept-by-live', 'slow', 'lingering']);

function make(world: Laid, { story, laterMs }: PlannedInterface): void {
  const { kernel, cloud, made, people } = world;
  const instanceId = LIVES.has(story) ? world.launch() : `i-${kernel.random('gone').hex(17)}`;
  const id = createOne(world, story, instanceId);
  // A subnet may be full (F57).
  if (id === null) return;
  const node = story === 'lingering' ? `node-${id}` : null;
  made.set(id, { story, createdMs: kernel.nowMs(), instanceId, node });
  kernel.log('cni', `makes ${id}: ${story}`);
  if (story === 'slow') kernel.after(laterMs, () => attachTo(world, id, instanceId));
  if (node === null) return;
  const spec = { providerID: `aws:///us-west-2a/${instanceId}` };
  people.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: node }, spec });
  kernel.after(MINUTE_MS, () => cloud.controls.terminate(instanceId));
  kernel.after(laterMs, () => people.delete('Node', node));
}

function tagsOf(world: Laid, story: InterfaceStory, instanceId: string): readonly string[][] {
  const stamp = isoTime({ ms: world.kernel.nowMs(), yearless: false, clock: 'utc' }) ?? '';
  const cluster = story === 'foreign' ? 'other' : CLUSTER;
  return [
    ['node.k8s.amazonaws.com/instance_id', instanceId],
    ['eks:eni:owner', 'amazon-vpc-cni'],
    ...(story === 'without-cluster' ? [] : [['cluster.k8s.amazonaws.com/name', cluster]]),
    ...(story === 'of-two-clusters' ? [['kubernetes.io/cluster/other', 'owned']] : []),
    ...(story === 'without-time'
      ? []
      : [['node.k8s.amazonaws.com/createdAt', story === 'garbled-time' ? '2020' : stamp]]),
  ];
}

function createOne(world: Laid, story: InterfaceStory, instanceId: string): string | null {
  const { cloud, admin, subnetId } = world;
  const Tags = tagsOf(world, story, instanceId).map(([Key = '', Value = '']) => ({ Key, Value }));
  const input = {
    SubnetId: subnetId,
    Description: story === 'other-description' ? 'of a person' : `aws-K8S-${instanceId}`,
    SecondaryPrivateIpAddressCount: 9,
    TagSpecifications: [{ ResourceType: 'network-interface', Tags }],
  };
  const call = { service: 'ec2', operation: 'CreateNetworkInterface', input } as const;
  const answer = cloud.answer(admin, call);
  return answer.ok ? textAt(answer.output, 'NetworkInterface.NetworkInterfaceId') : null;
}

function attach(world: Laid, id: string): void {
  const { cloud, kernel } = world;
  const isThere = cloud.controls.account.interfaces.get(id)?.attachment === null;
  if (!isThere || !kernel.random('attached-again').chance(0.3)) return;
  const instanceId = world.launch();
  // It runs by then, and the list is older than its deletion.
  kernel.after(0, () => attachTo(world, id, instanceId));
}

function attachTo({ cloud, admin, kernel }: Laid, id: string, instanceId: string): void {
  const input = { NetworkInterfaceId: id, InstanceId: instanceId, DeviceIndex: 1 };
  const call = { service: 'ec2', operation: 'AttachNetworkInterface', input } as const;
  const { ok: isDone } = cloud.answer(admin, call);
  kernel.log('people', `${isDone ? 'attach' : 'cannot attach'} ${id} to ${instanceId}`);
}
