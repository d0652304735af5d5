import type { Look, LookedPolicy } from '../gate/look.ts';
import { keyOfPolicy } from '../gate/record.ts';
import { isLookedAfter, type NodePast } from './standing.ts';

/** What of a look asks for a look at the Pods of the node. */
export interface Suspicion {
  /** True where something happened after which a look at all Pods is worth its price. */
  readonly isChange: boolean;
  /** True where Pods may have come in at this moment. */
  readonly isSuspect: boolean;
  /** True where a proof was lost and it is not known yet which Pods were there. */
  readonly isLosing: boolean;
}

const GUARD = 'rollcall.dev/MetadataGuarded';

/** True while an opened node has lost a proof and is not shut again yet. */
export function isLosing({ view }: LookedPolicy): boolean {
  return view.opened === 'now' && view.verdict === 'unproven' && !view.isShutAgain && !view.isDone;
}

/** A taint that is put on a node was not there before. */
function isClosing({ decision }: LookedPolicy): boolean {
  return decision.act === 'put-startup' || decision.act === 'put-regress';
}

/** Says what a look asks for; cheap, as it is asked at every look. */
export function whatToLookAt({ node, decided }: Look, past: NodePast): Suspicion {
  const own = decided.filter(({ policy }) => isLookedAfter(policy));
  const isWindow = own.some(isClosing);
  const isSeenWrong = own.length > 0 && node.conditions.get(GUARD)?.status === 'False';
  return {
    isChange: own.some(({ decision, view }) => decision.act !== 'keep' || view.isShut),
    isSuspect: isWindow || isSeenWrong,
    isLosing: own.some((one) => isLosing(one) && !past.beforeLoss.has(keyOfPolicy(one.policy))),
  };
}
