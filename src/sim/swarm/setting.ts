import { type RandomStream, randomStream } from '../kernel/random.ts';
import type {
  ClusterSetting,
  GroupSetting,
  WorkloadSetting,
  WorldSetting,
} from '../stories/scenario.ts';

/** A world begins on the same morning whatever its seed, so that logs of two seeds compare. */
const START_MS = 1_772_442_000_000;
const NODES_MAX = 60;
const ZONES_MAX = 3;
/** A workload has this many pods a node at most. */
const PODS_PER_NODE = 4;

/** Releases of the three behaviours of the cloud controller, with a Kubernetes that has them. */
const VERSIONS = [
  { cloudController: '1.29', version: '1.29.14' },
  { cloudController: '1.34', version: '1.34.3' },
  { cloudController: '1.37', version: '1.37.0' },
] as const;
const TYPES = ['t3.medium', 'c6i.large', 'm6i.large', 'm5.xlarge', 'r5.large'] as const;

/** The world of a seed: topology, releases, pod network, identity of pods, workload. */
export function drawWorld(seed: number, nodes: number | null): WorldSetting {
  const random = randomStream(seed, 'swarm/world');
  const cluster = drawCluster(random);
  // Small clusters are as likely as large ones: most mistakes need few nodes.
  const drawn = Math.max(1, Math.round(NODES_MAX ** random.next()));
  return {
    startMs: START_MS,
    isAwsLate: random.chance(0.3),
    region: random.pick(['us-west-2', 'eu-central-1', 'us-east-1']),
    cluster,
    groups: drawGroups(randomStream(seed, 'swarm/groups'), cluster, nodes ?? drawn),
    workloads: withEnds(
      seed,
      cluster,
      drawWorkloads(randomStream(seed, 'swarm/workloads'), cluster, nodes ?? drawn),
    ),
  };
}

/** Some programs give up where they have no role; those of kiam and kube2iam go on asking. */
function withEnds(
  seed: number,
  { podIdentity }: ClusterSetting,
  workloads: readonly WorkloadSetting[],
): readonly WorkloadSetting[] {
  if (podIdentity !== 'irsa' && podIdentity !== 'pod-identity') return workloads;
  const random = randomStream(seed, 'swarm/ends');
  return workloads.map((one) => ({ ...one, endsWithoutRole: random.chance(0.4) }));
}

function drawCluster(random: RandomStream): ClusterSetting {
  const kind = random.pick(['kubeadm', 'eks'] as const);
  const release = random.pick(VERSIONS);
  const podNetwork =
    kind === 'eks' ? 'vpc-cni' : random.pick(['ready-made', 'calico', 'vpc-cni'] as const);
  const podIdentity =
    kind === 'eks'
      ? random.pick(['none', 'irsa', 'pod-identity', 'kube2iam'] as const)
      : random.pick(['none', 'none', 'kiam', 'kube2iam', 'irsa'] as const);
  return {
    name: 'simulated',
    kind,
    ...release,
    podNetwork,
    podNetworkWarmUpMs: Math.round(podNetwork === 'calico' ? random.between(15e3, 90e3) : 5000),
    podIdentity,
    // A gate waits for an agent: without one it would never open.
    gate: podIdentity === 'kiam' ? random.pick(['none', 'nidhogg'] as const) : 'none',
    isNodeRoleMapped: !random.chance(0.03),
    // The old one does not know types that came after it, and asks nobody.
    cniVersion: random.chance(0.04) ? 'v1.5.7' : 'v1.20.4',
  };
}

function drawGroups(
  random: RandomStream,
  { kind, podIdentity }: ClusterSetting,
  nodes: number,
): readonly GroupSetting[] {
  const drawn = Math.min(nodes, 1 + random.below(ZONES_MAX));
  // kiam chooses its machines by these two names.
  const names =
    podIdentity === 'kiam' ? ['workers', 'servers'] : ['workers-a', 'workers-b', 'workers-c'];
  const zones = podIdentity === 'kiam' ? Math.min(nodes, 2) : drawn;
  const counts = podIdentity === 'kiam' ? [nodes - zones + 1, 1] : spread(nodes, zones);
  return Array.from({ length: zones }, (_, index) => ({
    name: names[index] ?? 'workers',
    count: counts[index] ?? 1,
    instanceType: random.pick(TYPES),
    image: kind === 'eks' ? random.pick(['al2', 'al2023'] as const) : 'ubuntu',
    isSpot: random.chance(0.3),
    bootMs: Math.round(random.between(6e3, 45e3)),
    subnetPrefix: random.pick([20, 21, 22, 24]),
    hostname: null,
    // What breaks a machine for good is rare, or hardly another cause would be looked for.
    hasProviderId: random.chance(0.93),
    isControlPlane: false,
  }));
}

function spread(nodes: number, zones: number): readonly number[] {
  return Array.from(
    { length: zones },
    (_, index) => Math.floor(nodes / zones) + (index < nodes % zones ? 1 : 0),
  );
}

function drawWorkloads(
  random: RandomStream,
  { podIdentity }: ClusterSetting,
  nodes: number,
): readonly WorkloadSetting[] {
  const count = 1 + random.below(3);
  return Array.from({ length: count }, (_, index) => ({
    name: ['web', 'queue', 'reports'][index] ?? 'web',
    replicas: 1 + random.below(nodes * PODS_PER_NODE),
    role: podIdentity !== 'none' && random.chance(0.5) ? 'reports-reader' : null,
    toleratesGate: random.chance(0.1),
  }));
}
