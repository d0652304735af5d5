/** An account in which the CNI makes network interfaces, and what becomes of each. */
import { textAt } from '../../../src/evidence/json.ts';
import { isoTime } from '../../../src/evidence/time.ts';
import type { AwsCall } from '../../../src/ports/aws-api.ts';
import { createAwsCloud, type SimulatedAws } from '../../../src/sim/aws/cloud.ts';
import type { AwsIdentity } from '../../../src/sim/aws/contract.ts';
import type { Lag } from '../../../src/sim/aws/options.ts';
import { createKernel, type Kernel, type LogLine } from '../../../src/sim/kernel/kernel.ts';
import { createClient } from '../../../src/sim/kube/client.ts';
import type { KubeClient } from '../../../src/sim/kube/contract.ts';
import { createApiServer, type KubeApiServer } from '../../../src/sim/kube/server.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_772_442_000_000;
export const CLUSTER = 'shop';

/**
 * What becomes of an interface that the CNI makes.
 * `leaked`: its instance is gone. `lingering`: gone as well, but its Node stays for a while.
 * `left-behind`: it was used, and its instance went. `kept-by-live`: unused for ever, and its
 * instance runs. `slow`: attached some minutes later. `attached-again`: leaked, and while F59 lasts
 * attached to another instance in the moment in which it was read. The others are leaked and miss a
 * proof.
 */
export const INTERFACE_STORIES = [
  'leaked',
  'lingering',
  'left-behind',
  'kept-by-live',
  'slow',
  'attached-again',
  'foreign',
  'of-two-clusters',
  'without-cluster',
  'without-time',
  'garbled-time',
  'other-description',
  'other-creator',
  'unmanaged',
] as const;
export type InterfaceStory = (typeof INTERFACE_STORIES)[number];

/** One interface, after the beginning. */
export interface PlannedInterface {
  readonly atMs: number;
  readonly story: InterfaceStory;
  /** Of attaching, or of the Node or the instance that goes, after it was made, ms. */
  readonly laterMs: number;
}

/** An interface as it was made. */
export interface MadeInterface {
  readonly story: InterfaceStory;
  readonly createdMs: number;
  readonly instanceId: string;
  /** Of the Node that names the instance; null without one. */
  readonly node: string | null;
  readonly description: string;
  readonly tags: ReadonlyMap<string, string>;
}

/** By id: since when an interface is used, and when it was last seen to be, true time, ms. */
export interface Uses {
  readonly sinceMs: Map<string, number>;
  readonly lastMs: Map<string, number>;
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
  readonly uses: Uses;
  /** F59: while it is so, what a program has just read may be attached to another instance. */
  readonly attaching: { isSo: boolean; times: number };
  /** A program has read one interface, or with null has a list of all. */
  readonly wasRead: (id: string | null) => void;
}

export interface InterfaceWorldOptions {
  readonly seed: number;
  readonly lag: Lag;
  readonly interfaces: readonly PlannedInterface[];
  readonly onLine?: (line: LogLine) => void;
}

interface Laid extends Omit<InterfaceWorld, 'wasRead'> {
  readonly made: Map<string, MadeInterface>;
  readonly launch: () => string;
  /** Instances to which others are attached, by interface. */
  readonly spares: Map<string, string>;
}

export function createInterfaceWorld(options: InterfaceWorldOptions): InterfaceWorld {
  const laid = layOut(options);
  const { kernel, spares, attaching } = laid;
  for (const planned of options.interfaces) kernel.after(planned.atMs, () => make(laid, planned));
  kernel.every(WATCH_MS, () => noteUses(laid));
  return {
    ...laid,
    wasRead: (id) => {
      if (!attaching.isSo) return;
      for (const one of id === null ? spares.keys() : [id]) attachAgain(laid, one);
    },
  };
}

/** How often it is looked at which interfaces are used. */
const WATCH_MS = 10_000;

function noteUses({ cloud, kernel, uses }: Laid): void {
  for (const { networkInterfaceId: id, status } of cloud.controls.account.interfaces.values()) {
    if (status === 'available') uses.sinceMs.delete(id);
    else {
      uses.lastMs.set(id, kernel.nowMs());
      if (!uses.sinceMs.has(id)) uses.sinceMs.set(id, kernel.nowMs());
    }
  }
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
  const things = { made: new Map(), spares: new Map(), attaching: { isSo: false, times: 0 } };
  const uses = { sinceMs: new Map(), lastMs: new Map() };
  return { kernel, server, people, cloud, admin, subnetId, launch, uses, ...things };
}

const LIVES: ReadonlySet<InterfaceStory> = new Set([
  'kept-by-live',
  'slow',
  'lingering',
  'left-behind',
]);

function make(world: Laid, planned: PlannedInterface): void {
  const { kernel, made } = world;
  const { story } = planned;
  // A subnet that is full has no address for either (F57).
  if (!hasRoom(world)) return kernel.log('cni', `has no address for ${story}`);
  const instanceId = LIVES.has(story) ? world.launch() : `i-${kernel.random('gone').hex(17)}`;
  const marks = marksOf(world, story, instanceId);
  const id = createOne(world, marks);
  const node = story === 'lingering' ? `node-${id}` : null;
  made.set(id, { story, createdMs: kernel.nowMs(), instanceId, node, ...marks });
  kernel.log('cni', `makes ${id}: ${story}`);
  if (story === 'attached-again') world.spares.set(id, world.launch());
  live(world, id, planned);
}

/** So many addresses the CNI wants to be free. */
export const ROOM = 64;

function hasRoom({ cloud, subnetId }: Laid): boolean {
  return (cloud.controls.account.books.get(subnetId)?.free ?? 0) >= ROOM;
}

/** What happens to it after it was made. */
function live(world: Laid, id: string, { story, laterMs }: PlannedInterface): void {
  const { kernel, cloud, people, made } = world;
  const { instanceId, node } = made.get(id) ?? { instanceId: '', node: null };
  if (story === 'slow') kernel.after(laterMs, () => attachTo(world, id, instanceId));
  if (story === 'left-behind') {
    kernel.after(2 * MINUTE_MS, () => attachTo(world, id, instanceId));
    if (kernel.random('left-behind').chance(0.5)) kernel.after(laterMs, () => letGo(world, id));
    kernel.after(laterMs + MINUTE_MS, () => cloud.controls.terminate(instanceId));
  }
  if (node === null) return;
  const spec = { providerID: `aws:///us-west-2a/${instanceId}` };
  people.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: node }, spec });
  kernel.after(MINUTE_MS, () => cloud.controls.terminate(instanceId));
  kernel.after(laterMs, () => people.delete('Node', node));
}

type Marks = Pick<MadeInterface, 'description' | 'tags'>;

function marksOf(world: Laid, story: InterfaceStory, instanceId: string): Marks {
  const stamp = isoTime({ ms: world.kernel.nowMs(), yearless: false, clock: 'utc' }) ?? '';
  const is = (one: InterfaceStory): boolean => story === one;
  const tags: readonly (readonly [string, string | null])[] = [
    ['node.k8s.amazonaws.com/instance_id', instanceId],
    ['eks:eni:owner', is('other-creator') ? 'eks-vpc-resource-controller' : 'amazon-vpc-cni'],
    [
      'cluster.k8s.amazonaws.com/name',
      is('without-cluster') ? null : is('foreign') ? 'other' : CLUSTER,
    ],
    ['kubernetes.io/cluster/other', is('of-two-clusters') ? 'owned' : null],
    [
      'node.k8s.amazonaws.com/createdAt',
      is('without-time') ? null : is('garbled-time') ? '2020' : stamp,
    ],
    ['node.k8s.amazonaws.com/no_manage', is('unmanaged') ? 'true' : null],
  ];
  const kept = tags.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  const description = is('other-description') ? 'of a person' : `aws-K8S-${instanceId}`;
  return { description, tags: new Map(kept) };
}

function changes(
  { cloud, admin }: Laid,
  operation: string,
  input: AwsCall['input'],
): ReturnType<SimulatedAws['answer']> {
  return cloud.answer(admin, { service: 'ec2', operation, input });
}

function createOne(world: Laid, { description, tags }: Marks): string {
  const Tags = [...tags].map(([Key, Value]) => ({ Key, Value }));
  const answer = changes(world, 'CreateNetworkInterface', {
    SubnetId: world.subnetId,
    Description: description,
    SecondaryPrivateIpAddressCount: 9,
    TagSpecifications: [{ ResourceType: 'network-interface', Tags }],
  });
  const id = answer.ok ? textAt(answer.output, 'NetworkInterface.NetworkInterfaceId') : null;
  if (id === null) throw new TypeError(`the CNI makes no interface: ${JSON.stringify(answer)}`);
  return id;
}

function attachAgain(world: Laid, id: string): void {
  const { kernel, spares, attaching } = world;
  const spare = spares.get(id);
  const random = kernel.random('attached-again');
  if (spare === undefined || !random.chance(0.5)) return;
  spares.delete(id);
  // What was read is older than what happens now.
  kernel.after(random.below(40), () => {
    if (!attachTo(world, id, spare)) return;
    attaching.times += 1;
    if (random.chance(0.5)) kernel.after(random.between(2, 20) * MINUTE_MS, () => letGo(world, id));
  });
}

function attachTo(world: Laid, id: string, instanceId: string): boolean {
  const { kernel, uses } = world;
  const place = { InstanceId: instanceId, DeviceIndex: 1 };
  const { ok: isDone } = changes(world, 'AttachNetworkInterface', {
    NetworkInterfaceId: id,
    ...place,
  });
  if (isDone) uses.sinceMs.set(id, kernel.nowMs());
  kernel.log('people', `${isDone ? 'attach' : 'cannot attach'} ${id} to ${instanceId}`);
  return isDone;
}

function letGo(world: Laid, id: string): void {
  const { cloud, kernel } = world;
  const attachment = cloud.controls.account.interfaces.get(id)?.attachment;
  if (attachment === null || attachment === undefined) return;
  kernel.log('people', `let ${id} go`);
  changes(world, 'DetachNetworkInterface', { AttachmentId: attachment.attachmentId });
}
