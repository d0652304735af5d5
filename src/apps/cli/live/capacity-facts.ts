import { typeFromAws } from '../../../capacity/aws-type.ts';
import type { InstanceType, UnknownType } from '../../../capacity/instance-type.ts';
import { INSTANCE_TYPES } from '../../../capacity/instance-types.generated.ts';
import { instanceTypes } from '../../../capacity/instance-types.ts';
import { interfaceOf, type NetworkInterface } from '../../../capacity/interfaces.ts';
import type { KnownInstances } from '../../../capacity/leaks.ts';
import {
  DEFAULT_MODE,
  MANIFEST_TARGETS,
  type NetworkMode,
  type WarmTargets,
} from '../../../capacity/mode.ts';
import {
  type SubnetState,
  subnetOf,
  subnetState,
  usedAddresses,
} from '../../../capacity/subnet.ts';
import { type Json, listAt, textAt } from '../../../evidence/json.ts';
import type { FactTypes } from '../../../evidence/kinds.ts';
import type { Observations } from '../../../evidence/observations.ts';

/** What `rollcall capacity` reads; its permissions are those of the calls that show these. */
export const CAPACITY_KINDS = [
  'kube/Node',
  'kube/Pod',
  'kube/DaemonSet',
  'kube/ENIConfig',
  'aws/instance',
  'aws/subnet',
  'aws/network-interface',
  'aws/instance-type',
] as const;

type CapacityKind = (typeof CAPACITY_KINDS)[number];

/** The values of one kind, in the order in which they were read. */
export function valuesOf<K extends CapacityKind>(
  { facts }: Observations,
  kind: K,
): readonly FactTypes[K][] {
  return facts.flatMap((fact) => (fact.kind === kind ? [fact.value as FactTypes[K]] : []));
}

/** Items of AWS by their id; the last answer wins. */
export function byId(items: readonly Json[], path: string): ReadonlyMap<string, Json> {
  return new Map(items.map((item) => [textAt(item, path) ?? '', item]));
}

/** True when a complete list of the kind was read, so that what it lacks is not there. */
export function isListed({ listings }: Observations, kind: CapacityKind): boolean {
  return listings.some((listing) => listing.kind === kind);
}

/** How the Amazon VPC CNI is set up: `seen`, `absent` when the cluster runs none, or `unknown`. */
export interface CniSetup {
  readonly state: 'seen' | 'absent' | 'unknown';
  readonly mode: NetworkMode;
  readonly targets: WarmTargets;
}

const UNSET: CniSetup = { state: 'unknown', mode: DEFAULT_MODE, targets: MANIFEST_TARGETS };

type Variables = ReadonlyMap<string, string>;

function countIn(env: Variables, name: string): number | null {
  const text = env.get(name) ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

function isOn(env: Variables, name: string): boolean {
  return env.get(name)?.toLowerCase() === 'true';
}

/** The tag of an image: `v1.19.2-eksbuild.1`. */
function tagOf(image: string | null): string | null {
  return /:([\w.-]{1,128})(?:@|$)/.exec(image ?? '')?.[1] ?? null;
}

function modeOf(env: Variables, image: string | null): NetworkMode {
  const prefix = isOn(env, 'ENABLE_PREFIX_DELEGATION') ? 'prefix' : 'secondary';
  const maxEni = countIn(env, 'MAX_ENI');
  return {
    addressing: isOn(env, 'ENABLE_IPv6') ? 'ipv6' : prefix,
    customNetworking: isOn(env, 'AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG'),
    podEni: isOn(env, 'ENABLE_POD_ENI'),
    maxEni: maxEni === 0 ? null : maxEni,
    cniVersion: tagOf(image),
  };
}

function targetsOf(env: Variables): WarmTargets {
  return {
    warmEniTarget: countIn(env, 'WARM_ENI_TARGET') ?? MANIFEST_TARGETS.warmEniTarget,
    warmIpTarget: countIn(env, 'WARM_IP_TARGET'),
    minimumIpTarget: countIn(env, 'MINIMUM_IP_TARGET'),
    warmPrefixTarget: countIn(env, 'WARM_PREFIX_TARGET') ?? MANIFEST_TARGETS.warmPrefixTarget,
  };
}

/** The DaemonSet aws-node; its absence is known only from a complete list. */
export function cniSetupOf(observations: Observations): CniSetup {
  const found = valuesOf(observations, 'kube/DaemonSet').find(
    ({ name, namespace }) => name === 'aws-node' && namespace === 'kube-system',
  );
  if (found === undefined)
    return isListed(observations, 'kube/DaemonSet') ? { ...UNSET, state: 'absent' } : UNSET;
  const containers = listAt(found.body, 'spec.template.spec.containers');
  const container = containers.find((one) => textAt(one, 'name') === 'aws-node') ?? containers[0];
  const env = new Map(
    listAt(container, 'env').map((one) => [textAt(one, 'name') ?? '', textAt(one, 'value') ?? '']),
  );
  return {
    state: 'seen',
    mode: modeOf(env, textAt(container, 'image')),
    targets: targetsOf(env),
  };
}

const SHIPPED = instanceTypes(INSTANCE_TYPES);

/** A type as EC2 described it, else as shipped, else unknown. */
export function typeNamed(observations: Observations, name: string): InstanceType | UnknownType {
  const item = valuesOf(observations, 'aws/instance-type').find(
    (one) => textAt(one, 'InstanceType') === name,
  );
  const described = item === undefined ? null : typeFromAws(item, SHIPPED);
  return described ?? SHIPPED.named(name);
}

/** Interfaces, or null when they were not listed. */
export function interfacesOf(observations: Observations): readonly Json[] | null {
  if (!isListed(observations, 'aws/network-interface')) return null;
  const items = valuesOf(observations, 'aws/network-interface');
  return [...byId(items, 'NetworkInterfaceId').values()];
}

/** The same as capacity reads them. */
export function networkInterfaces(items: readonly Json[] | null): readonly NetworkInterface[] {
  return (items ?? []).map(interfaceOf).filter((one) => one !== null);
}

/** Each subnet with what is free in it. */
export function subnetStates(observations: Observations): readonly SubnetState[] {
  const items = interfacesOf(observations);
  const subnets = byId(valuesOf(observations, 'aws/subnet'), 'SubnetId');
  return [...subnets.values()].flatMap((item) => {
    const subnet = subnetOf(item);
    if (subnet === null) return [];
    return [subnetState(subnet, items === null ? null : usedAddresses(subnet, items))];
  });
}

/** States of the instances; those of other clusters were not asked for. */
export function knownInstances(observations: Observations): KnownInstances {
  const items = valuesOf(observations, 'aws/instance');
  const states = items.map((item): [string, string] => [
    textAt(item, 'InstanceId') ?? '',
    textAt(item, 'State.Name') ?? '',
  ]);
  return { states: new Map(states), isComplete: false };
}
