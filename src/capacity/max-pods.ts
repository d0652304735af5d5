import {
  arithmeticLine,
  type EniBudget,
  eniBudget,
  HOST_NETWORK_PODS,
  podAddresses,
} from './eni.ts';
import type { InstanceType } from './instance-type.ts';
import type { NetworkMode } from './mode.ts';

/** Ceilings of `max-pods-calculator.sh` (amazon-eks-ami v20251217) and of managed node groups. */
const CEILING_LOW = 110;
const CEILING_HIGH = 250;
const CEILING_HIGH_ABOVE_VCPUS = 30;
/** What the kubelet takes when nobody says anything. */
export const KUBELET_DEFAULT_MAX_PODS = 110;

export interface MaxPods {
  readonly budget: EniBudget;
  /** Pods whose addresses the instance can hold, host-network pods included. */
  readonly allowed: number;
  /** The same under AWS's ceiling by vCPUs; null when the number of vCPUs decides and is not known. */
  readonly recommended: number | null;
  /** 110 or 250, null when the number of vCPUs is not known. */
  readonly ceiling: number | null;
  /** `vpc.amazonaws.com/pod-eni`: pods that can have a security group of their own. */
  readonly branchPods: number | null;
  /** How the numbers came about, one sentence each. */
  readonly lines: readonly string[];
}

function ceilingOf(type: InstanceType): number | null {
  if (type.vcpus === null) return null;
  return type.vcpus > CEILING_HIGH_ABOVE_VCPUS ? CEILING_HIGH : CEILING_LOW;
}

function recommendedOf(allowed: number, ceiling: number | null): number | null {
  if (ceiling !== null) return Math.min(allowed, ceiling);
  return allowed <= CEILING_LOW ? allowed : null;
}

function ceilingLine(type: InstanceType, allowed: number, ceiling: number | null): string | null {
  if (allowed <= CEILING_LOW) return null;
  if (ceiling === null)
    return `AWS recommends at most ${CEILING_LOW} pods up to ${CEILING_HIGH_ABOVE_VCPUS} vCPUs, else ${CEILING_HIGH}; the vCPUs of ${type.name} are unknown.`;
  if (ceiling >= allowed) return null;
  const vcpus = `${type.vcpus} vCPUs`;
  return `AWS recommends at most ${ceiling} pods on ${vcpus}, whatever the addresses allow.`;
}

function cardsLine(type: InstanceType): string | null {
  if ((type.enisAllCards ?? type.enis) <= type.enis) return null;
  return `EC2 reports ${type.enisAllCards} ENIs over ${type.cards ?? 'all'} network cards; pods get addresses from the ${type.enis} of the default card only.`;
}

function metalLine(type: InstanceType, budget: EniBudget): string | null {
  if (budget.addressing === 'secondary' || type.bareMetal !== true || type.hypervisor === 'nitro')
    return null;
  return 'max-pods-calculator.sh does not count prefixes on bare metal, as EC2 names no hypervisor there.';
}

function branchLine(type: InstanceType, mode: NetworkMode): string | null {
  if (!mode.podEni || type.trunk === false) return null;
  const amount = type.branches === null ? 'an unknown number of' : String(type.branches);
  return `${amount} pods can have their own security groups (vpc.amazonaws.com/pod-eni); max-pods counts them too.`;
}

/** Pods that one instance can hold, how many AWS recommends, and why. */
export function maxPodsOf(type: InstanceType, mode: NetworkMode): MaxPods {
  const budget = eniBudget(type, mode);
  const allowed = podAddresses(budget) + HOST_NETWORK_PODS;
  const ceiling = ceilingOf(type);
  const lines = [
    arithmeticLine(budget),
    ...budget.notes,
    ceilingLine(type, allowed, ceiling),
    cardsLine(type),
    metalLine(type, budget),
    branchLine(type, mode),
  ];
  return {
    budget,
    allowed,
    recommended: recommendedOf(allowed, ceiling),
    ceiling,
    branchPods: mode.podEni ? (type.trunk === false ? 0 : type.branches) : 0,
    lines: lines.filter((line) => line !== null),
  };
}
