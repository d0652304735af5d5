import { isUnknownType } from '../instance-type.ts';
import { INSTANCE_TYPES } from '../instance-types.generated.ts';
import { instanceTypes, unknownType } from '../instance-types.ts';
import { maxPodsOf } from '../max-pods.ts';
import { HOST_NETWORK_PODS } from '../eni.ts';
import { MEASURES, type Measure, type SpotDemand } from './demand.ts';
import { familyOf } from './pool.ts';
import { meaning, type SpotRules } from './rules.ts';
import type { ToldType } from './told.ts';

const SHIPPED = instanceTypes(INSTANCE_TYPES);

/**
 * Memory that nodeadm reserves for the kubelet (amazon-eks-ami, internal/kubelet/config.go), and
 * the kubelet's hard eviction threshold.
 */
const RESERVED_MIB = 255;
const RESERVED_PER_POD_MIB = 11;
const EVICTION_MIB = 100;

/** What one machine of a type gives. */
export interface Offer extends Readonly<Record<Measure, number>> {
  readonly type: string;
  readonly family: string;
  readonly arch: string;
  /** All of its memory, of which pods get less. */
  readonly memoryMiB: number;
}

/** A type that is left out before its price matters, and why: half a sentence. */
export interface LeftOut {
  readonly why: string;
}

/** The type as EC2 described it, else as shipped; null when neither knows it. */
export function toldType(name: string, told: ReadonlyMap<string, ToldType>): ToldType | null {
  const described = told.get(name);
  if (described !== undefined) return described;
  const type = SHIPPED.named(name);
  return isUnknownType(type) ? null : { type, gpus: null, isSpot: null };
}

function barred(name: string, told: ToldType, demand: SpotDemand, rules: SpotRules): string | null {
  const never = meaning(rules.never, name);
  if (never !== null) return `excluded by never: ${never}`;
  const { vcpus, memoryMiB, arch } = told.type;
  const ask = unknownType(name).command;
  if (vcpus === null || memoryMiB === null || arch === null)
    return `its size is unknown; ask EC2: ${ask}`;
  if (demand.architectures.length > 0 && !demand.architectures.includes(arch))
    return `${arch} is not wanted`;
  if (vcpus < demand.nodeVcpus.least) return `${vcpus} vCPUs are too few for one node`;
  if (vcpus > demand.nodeVcpus.most) return `${vcpus} vCPUs are too many for one node`;
  if (told.isSpot === false) return 'EC2 does not sell it as Spot';
  if (demand.gpus !== null && told.gpus === null) return `its GPUs are unknown; ask EC2: ${ask}`;
  return null;
}

/** What a machine of a type gives, or why none is taken. */
export function offerOf(
  name: string,
  types: ReadonlyMap<string, ToldType>,
  demand: SpotDemand,
  rules: SpotRules,
): Offer | LeftOut {
  const told = toldType(name, types);
  if (told === null) return { why: `unknown type; ask EC2: ${unknownType(name).command}` };
  const why = barred(name, told, demand, rules);
  if (why !== null) return { why };
  const { type } = told;
  const { allowed, recommended } = maxPodsOf(type, demand.mode);
  const maxPods = recommended ?? allowed;
  const pods = maxPods - HOST_NETWORK_PODS - demand.daemonPods;
  if (pods <= 0) return { why: `no pod gets an address beside ${demand.daemonPods} of DaemonSets` };
  const memoryMiB = type.memoryMiB ?? 0;
  const forPodsMiB = memoryMiB - RESERVED_MIB - RESERVED_PER_POD_MIB * maxPods - EVICTION_MIB;
  if (forPodsMiB <= 0) return { why: 'the kubelet reserves all of its memory' };
  const offer = {
    type: name,
    family: familyOf(name),
    arch: type.arch ?? '',
    vcpus: type.vcpus ?? 0,
    gpus: told.gpus ?? 0,
    memoryGiB: forPodsMiB / 1024,
    memoryMiB,
    pods,
  };
  const gives = MEASURES.some((measure) => demand[measure] !== null && offer[measure] > 0);
  return gives ? offer : { why: 'it has nothing of what is wanted' };
}
