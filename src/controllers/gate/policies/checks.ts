import type { GatePolicy } from '../policy.ts';
import { canOverlap } from './selector-sets.ts';

/** Comparisons of two policies in one round; thousands of policies of one taint are not all compared. */
const COMPARISONS_MAX = 200_000;
const NAMES_SHOWN = 3;

function taintText({ taint }: GatePolicy): string {
  return `${taint.key}:${taint.effect}`;
}

/** Whether one node could be selected by both; where DaemonSets place it, labels alone tell. */
function mayShareNodes(one: GatePolicy, other: GatePolicy): boolean {
  return canOverlap(one.selects.requirements, other.selects.requirements);
}

/** What a policy is called in sentences and in the answer of `sharedTaints`. */
export function policyName({ source }: GatePolicy): string {
  return `${source.kind} ${source.name}`;
}

/** Policies by the taint that they keep, where there are several of one. */
function sharers(policies: readonly GatePolicy[]): readonly (readonly GatePolicy[])[] {
  return [...Map.groupBy(policies, taintText).values()].filter(({ length }) => length > 1);
}

/**
 * By name of a policy, the sentence about others that keep the same taint on the same nodes: it
 * goes when all of them agree.
 */
export function sharedTaints(policies: readonly GatePolicy[]): ReadonlyMap<string, string> {
  const told = new Map<string, string>();
  let left = COMPARISONS_MAX;
  for (const group of sharers(policies))
    for (const one of group) {
      const others = group.filter(
        (other) => other !== one && left-- > 0 && mayShareNodes(one, other),
      );
      if (others.length === 0) continue;
      const names = others.slice(0, NAMES_SHOWN).map(policyName).join(', ');
      const more = others.length > NAMES_SHOWN ? ` and ${others.length - NAMES_SHOWN} more` : '';
      told.set(
        policyName(one),
        `It shares the taint ${taintText(one)} with ${names}${more}; the taint goes when all of them open the node.`,
      );
    }
  return told;
}

/**
 * The sentence about a selector that selects no node or every one; null for any other. The numbers
 * are in the status: a sentence with them would be written anew for each node that joins.
 */
export function selectionWarning(
  { selects }: GatePolicy,
  selected: number,
  all: number,
): string | null {
  if (all === 0 || selects.requirements.length === 0) return null;
  if (selected === 0) return 'It selects no node.';
  return selected === all && all > 1 ? 'It selects every node.' : null;
}
