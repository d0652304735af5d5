import type { OwnedInterface } from '../domain/network/interfaces.ts';
import { lengthText, shellWord, shown } from '../domain/words.ts';

/** The age from which amazon-vpc-cni-k8s itself takes an unattached interface for leaked. */
export const LEAK_AGE_MS = 5 * 60_000;

/** State of each known instance; one that is not there was not listed by EC2. */
export interface KnownInstances {
  readonly states: ReadonlyMap<string, string>;
  /** False when EC2 was not asked for all instances, so that absence says nothing. */
  readonly isComplete: boolean;
}

export interface LeakedInterface {
  readonly network: OwnedInterface;
  /** `likely`: something that would decide was not to be seen. */
  readonly verdict: 'leaked' | 'likely';
  readonly because: string;
  readonly command: string;
}

export interface Leaks {
  readonly leaked: readonly LeakedInterface[];
  /** Addresses that deleting the leaked ones gives back. */
  readonly addresses: number;
}

type Judgement = Pick<LeakedInterface, 'verdict' | 'because'> | null;

function ageOf(network: OwnedInterface, nowMs: number, olderThanMs: number): Judgement {
  if (network.createdMs === null)
    return { verdict: 'likely', because: 'its age is unknown: it has no tag createdAt' };
  const ageMs = nowMs - network.createdMs;
  if (ageMs <= olderThanMs) return null;
  return {
    verdict: 'leaked',
    because: `created ${lengthText(ageMs)} ago`,
  };
}

function instanceOf(network: OwnedInterface, instances: KnownInstances): Judgement {
  const { instanceId } = network;
  if (instanceId === null)
    return { verdict: 'likely', because: 'nothing names the instance it was created for' };
  const id = shown(instanceId);
  const state = instances.states.get(instanceId);
  if (state === 'terminated')
    return { verdict: 'leaked', because: `its instance ${id} is terminated` };
  if (state !== undefined) return null;
  return instances.isComplete
    ? { verdict: 'leaked', because: `its instance ${id} is gone` }
    : { verdict: 'likely', because: `unknown whether its instance ${id} still exists` };
}

/** The resource controller deletes what it sees `available` in two passes, 30 minutes apart. */
function branchLeak(): Judgement {
  const because =
    'no pod uses it; amazon-vpc-resource-controller-k8s, where it runs, deletes it within an hour';
  return { verdict: 'likely', because };
}

function cniLeak(
  network: OwnedInterface,
  instances: KnownInstances,
  nowMs: number,
  olderThanMs: number,
): Judgement {
  const age = ageOf(network, nowMs, olderThanMs);
  const owner = instanceOf(network, instances);
  if (age === null || owner === null) return null;
  const isSure = age.verdict === 'leaked' && owner.verdict === 'leaked';
  return { verdict: isSure ? 'leaked' : 'likely', because: `${owner.because}; ${age.because}` };
}

function judge(
  network: OwnedInterface,
  instances: KnownInstances,
  nowMs: number,
  olderThanMs: number,
): LeakedInterface | null {
  if (network.status !== 'available' || network.isAttached || network.isManagedElsewhere)
    return null;
  const isBranch = network.owner === 'cni-branch' || network.owner === 'cni-trunk';
  if (!isBranch && network.owner !== 'cni') return null;
  const judgement = isBranch ? branchLeak() : cniLeak(network, instances, nowMs, olderThanMs);
  if (judgement === null) return null;
  return {
    network,
    ...judgement,
    command: `aws ec2 delete-network-interface --network-interface-id ${shellWord(network.id)}`,
  };
}

/**
 * Interfaces that the CNI made and nobody uses any more: `available`, described `aws-K8S-i-…`,
 * older than the given age, their instance gone. The CNI looks for the same hourly, from a live
 * aws-node of the same cluster only (amazon-vpc-cni-k8s pkg/awsutils). An interface in use is never
 * named.
 */
export function leaksOf(
  interfaces: readonly OwnedInterface[],
  instances: KnownInstances,
  nowMs: number,
  olderThanMs: number = LEAK_AGE_MS,
): Leaks {
  const leaked = interfaces
    .map((network) => judge(network, instances, nowMs, olderThanMs))
    .filter((one) => one !== null)
    .toSorted((a, b) => (a.network.createdMs ?? 0) - (b.network.createdMs ?? 0));
  const sure = leaked.filter(({ verdict }) => verdict === 'leaked');
  return { leaked, addresses: sure.reduce((sum, { network }) => sum + network.addresses, 0) };
}
