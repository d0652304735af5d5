import {
  type EniBudget,
  eniBudget,
  PREFIX_ADDRESSES,
  podAddresses,
} from '../../../capacity/eni.ts';
import type { InstanceType } from '../../../capacity/instance-type.ts';
import type { WarmTargets } from '../../../capacity/mode.ts';
import { heldAddresses, networkPods } from '../../../capacity/warm.ts';
import { grouped } from '../../../domain/words.ts';
import { isAtLeast } from '../../../domain/version.ts';
import type { Variables } from './aws-node.ts';
import type { CniFacts, CniNode } from './facts.ts';

export type CniDecision =
  | { readonly do: 'refuse'; readonly why: string }
  | { readonly do: 'set'; readonly variables: Variables; readonly why: string };

/** First release that assigns prefixes (release notes of amazon-vpc-cni-k8s v1.9.0). */
const PREFIX_SINCE = '1.9.0';
/** Spare addresses that a node keeps, and the most that it holds without pods. */
const WARM_ADDRESSES = 2;
const MINIMUM_MOST = 10;
/** Pods of the example in the sentence. */
const PODS_SHOWN = 10;

function refuse(why: string): CniDecision {
  return { do: 'refuse', why };
}

interface TypedNode extends CniNode {
  readonly type: InstanceType;
}

/** One Node of each type and max-pods, those in trouble first. */
function typedNodes(nodes: readonly CniNode[]): readonly TypedNode[] {
  const typed = nodes.flatMap((node) => (node.type === null ? [] : [{ ...node, type: node.type }]));
  const sorted = typed.toSorted((one, other) => Number(other.isTroubled) - Number(one.isTroubled));
  const keys = sorted.map(({ type, maxPods }) => `${type.name} ${maxPods}`);
  return sorted.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/** Blocks of 16 addresses, where machines are full and their type and subnet can have them. */
export function decidePrefixes({ setup, nodes, freeAddresses }: CniFacts): CniDecision {
  const { mode, targets } = setup;
  if (mode.addressing === 'ipv6') return refuse('Pods have IPv6 addresses, of which none run out.');
  if (mode.addressing === 'prefix')
    return refuse(
      'Prefix delegation is on already. Machines that were full before get room as their pods leave, or when they are replaced; else lower max-pods.',
    );
  const version = mode.cniVersion ?? 'of an unknown release';
  if (isAtLeast(mode.cniVersion, PREFIX_SINCE) !== true)
    return refuse(`The VPC CNI ${version} may not assign prefixes; it needs v${PREFIX_SINCE}.`);
  const gains = typedNodes(nodes.filter(({ isTroubled }) => isTroubled)).map(({ type }) => ({
    type,
    before: podAddresses(eniBudget(type, mode)),
    after: podAddresses(eniBudget(type, { ...mode, addressing: 'prefix' })),
  }));
  const gain = gains.find(({ before, after }) => after > before);
  if (gain === undefined)
    return refuse('The type of these machines is not known to hold prefixes, as Nitro types do.');
  const room = roomFor(freeAddresses, mode.customNetworking);
  if (room !== null) return refuse(room);
  const why = `A ${gain.type.name} then has addresses for ${grouped(gain.after)} pods instead of ${grouped(gain.before)}.`;
  return { do: 'set', variables: prefixVariables(targets), why };
}

/** Why blocks may not be had; null where one may. */
function roomFor(free: number | null, isCustom: boolean): string | null {
  if (isCustom)
    return 'Custom networking takes addresses from subnets of ENIConfigs, of which this fix does not know whether they have whole blocks; see them: rollcall capacity.';
  if (free === null)
    return 'Nobody knows whether the subnets of these machines have a block of 16 free addresses.';
  if (free >= PREFIX_ADDRESSES) return null;
  return `A subnet of these machines has ${free} free addresses, and a block takes ${PREFIX_ADDRESSES}.`;
}

/** The targets for addresses override the one for blocks. */
function prefixVariables({ warmIpTarget, minimumIpTarget, warmPrefixTarget }: WarmTargets) {
  const isOverridden = warmIpTarget !== null || minimumIpTarget !== null;
  const warm: readonly (readonly [string, string])[] =
    isOverridden || warmPrefixTarget > 1 ? [] : [['WARM_PREFIX_TARGET', '1']];
  return new Map<string, string | null>([['ENABLE_PREFIX_DELEGATION', 'true'], ...warm]);
}

/** Fewer spare addresses on each node, where the targets hold more than a few. */
export function decideLeaner({ setup, nodes }: CniFacts): CniDecision {
  if (setup.mode.addressing === 'ipv6')
    return refuse('Pods have IPv6 addresses, so warm targets hold none of the subnet.');
  const typed = typedNodes(nodes);
  const [first] = typed;
  if (first?.isTroubled !== true)
    return refuse('The types of these machines are not known, nor what they hold.');
  const targets = leanerTargets(first, typed, setup);
  if (targets === null)
    return refuse(
      'The warm targets hold few addresses already, so other settings free none. Give pods another subnet, or find what else holds addresses: rollcall capacity.',
    );
  const { pods, before, after } = exampleOf(first, setup, targets);
  const why = `A ${first.type.name} with ${pods} pods then holds ${after} addresses of its subnet instead of ${before}.`;
  return { do: 'set', variables: leanerVariables(targets, setup.targets), why };
}

interface Example {
  readonly pods: number;
  readonly before: number;
  readonly after: number;
}

function exampleOf(
  { type, maxPods }: TypedNode,
  { mode, targets }: CniFacts['setup'],
  leaner: WarmTargets,
): Example {
  const budget = eniBudget(type, mode);
  const pods = Math.min(PODS_SHOWN, podsMost(budget, maxPods));
  const held = (one: WarmTargets): number => heldAddresses(budget, one, pods, maxPods).addresses;
  return { pods, before: held(targets), after: held(leaner) };
}

function leanerVariables(
  { warmIpTarget, minimumIpTarget }: WarmTargets,
  before: WarmTargets,
): Variables {
  const minimum = minimumIpTarget === null ? null : String(minimumIpTarget);
  const isMinimumSet = minimum !== null || before.minimumIpTarget !== null;
  return new Map([
    ['WARM_IP_TARGET', warmIpTarget === null ? null : String(warmIpTarget)],
    ...(isMinimumSet ? ([['MINIMUM_IP_TARGET', minimum]] as const) : []),
  ]);
}

/**
 * The targets with the largest minimum by which no node ever holds more than before, and the one in
 * trouble fewer with a usual number of pods; null where there are none.
 */
function leanerTargets(
  first: TypedNode,
  nodes: readonly TypedNode[],
  setup: CniFacts['setup'],
): WarmTargets | null {
  const { mode, targets } = setup;
  const budgets = nodes.map(({ type, maxPods }) => ({ budget: eniBudget(type, mode), maxPods }));
  for (let minimum = MINIMUM_MOST; minimum >= 0; minimum -= 1) {
    const minimumIpTarget = minimum === 0 ? null : minimum;
    const leaner = { ...targets, warmIpTarget: WARM_ADDRESSES, minimumIpTarget };
    const { before, after } = exampleOf(first, setup, leaner);
    if (after >= before) continue;
    const saved = budgets.flatMap(({ budget, maxPods }) =>
      savedFor(budget, maxPods, [targets, leaner]),
    );
    if (saved.every((count) => count >= 0)) return leaner;
  }
  return null;
}

/** Addresses that one node holds less, for each number of pods that it may have. */
function savedFor(
  budget: EniBudget,
  maxPods: number | null,
  [before, after]: readonly [WarmTargets, WarmTargets],
): readonly number[] {
  return Array.from({ length: podsMost(budget, maxPods) + 1 }, (_, pods) => {
    const [held, left] = [before, after].map(
      (one) => heldAddresses(budget, one, pods, maxPods).addresses,
    );
    return (held ?? 0) - (left ?? 0);
  });
}

function podsMost(budget: EniBudget, maxPods: number | null): number {
  return Math.min(podAddresses(budget), networkPods(maxPods ?? Number.MAX_SAFE_INTEGER));
}
