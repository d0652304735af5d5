import { isEqual } from '../../../evidence/equal.ts';
import { type Json, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import type { Action, ActionWrite } from '../../../ports/action.ts';
import { NODE_GATES } from '../policies/node-gate.ts';
import { timeText } from '../record.ts';
import { GATE_FINALIZER, type KnownGate } from './gate-object.ts';
import type { GateCounts } from './tally.ts';

export interface GateObjectView {
  readonly gate: KnownGate;
  readonly counts: GateCounts;
  /** What is unusual about the gate beside others and the nodes that there are, whole sentences. */
  readonly warnings: readonly string[];
  /** True while a node carries a taint of a gate that is deleted. */
  readonly isLeft: boolean;
  /** True when counts that changed may be written. */
  readonly isCountDue: boolean;
  /** Wall clock, ms. */
  readonly nowMs: number;
}

const CONTROLLER = 'node-gates';
const MESSAGE_CHARS_MAX = 2_000;

function actionOf(gate: KnownGate, write: ActionWrite, text: string): Action {
  const { name, uid, resourceVersion } = gate;
  return {
    id: `${CONTROLLER}/${name}/${resourceVersion}`,
    object: { resource: NODE_GATES, namespace: null, name, seen: { uid, resourceVersion } },
    write,
    why: { kind: 'rule', name: CONTROLLER, text },
    askedBy: CONTROLLER,
    undo: null,
  };
}

function withFinalizers(gate: KnownGate, finalizers: readonly string[], text: string): Action {
  const patch = { type: 'merge', change: { metadata: { finalizers } } } as const;
  return actionOf(gate, { verb: 'patch', patch, requires: 'same-version' }, text);
}

interface Stated {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** One whose nodes cannot be read shuts none. */
function untilCorrected({ reading }: KnownGate): string {
  return reading.policies.length > 0
    ? 'Its nodes stay shut.'
    : 'It shuts no node, and taints that nodes carry stay.';
}

function followedText({ gate, warnings }: GateObjectView): string {
  const all = [...gate.reading.warnings.map(({ why }) => why), ...warnings];
  return ['It is followed.', ...all].join(' ');
}

/** What its conditions say; all but the first only where they are or were worth a word. */
function statedOf(view: GateObjectView): readonly Stated[] {
  const isKnown = ({ type }: Stated): boolean =>
    listAt(view.gate.status, 'conditions').some(isOfType(type));
  const suspected = suspectedOf(view);
  const unenforced = unenforcedOf(view);
  return [acceptedOf(view), ...[suspected, unenforced].filter((one) => one.isTrue || isKnown(one))];
}

function acceptedOf(view: GateObjectView): Stated {
  const { gate } = view;
  const { refusals } = gate.reading;
  const isAccepted = refusals.length === 0;
  const whys = refusals.map(({ why }) => why).join(' ');
  return {
    type: 'Accepted',
    isTrue: isAccepted,
    reason: isAccepted ? 'Accepted' : 'InvalidSpec',
    message: isAccepted ? followedText(view) : `${untilCorrected(gate)} ${whys}`,
  };
}

function suspectedOf({ counts }: GateObjectView): Stated {
  const isSuspected = counts.suspected > 0;
  return {
    type: 'ProofSuspected',
    isTrue: isSuspected,
    reason: isSuspected ? 'ManyNodesLostIt' : 'FewNodesLostIt',
    message: isSuspected
      ? 'More nodes lost their proofs than may be shut again at once, so none is; look at what proves them.'
      : 'Nodes that lose their proofs are shut again.',
  };
}

function unenforcedOf({ counts }: GateObjectView): Stated {
  const isTrue = counts.notEnforced > 0;
  return {
    type: 'NotEnforced',
    isTrue,
    reason: isTrue ? 'NodesCameWithoutTaint' : 'EveryNodeCameWithTaint',
    message: isTrue
      ? 'Nodes came without the taint and were open until the gate put it; register nodes with it, and look for Pods that came first: rollcall gate slip-ins'
      : 'No node is left that came without the taint.',
  };
}

function isOfType(type: string): (entry: Json) => boolean {
  return (entry) => textAt(entry, 'type') === type;
}

function conditionOf({ type, isTrue, reason, message }: Stated, view: GateObjectView): JsonObject {
  const { gate, nowMs } = view;
  const known = listAt(gate.status, 'conditions').find(isOfType(type));
  const status = isTrue ? 'True' : 'False';
  const isSame = textAt(known, 'status') === status;
  const since = isSame ? textAt(known, 'lastTransitionTime') : null;
  return {
    type,
    status,
    observedGeneration: gate.generation,
    lastTransitionTime: since ?? timeText(nowMs),
    reason,
    message: excerptOf(message, MESSAGE_CHARS_MAX),
  };
}

function statusOf(view: GateObjectView): JsonObject {
  const { selected, held, expired, notEnforced } = view.counts;
  return {
    observedGeneration: view.gate.generation,
    conditions: statedOf(view).map((stated) => conditionOf(stated, view)),
    nodes: { selected, held, expired, notEnforced },
  };
}

function withStatus(view: GateObjectView): Action | null {
  const { gate, isCountDue } = view;
  const next = statusOf(view);
  const { nodes: known = null, ...rest } = gate.status;
  const { nodes, ...others } = next;
  const isSame = isEqual(rest, others);
  if (isSame && (!isCountDue || isEqual(known, nodes ?? null))) return null;
  const patch = { type: 'merge', change: { status: next } } as const;
  const write = { verb: 'patch', patch, requires: 'same-version', subresource: 'status' } as const;
  return actionOf(gate, write, `what NodeGate ${gate.name} found on its nodes`);
}

/** The one write that a NodeGate needs now: its finalizer first, then its status. null for none. */
export function decideGate(view: GateObjectView): Action | null {
  const { gate, isLeft } = view;
  const hasFinalizer = gate.finalizers.includes(GATE_FINALIZER);
  if (gate.isLeaving) {
    if (!hasFinalizer || isLeft) return null;
    const others = gate.finalizers.filter((one) => one !== GATE_FINALIZER);
    return withFinalizers(gate, others, `the taints of NodeGate ${gate.name} are gone`);
  }
  if (hasFinalizer || gate.isDryRun) return withStatus(view);
  const finalizers = [...gate.finalizers, GATE_FINALIZER];
  return withFinalizers(gate, finalizers, `NodeGate ${gate.name} stays until its taints are gone`);
}
