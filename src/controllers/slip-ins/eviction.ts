import type { Action } from '../../ports/action.ts';
import { PODS } from '../gate/daemon-pods.ts';
import { nameOf } from './pod.ts';
import type { SlipIn } from './slip-in.ts';

const CONTROLLER = 'slip-ins';

/** Replaces a Pod by an Eviction of exactly this one, as budgets allow. */
export function evictionOf(slipIn: SlipIn): Action {
  const { pod, policy, proof } = slipIn;
  const { namespace, name, uid, resourceVersion } = pod;
  return {
    id: `${CONTROLLER}/${nameOf(pod)}/${uid}`,
    object: { resource: PODS, namespace, name, seen: { uid, resourceVersion } },
    // Its status changes all the time; its UID is what was judged.
    write: { verb: 'evict', requires: 'same-object' },
    why: { kind: 'rule', name: policy.source.name, text: proof.says },
    askedBy: CONTROLLER,
    undo: {
      text: 'Its controller makes another Pod; this ends evictions by the gate',
      command: `kubectl patch nodegate ${policy.source.name} --type=merge -p '{"spec":{"slipIns":{"mode":"report"}}}'`,
    },
  };
}

/** Selects Pods that are made like this one. */
export function likeSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
