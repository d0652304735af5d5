import { leaksOf } from '../../capacity/leaks.ts';
import { lengthText, shown } from '../../domain/words.ts';
import type { EniScan, JudgedInterface } from './facts.ts';
import type { LooseInterface } from './loose-interface.ts';

/** What one look says of one interface. */
export type Judgement = Pick<JudgedInterface, 'why'> & {
  readonly verdict: 'delete' | 'kept' | 'unproven';
};

const kept = (why: string): Judgement => ({ verdict: 'kept', why });
const unproven = (why: string): Judgement => ({ verdict: 'unproven', why });

/**
 * Whether everything proves that an interface is a leak of the CNI of this cluster, and is
 * `available`, made longer ago than this age, and its instance gone.
 */
export function judge(network: LooseInterface, scan: EniScan, ageMs: number): Judgement {
  const { clusters, describedInstance, taggedInstance, creator } = network.marks;
  const { nowMs, cluster, instances: states } = scan;
  if (clusters.some((one) => one !== cluster)) return kept('its tags name another cluster');
  const { leaked } = leaksOf([network], { states, isComplete: true }, nowMs, ageMs);
  const [leak] = leaked;
  if (leak === undefined) return kept(usedBecause(network, scan, ageMs));
  if (leak.verdict === 'likely') return unproven(leak.because);
  if (clusters.length === 0) return unproven('no tag names its cluster');
  if (describedInstance === null) return unproven('its description is not of the CNI');
  if (describedInstance !== taggedInstance)
    return unproven('its tag and its description name different instances');
  if (creator !== null && creator !== 'amazon-vpc-cni')
    return unproven(`its tag eks:eni:owner is ${shown(creator)}`);
  if (scan.nodeInstances.has(describedInstance))
    return kept(`a Node names its instance ${describedInstance}`);
  return { verdict: 'delete', why: leak.because };
}

function usedBecause(
  { createdMs, instanceId, status, isManagedElsewhere }: LooseInterface,
  { nowMs, instances }: EniScan,
  ageMs: number,
): string {
  if (status !== 'available') return `it is ${shown(status ?? 'in an unknown state')}`;
  if (isManagedElsewhere) return 'its tag no_manage keeps it from the CNI';
  if (createdMs !== null && nowMs - createdMs <= ageMs)
    return `it was created less than ${lengthText(ageMs)} ago`;
  return `its instance is ${shown(instances.get(instanceId ?? '') ?? 'in use')}`;
}
