import { excerptOf } from '../../evidence/redact.ts';
import type { Action } from '../../ports/action.ts';
import type { NodeFacts, SeenCondition } from './node-facts.ts';
import { NODES } from './plan.ts';
import { timeText } from './record.ts';
import type { Troubles } from './trouble.ts';

/** False while something of a node's gates needs a person; there is none on a node without trouble. */
export const GATE_CONDITION = 'rollcall.dev/Gate';

const MESSAGE_CHARS_MAX = 1000;
/** Other words of the same trouble are written no more often, ms. */
const REWORDED_MS = 30_000;

export interface ConditionPlan {
  readonly action: Action | null;
  /** After how long it is looked at again, ms; null for not. */
  readonly againMs: number | null;
}

interface Wanted {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

function wantedOf({ found }: Troubles): Wanted {
  const [worst] = found;
  if (worst === undefined)
    return { status: 'True', reason: 'GateWell', message: 'No gate of this node is in trouble' };
  const message = found.map(({ reason, text }) => `${reason}: ${text}`).join('; ');
  return { status: 'False', reason: worst.reason, message: excerptOf(message, MESSAGE_CHARS_MAX) };
}

function isSame(known: SeenCondition, { status, reason, message }: Wanted): boolean {
  // The known message may be cut.
  const isWorded = known.message !== '' && message.startsWith(known.message);
  return known.status === status && known.reason === reason && isWorded;
}

function written(node: NodeFacts, wanted: Wanted, nowMs: number): Action {
  const { name, uid, resourceVersion } = node;
  const known = node.conditions.get(GATE_CONDITION);
  const now = timeText(nowMs);
  const isTurned = known?.status !== wanted.status || known.transitionMs === null;
  const since = isTurned ? now : timeText(known.transitionMs);
  const condition = {
    type: GATE_CONDITION,
    ...wanted,
    lastHeartbeatTime: now,
    lastTransitionTime: since,
  };
  return {
    id: `gate/${name}/condition/${resourceVersion}`,
    object: { resource: NODES, namespace: null, name, seen: { uid, resourceVersion } },
    write: {
      verb: 'patch',
      patch: { type: 'strategic', change: { status: { conditions: [condition] } } },
      requires: 'same-version',
      subresource: 'status',
    },
    why: { kind: 'rule', name: wanted.reason, text: wanted.message },
    askedBy: 'gate',
    undo: null,
  };
}

/** The write that makes a node's condition say what is wrong; none on a node that never had trouble. */
export function conditionPlan(node: NodeFacts, troubles: Troubles, nowMs: number): ConditionPlan {
  const known = node.conditions.get(GATE_CONDITION);
  const { againMs } = troubles;
  if (known === undefined && troubles.found.length === 0) return { action: null, againMs };
  const wanted = wantedOf(troubles);
  // It is over when the node is open, not when it begins to dwell.
  if (wanted.status === 'True' && (known === undefined || troubles.isShut))
    return { action: null, againMs };
  if (known !== undefined && isSame(known, wanted)) return { action: null, againMs };
  const isReworded = known?.status === wanted.status && known.reason === wanted.reason;
  const restMs = (known?.heartbeatMs ?? 0) + REWORDED_MS - nowMs;
  if (isReworded && restMs > 0)
    return { action: null, againMs: Math.min(againMs ?? restMs, restMs) };
  return { action: written(node, wanted, nowMs), againMs };
}
