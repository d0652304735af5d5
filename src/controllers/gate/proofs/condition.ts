import { KUBELET_CONDITION } from '../../../domain/nodes/kubelet-run.ts';
import type { SeenCondition } from '../node-facts.ts';
import type { Proof } from '../policy.ts';
import { durationText, type Saying, type Scene, unknown, unproven } from './saying.ts';

type ConditionProof = Extract<Proof, { kind: 'condition' }>;

/** Why a condition says nothing about now; null when it does. */
function whyOld({ heartbeatMs }: SeenCondition, scene: Scene): string | null {
  const { freshnessMs, nowMs, bootFloorMs } = scene;
  if (bootFloorMs !== null && (heartbeatMs === null || heartbeatMs <= bootFloorMs))
    return 'was not confirmed since the node booted';
  if (freshnessMs === null) return null;
  if (heartbeatMs === null) return 'does not say when it was last confirmed';
  const ageMs = nowMs - heartbeatMs;
  return ageMs > freshnessMs ? `was last confirmed ${durationText(ageMs)} ago` : null;
}

function sayMissing({ type, status, whenMissing }: ConditionProof): Saying {
  if (whenMissing === null) return unknown(`condition ${type} does not exist`);
  if (whenMissing !== status)
    return unproven(`condition ${type} does not exist and counts as ${whenMissing}`);
  const by = `condition ${type} does not exist and counts as ${whenMissing}`;
  return { state: 'proven', sinceMs: null, hold: 'missing', by };
}

/** Proven by a condition of the Node with the status that is asked for. */
export function sayCondition(proof: ConditionProof, scene: Scene): Saying {
  const { type, status } = proof;
  const found = scene.node.conditions.get(type);
  if (found === undefined) return sayMissing(proof);
  const old = whyOld(found, scene);
  if (old !== null) return unknown(`condition ${type} ${old}`);
  const is = `condition ${type} is ${found.status}`;
  if (found.status !== status) {
    const words = [found.reason, found.message].filter((word) => word !== '').join(': ');
    return unproven(words === '' ? is : `${is} (${words})`);
  }
  const { transitionMs, reason } = found;
  // Another run of the kubelet has the same status, and what was seen of the one before has ended.
  const run = type === KUBELET_CONDITION ? ` ${reason}` : '';
  const hold = `${status} ${transitionMs}${run}`;
  return { state: 'proven', sinceMs: transitionMs, hold, by: is };
}
