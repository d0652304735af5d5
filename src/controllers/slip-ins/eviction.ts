import type { Action, ActionReason, ActionUndo } from '../../ports/action.ts';
import { PODS } from '../gate/daemon-pods.ts';
import { nameOf, type PodFacts } from './pod.ts';
import type { SlipIn } from './slip-in.ts';

const CONTROLLER = 'slip-ins';

/** Who has a Pod replaced, and why. */
export interface EvictionOrder {
  /** Ties the records together, with the name and the UID of the Pod. */
  readonly by: string;
  readonly askedBy: string;
  readonly why: ActionReason;
  readonly undo: ActionUndo | null;
}

/** Replaces a Pod by an Eviction of exactly this one, as budgets allow. */
export function evictionOfPod(pod: PodFacts, { by, askedBy, why, undo }: EvictionOrder): Action {
  const { namespace, name, uid, resourceVersion } = pod;
  return {
    id: `${by}/${nameOf(pod)}/${uid}`,
    object: { resource: PODS, namespace, name, seen: { uid, resourceVersion } },
    // Its status changes all the time; its UID is what was judged.
    write: { verb: 'evict', requires: 'same-object' },
    why,
    askedBy,
    undo,
  };
}

/** The same of one that slipped in, by the controller. */
export function evictionOf({ pod, policy, proof }: SlipIn): Action {
  return evictionOfPod(pod, {
    by: CONTROLLER,
    askedBy: CONTROLLER,
    why: { kind: 'rule', name: policy.source.name, text: proof.says },
    undo: {
      text: 'Its controller makes another Pod; this ends evictions by the gate',
      command: `kubectl patch nodegate ${policy.source.name} --type=merge -p '{"spec":{"slipIns":{"mode":"report"}}}'`,
    },
  });
}

/** Selects Pods that are made like this one. */
export function likeSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
