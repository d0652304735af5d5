import type { EventNote, EventSubject } from '../../runtime/events/event-correlator.ts';
import { type Adoption, adoptionText } from './adoption.ts';
import { dueAdoptions } from './plan.ts';
import type { Look, LookedPolicy } from './look.ts';
import type { NodeFacts } from './node-facts.ts';
import { durationText } from './proofs/saying.ts';
import { keyOfPolicy } from './record.ts';

/** What a write did to a node, as its Event and the metrics name it. */
export type GateHappening =
  | 'GateOpened'
  | 'GateNotEnforced'
  | 'GateRestored'
  | 'GateRebooted'
  | 'GateKubeletRestarted'
  | 'GateShutAgain'
  | 'GateAdoptedTaint';

export interface Happened {
  readonly policy: LookedPolicy['policy'];
  readonly what: GateHappening;
  readonly text: string;
}

/** Events of Nodes carry its name where others have the UID, as those of the kubelet do. */
export function subjectOf({ name }: NodeFacts): EventSubject {
  return { apiVersion: 'v1', kind: 'Node', namespace: null, name, uid: name };
}

function nameOf({ policy }: LookedPolicy): string {
  return `${policy.source.kind} ${policy.source.name}`;
}

function taintText({ policy }: LookedPolicy): string {
  return `${policy.taint.key}:${policy.taint.effect}`;
}

function openedText(looked: LookedPolicy): string {
  const { view, why } = looked;
  const held = view.dwellMs === 0 ? '' : `, for ${durationText(view.heldMs)}`;
  return `${nameOf(looked)} opened this node: proven by ${why}${held}`;
}

function putText(looked: LookedPolicy, isKnown: boolean): string {
  const taint = taintText(looked);
  if (isKnown)
    return `${nameOf(looked)} put ${taint} back, which something else removed; missing: ${looked.why}`;
  return (
    `${nameOf(looked)} put ${taint} on a node that was created without it; ` +
    `register nodes with this taint. Missing: ${looked.why}`
  );
}

function shutBy({ reason }: LookedPolicy['decision']): GateHappening {
  if (reason === 'KubeletRestarted') return 'GateKubeletRestarted';
  return reason === 'Rebooted' ? 'GateRebooted' : 'GateShutAgain';
}

function happenedOf(looked: LookedPolicy, isKnown: boolean): Happened | null {
  const { policy, decision, view, why } = looked;
  switch (decision.act) {
    case 'open':
      if (!view.isShut && !view.isShutAgain) return null;
      return { policy, what: 'GateOpened', text: openedText(looked) };
    case 'put-startup': {
      const what = isKnown ? 'GateRestored' : 'GateNotEnforced';
      return { policy, what, text: putText(looked, isKnown) };
    }
    case 'put-regress': {
      return {
        policy,
        what: shutBy(decision),
        text: `${nameOf(looked)} shut this node again: ${why}`,
      };
    }
    default:
      return null;
  }
}

function adopted(adoption: Adoption): Happened {
  const text = adoptionText(adoption);
  return { policy: adoption.policy, what: 'GateAdoptedTaint', text };
}

/** What the write that follows from a look does. */
export function happenedBy({ memory, decided, adoptions }: Look): readonly Happened[] {
  const own = decided
    .filter(({ policy }) => !policy.isDryRun)
    .map((looked) => happenedOf(looked, memory.seenShut.has(keyOfPolicy(looked.policy))))
    .filter((one) => one !== null);
  return [...own, ...dueAdoptions(adoptions).map(adopted)];
}

/** Happenings that nobody has to look at. */
const NORMAL: ReadonlySet<GateHappening> = new Set(['GateOpened', 'GateAdoptedTaint']);

/** One Event for one write, whatever the number of policies; null for nothing to tell. */
export function noteOf(node: NodeFacts, happened: readonly Happened[]): EventNote | null {
  const worst = happened.find(({ what }) => !NORMAL.has(what)) ?? happened[0];
  if (worst === undefined) return null;
  const type = NORMAL.has(worst.what) ? 'Normal' : 'Warning';
  const message = happened.map(({ text }) => text).join('; ');
  return { about: subjectOf(node), type, reason: worst.what, message };
}
