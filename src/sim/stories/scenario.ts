import type { Json } from '../../evidence/json.ts';
import { Fields, type Mistake } from './fields.ts';

export const CLUSTER_KINDS = ['kubeadm', 'eks'] as const;
/** Which cloud controller, by how it treats a Node that EC2 does not know. */
export const CLOUD_CONTROLLERS = ['none', '1.29', '1.34', '1.37'] as const;
export const POD_NETWORKS = ['ready-made', 'calico', 'vpc-cni'] as const;
export const POD_IDENTITIES = ['none', 'kiam', 'kube2iam', 'irsa', 'pod-identity'] as const;
export const GATES = ['none', 'nidhogg', 'node-readiness-controller'] as const;
export const IMAGES = ['ubuntu', 'al2', 'al2023', 'bottlerocket'] as const;

export interface ClusterSetting {
  readonly name: string;
  readonly kind: (typeof CLUSTER_KINDS)[number];
  /** `1.34.3` */
  readonly version: string;
  readonly cloudController: (typeof CLOUD_CONTROLLERS)[number];
  readonly podNetwork: (typeof POD_NETWORKS)[number];
  /** From the start of its agent on a node until pods reach the service network, ms. */
  readonly podNetworkWarmUpMs: number;
  /** Release of the VPC CNI, as its image is tagged: `v1.20.4`. */
  readonly cniVersion: string;
  readonly podIdentity: (typeof POD_IDENTITIES)[number];
  readonly gate: (typeof GATES)[number];
  /** Whether the role of the nodes is mapped to a user of the cluster, on EKS. */
  readonly isNodeRoleMapped: boolean;
  /** Whether kubelets answer for the journal (`enableSystemLogQuery`); not so unless given. */
  readonly servesJournals?: boolean;
}

/** `loop`: reset, join and look until there is a Node, as people write it. */
export const JOINED_BY = ['user-data', 'loop', 'rollcall'] as const;

export type JoinedBy = (typeof JOINED_BY)[number];

export interface GroupSetting {
  readonly name: string;
  readonly count: number;
  readonly instanceType: string;
  readonly image: (typeof IMAGES)[number];
  readonly isSpot: boolean;
  /** From running to the first line of user data, ms. */
  readonly bootMs: number;
  /** Which addresses its subnet has: `/28`. */
  readonly subnetPrefix: number;
  /**
   * The name which the machine gives itself; null for the short one that it starts with, and
   * `{private-dns-name}` for the whole one by which EC2 knows it.
   */
  readonly hostname: string | null;
  /** Whether the kubelet is told its providerID. */
  readonly hasProviderId: boolean;
  /** What runs `kubeadm join` on them; nobody but their user data unless given. */
  readonly joinedBy?: JoinedBy;
  /** Machines that run the API server; of a kubeadm cluster there is one besides the groups. */
  readonly isControlPlane: boolean;
}

export interface WorkloadSetting {
  readonly name: string;
  readonly replicas: number;
  /** The role its pods are to have; null when they need none. */
  readonly role: string | null;
  /** Whether it tolerates the taint of the gate. */
  readonly toleratesGate: boolean;
  /** Whether its program ends when AWS refuses it; not so unless given. */
  readonly endsWithoutRole?: boolean;
}

export interface WorldSetting {
  readonly startMs: number;
  readonly region: string;
  /** True where calls to AWS may see what was true up to a minute ago. */
  readonly isAwsLate: boolean;
  /** True where EC2 shows an instance and its name some time after its launch; not so unless given. */
  readonly isLaunchLate?: boolean;
  readonly cluster: ClusterSetting;
  readonly groups: readonly GroupSetting[];
  readonly workloads: readonly WorkloadSetting[];
}

/** Something that happens to the world at a moment. */
export interface Move {
  /** ms after the beginning. */
  readonly atMs: number;
  readonly does: string;
  /** What the move needs to know: names of machines, durations in ms. */
  readonly with: Readonly<Record<string, string>>;
  /** What people saw of it, for the left column; null for the move's own words. */
  readonly says: string | null;
}

/** What must have been seen by a moment. */
export interface Expectation {
  readonly byMs: number;
  /** The cause that Rollcall is to name. */
  readonly headline: string | null;
  /** `gone`, `ready`, `not-ready`, `never` of the machine with this number in its group. */
  readonly machine: string | null;
  readonly is: string | null;
}

export interface Scenario {
  readonly story: string;
  readonly title: string;
  readonly seed: number;
  readonly world: WorldSetting;
  readonly moves: readonly Move[];
  /** How often Rollcall looks, ms. */
  readonly lookEveryMs: number;
  readonly untilMs: number;
  readonly expect: readonly Expectation[];
  /** Why the two APIs do not show the cause, and where it stands; empty where they show it. */
  readonly unseen: string;
  /** What of Rollcall helps here, with its command; empty where the story runs its repair itself. */
  readonly helps: string;
}

export type ScenarioResult =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

const START = '2026-03-02T09:00:00Z';
const MACHINES_MAX = 5000;

/** Reads a scenario; every mistake is told, not only the first. */
export function readScenario(value: Json): ScenarioResult {
  const mistakes: Mistake[] = [];
  const fields = new Fields(value, '', mistakes);
  const world = fields.inside('world');
  const scenario: Scenario = {
    story: fields.text('story'),
    title: fields.text('title'),
    seed: fields.count('seed', { from: 0, to: 0xffffffff }, 1),
    world: worldOf(world),
    moves: fields.list('moves', moveOf),
    lookEveryMs: fields.duration('lookEvery', 10_000),
    untilMs: fields.duration('until'),
    expect: fields.list('expect', expectationOf),
    unseen: fields.text('unseen', ''),
    helps: fields.text('helps', ''),
  };
  world.end();
  fields.end();
  return mistakes.length === 0 ? { ok: true, scenario } : { ok: false, mistakes };
}

function worldOf(fields: Fields): WorldSetting {
  const startMs = Date.parse(fields.text('start', START));
  if (Number.isNaN(startMs)) fields.mistake('start', `start must be a time such as ${START}`);
  const cluster = fields.inside('cluster');
  const setting = {
    startMs,
    region: fields.text('region', 'us-west-2'),
    isAwsLate: fields.flag('awsLate', false),
    isLaunchLate: fields.flag('launchLate', false),
    cluster: clusterOf(cluster),
    groups: fields.list('groups', groupOf),
    workloads: fields.list('workloads', workloadOf),
  };
  cluster.end();
  return setting;
}

function clusterOf(fields: Fields): ClusterSetting {
  const podNetwork = fields.choice('podNetwork', POD_NETWORKS, 'ready-made');
  return {
    name: fields.text('name', 'lab'),
    kind: fields.choice('kind', CLUSTER_KINDS, 'kubeadm'),
    version: fields.text('version', '1.34.3'),
    cloudController: fields.choice('cloudController', CLOUD_CONTROLLERS, '1.34'),
    podNetwork,
    podNetworkWarmUpMs: fields.duration(
      'podNetworkWarmUp',
      podNetwork === 'calico' ? 70_000 : 5000,
    ),
    cniVersion: fields.text('cniVersion', 'v1.20.4'),
    podIdentity: fields.choice('podIdentity', POD_IDENTITIES, 'none'),
    gate: fields.choice('gate', GATES, 'none'),
    isNodeRoleMapped: fields.flag('nodeRoleMapped', true),
    servesJournals: fields.flag('logQuery', false),
  };
}

function groupOf(fields: Fields): GroupSetting {
  const hostname = fields.text('hostname', '');
  return {
    name: fields.text('name'),
    count: fields.count('count', { from: 0, to: MACHINES_MAX }, 1),
    instanceType: fields.text('type', 'm6i.large'),
    image: fields.choice('image', IMAGES, 'ubuntu'),
    isSpot: fields.flag('spot', false),
    bootMs: fields.duration('boot', 25_000),
    subnetPrefix: fields.count('subnetPrefix', { from: 16, to: 28 }, 20),
    hostname: hostname === '' ? null : hostname,
    hasProviderId: fields.flag('providerId', true),
    joinedBy: fields.choice('joinedBy', JOINED_BY, 'user-data'),
    isControlPlane: false,
  };
}

function workloadOf(fields: Fields): WorkloadSetting {
  const role = fields.text('role', '');
  return {
    name: fields.text('name'),
    replicas: fields.count('replicas', { from: 0, to: 100_000 }, 1),
    role: role === '' ? null : role,
    toleratesGate: fields.flag('toleratesGate', false),
    endsWithoutRole: fields.flag('endsWithoutRole', false),
  };
}

function moveOf(fields: Fields): Move {
  const says = fields.text('says', '');
  return {
    atMs: fields.duration('at'),
    does: fields.text('does'),
    with: fields.texts('with'),
    says: says === '' ? null : says,
  };
}

function expectationOf(fields: Fields): Expectation {
  const [headline, machine, is] = ['headline', 'machine', 'is'].map((field) =>
    fields.text(field, ''),
  ) as [string, string, string];
  if ((machine === '') !== (is === ''))
    fields.mistake('machine', 'machine and is need each other: machine: workers-0, is: gone');
  return {
    byMs: fields.duration('by'),
    headline: headline || null,
    machine: machine || null,
    is: is || null,
  };
}
