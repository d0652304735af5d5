import type { Told } from '../../evidence/shape.ts';
import type { Fact, Seen } from '../../evidence/fact.ts';
import type { FactTypes, KubeNode } from '../../evidence/kinds.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { isoMs } from '../../evidence/time.ts';
import type { Instance, NetworkInterface } from '../../evidence/aws/instance.ts';
import type { InstanceProfile } from '../../evidence/aws/iam.ts';

/** A healthy machine has registered by then; Windows and large images take longest. */
const REGISTRATION_NORMAL_MS = 300_000;

type FleetKind = 'aws/instance' | 'kube/Node' | 'aws/instance-profile' | 'aws/cluster';

/**
 * An answer of the authenticator is remembered for minutes (kube-apiserver
 * --authentication-token-webhook-cache-ttl, 2 min), a token lives for 15: so long a Node may be Ready
 * of which nobody would be let in again.
 */
const LET_IN_FOR_MS = 15 * 60_000;

/** Whatever gives the facts of a whole cluster, as a cause's view does. */
export interface FleetFacts {
  /** When the evidence was collected, ms since the epoch; null for evidence of others. */
  readonly nowMs: number | null;
  read<N extends FleetKind>(kind: N): Fact<FactTypes[N]>;
  list<N extends FleetKind>(kind: N): readonly Seen<FactTypes[N]>[];
}

type MachineKind = 'aws/instance' | 'kube/Node' | 'aws/cluster';

/** The part of them that shows which machines have a Node. */
export interface MachineFacts {
  readonly nowMs: number | null;
  read<N extends MachineKind>(kind: N): Fact<FactTypes[N]>;
  list<N extends MachineKind>(kind: N): readonly Seen<FactTypes[N]>[];
}

/** The instances of one IAM role, by what became of their Nodes. */
export interface NodeRole {
  /** ARN of the role, with its path. */
  readonly arn: string;
  /** The instance profile that shows the role. */
  readonly profile: Seen<InstanceProfile>;
  /** Instances that run and have no Node, or whose Node's kubelet has gone silent. */
  readonly lost: readonly Seen<Instance>[];
  /** Instances whose Node is Ready now. */
  readonly ready: readonly Seen<Instance>[];
  /** True when a machine of this role has a Node that is Ready now. */
  readonly isAdmitted: boolean;
  /** True when Nodes of it fell silent so lately that the others may follow. */
  readonly isFading: boolean;
}

type Member = 'admitted' | 'lost' | 'undecided';

/** True when an instance carries a cluster's tag; `cluster` null accepts that of any. */
export function isTaggedFor(instance: Instance, cluster: string | null): boolean {
  return (instance.Tags ?? []).some((tag) => {
    const key = tag.Key ?? '';
    if (key.startsWith('kubernetes.io/cluster/'))
      return cluster === null || key === `kubernetes.io/cluster/${cluster}`;
    return (
      /^(?:aws:)?eks:(?:eks-)?cluster-name$/.test(key) &&
      (cluster === null || tag.Value === cluster)
    );
  });
}

type Instances = readonly Seen<Instance>[];

const OWN = new WeakMap<Instances, { readonly cluster: string | null; readonly own: Instances }>();

/** Instances with the tag of a cluster, asked of one list again and again; of one that several answers show, the last. */
function ownOf(instances: Instances, cluster: string | null): Instances {
  const known = OWN.get(instances);
  if (known?.cluster === cluster) return known.own;
  const all = instances.filter(({ value }) => isTaggedFor(value, cluster));
  const own = [...new Map(all.map((one) => [one.value.InstanceId, one])).values()];
  OWN.set(instances, { cluster, own });
  return own;
}

/** True for an instance that is gone, or going for good. */
export function isTerminated(instance: Instance): boolean {
  return /^(?:terminated|shutting-down)$/.test(instance.State?.Name ?? '');
}

/** The names of a machine, by whichever answer shows them. */
interface Named {
  readonly InstanceId?: Told<string>;
  readonly PrivateDnsName: Told<string>;
  readonly PrivateIpAddress: Told<string>;
}

/** Finds the Node of an instance by providerID, private DNS name or address. */
type NodeFinder = (machine: Named) => KubeNode | null;

const FINDERS = new WeakMap<readonly Seen<KubeNode>[], NodeFinder>();

/** Made once of each list: a cause may ask for it on each machine. */
function nodeFinder(nodes: readonly Seen<KubeNode>[]): NodeFinder {
  const known = FINDERS.get(nodes) ?? madeFinder(nodes);
  FINDERS.set(nodes, known);
  return known;
}

function madeFinder(nodes: readonly Seen<KubeNode>[]): NodeFinder {
  const byName = new Map<string, KubeNode>();
  for (const { value } of nodes) {
    const id = instanceIdIn(`${value.providerId ?? ''} ${value.name}`);
    for (const name of [id, value.name, value.internalDns, value.internalIp])
      if (name !== null && name !== '') byName.set(name, value);
  }
  return (instance) => {
    const names = [instance.InstanceId, instance.PrivateDnsName, instance.PrivateIpAddress];
    return names.map((name) => byName.get(name ?? '')).find((node) => node !== undefined) ?? null;
  };
}

function memberOf(instance: Instance, node: KubeNode | null, nowMs: number): Member {
  if (instance.State?.Name !== 'running') return 'undecided';
  if (node !== null) {
    const ready = node.conditions.find(({ type }) => type === 'Ready');
    if (node.ready === true) return 'admitted';
    return ready?.status === 'Unknown' ? 'lost' : 'undecided';
  }
  const launchedMs = isoMs(instance.LaunchTime ?? '');
  return launchedMs !== null && nowMs - launchedMs >= REGISTRATION_NORMAL_MS ? 'lost' : 'undecided';
}

/**
 * Roles of the cluster's running instances; null where nobody can say which of them joined:
 * evidence of others, or Nodes that were not listed.
 */
export function nodeRolesOf(facts: FleetFacts): readonly NodeRole[] | null {
  const { nowMs } = facts;
  if (nowMs === null || facts.read('kube/Node').state === 'unknown') return null;
  const cluster = facts.list('aws/cluster')[0]?.value.name ?? null;
  const nodeOf = nodeFinder(facts.list('kube/Node'));
  const own = ownOf(facts.list('aws/instance'), cluster);
  const byProfile = Map.groupBy(own, ({ value }) => value.IamInstanceProfile?.Arn ?? '');
  return facts.list('aws/instance-profile').flatMap((profile) => {
    const arn = (profile.value.Roles ?? [])[0]?.Arn ?? null;
    const machines = byProfile.get(profile.value.Arn ?? '-') ?? [];
    if (arn === null || machines.length === 0) return [];
    const members = machines.map((machine) => ({
      machine,
      member: memberOf(machine.value, nodeOf(machine.value), nowMs),
    }));
    const those = (wanted: Member): readonly Seen<Instance>[] =>
      members.filter(({ member }) => member === wanted).map(({ machine }) => machine);
    const [lost, ready] = [those('lost'), those('admitted')];
    const isFading = lost.some(({ value }) => isSilentLately(nodeOf(value), nowMs));
    return [{ arn, profile, lost, ready, isAdmitted: ready.length > 0, isFading }];
  });
}

function isSilentLately(node: KubeNode | null, nowMs: number): boolean {
  const sinceMs = node === null ? null : silentSinceMs(node);
  return sinceMs !== null && nowMs - sinceMs <= LET_IN_FOR_MS;
}

/** When the control plane gave a Node up of which it heard no more, ms; null for any other. */
export function silentSinceMs({ conditions }: KubeNode): number | null {
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isSilent = ready?.status === 'Unknown' && ready.reason === 'NodeStatusUnknown';
  return isSilent ? ready.changedMs : null;
}

/** Nodes that fell silent so lately that whatever silenced them may reach the others yet. */
export function fadingNodes(facts: MachineFacts): readonly Seen<KubeNode>[] {
  const { nowMs } = facts;
  if (nowMs === null) return [];
  return facts.list('kube/Node').filter(({ value }) => isSilentLately(value, nowMs));
}

/**
 * The cluster's running instances that have no Node at all after the time that registering takes;
 * null where nobody can say.
 */
export function instancesWithoutNode(facts: MachineFacts): readonly Seen<Instance>[] | null {
  const { nowMs } = facts;
  if (nowMs === null || facts.read('kube/Node').state === 'unknown') return null;
  const cluster = facts.list('aws/cluster')[0]?.value.name ?? null;
  const nodeOf = nodeFinder(facts.list('kube/Node'));
  return ownOf(facts.list('aws/instance'), cluster)
    .filter(({ value }) => nodeOf(value) === null)
    .filter(({ value }) => memberOf(value, null, nowMs) === 'lost');
}

/**
 * Ids of instances that no answer describes and which network interfaces show: attached, in a
 * security group of machines with a Node, and of none themselves.
 */
export function attachedWithoutNode(
  interfaces: readonly Seen<NetworkInterface>[],
  instances: readonly Seen<Instance>[],
  nodes: readonly Seen<KubeNode>[],
): readonly string[] {
  const described = new Set(instances.map(({ value }) => value.InstanceId ?? null));
  const nodeOf = nodeFinder(nodes);
  const byInstance = Map.groupBy(interfaces, ({ value }) => value.Attachment?.InstanceId ?? null);
  byInstance.delete(null);
  const owners = [...byInstance].map(([id, own]) => ({
    id: id ?? '',
    groups: own.flatMap(({ value }) => groupsOf(value)),
    hasNode: own.some(({ value }) => nodeOf({ ...value, InstanceId: id }) !== null),
  }));
  const joined = new Set(owners.flatMap(({ hasNode, groups }) => (hasNode ? groups : [])));
  return owners
    .filter(({ id, hasNode }) => !hasNode && !described.has(id))
    .filter(({ groups }) => groups.some((group) => joined.has(group)))
    .map(({ id }) => id);
}

/**
 * How many machines one cluster has at least, by interfaces alone: as many as have one attached in
 * the security group that most of them share.
 */
export function attachedTogether(interfaces: readonly Seen<NetworkInterface>[]): number {
  const byGroup = new Map<string, Set<string>>();
  for (const { value } of interfaces) {
    const id = value.Attachment?.InstanceId ?? null;
    if (id === null) continue;
    for (const group of groupsOf(value))
      byGroup.set(group, (byGroup.get(group) ?? new Set()).add(id));
  }
  return Math.max(0, ...[...byGroup.values()].map(({ size }) => size));
}

function groupsOf(networkInterface: NetworkInterface): readonly string[] {
  return (networkInterface.Groups ?? []).map((group) => group.GroupId ?? '');
}

/** Events are kept for an hour (kube-apiserver --event-ttl). */
const EVENTS_KEPT_MS = 3_600_000;

/**
 * True for a machine so young that the events would still tell of a Node that it had and lost: one
 * without a Node has never joined.
 */
export function hasNeverJoined(instance: Instance, nowMs: number | null): boolean {
  const launchedMs = isoMs(instance.LaunchTime ?? '');
  return nowMs !== null && launchedMs !== null && nowMs - launchedMs <= EVENTS_KEPT_MS;
}

/** Roles of which machines are lost and none is admitted: whatever is wrong, all share it. */
export function lostRoles(roles: readonly NodeRole[]): readonly NodeRole[] {
  return roles.filter(({ lost, isAdmitted }) => lost.length > 0 && !isAdmitted);
}

/**
 * Lost roles, and those of which some machines are lost while others may only not have been asked
 * again: where nothing lets a role in, a Node that is still Ready proves nothing.
 */
export function shutOutRoles(roles: readonly NodeRole[]): readonly NodeRole[] {
  return roles.filter(
    ({ lost, isAdmitted, isFading }) => lost.length > 0 && (!isAdmitted || isFading),
  );
}

/** The last part of a role's ARN: its name without the path. */
export function roleName(arn: string): string {
  return arn.split('/').at(-1) ?? arn;
}

/** True where it was seen that aws-auth alone lets machines in. */
export function isConfigMapOnly(facts: MachineFacts): boolean {
  const modes = facts
    .list('aws/cluster')
    .map(({ value }) => value.accessConfig?.authenticationMode ?? null);
  return modes.length > 0 && modes.every((mode) => mode === 'CONFIG_MAP');
}

/** Ids of instances, for sentences. */
export function idsOf(instances: readonly Seen<Instance>[]): readonly string[] {
  return instances.map(({ value }) => value.InstanceId ?? '');
}

/** An ARN as the authenticator knows it: of an assumed role it never sees the path. */
export function withoutPath(arn: string): string {
  return arn.replace(/^([^/]*:role\/)(?:[^/]+\/)+([^/]+)$/, '$1$2');
}
