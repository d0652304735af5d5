import { isObject, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { timestamp } from '../objects/stamp.ts';

/** How far a Deployment has come, in numbers of pods. */
export interface Rollout {
  readonly desired: number;
  /** How many may be away during a rolling update. */
  readonly unavailable: number;
  readonly available: number;
  readonly all: number;
  readonly updated: number;
  /** The ReplicaSet of the present template; null before it is made. */
  readonly replicaSet: string | null;
}

type Words = Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>;

/** Reasons and messages of the deployment controller (pkg/controller/deployment/util). */
function availability({ available, desired, unavailable }: Rollout): Words {
  const type = 'Available';
  return available >= desired - unavailable
    ? {
        type,
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type,
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

function progress({ available, all, desired, replicaSet, updated }: Rollout): Words | null {
  if (replicaSet === null) return null;
  const isComplete = updated === desired && all === desired && available === desired;
  return {
    type: 'Progressing',
    status: 'True',
    reason: isComplete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
    message: `ReplicaSet ${JSON.stringify(replicaSet)} ${isComplete ? 'has successfully progressed' : 'is progressing'}.`,
  };
}

/** The same as before keeps its times; another status, unlike other words, is a transition. */
function dated(words: Words, before: readonly JsonObject[], now: string): JsonObject {
  const known = before.find((one) => one['type'] === words.type);
  const isSame = known?.['status'] === words.status && known['reason'] === words.reason;
  if (isSame && known['message'] === words.message) return known;
  const changed = known?.['status'] === words.status ? textAt(known, 'lastTransitionTime') : null;
  return { ...words, lastUpdateTime: now, lastTransitionTime: changed ?? now };
}

/** The conditions of a Deployment, without the deadline of its progress. */
export function deploymentConditions(
  status: JsonObject,
  rollout: Rollout,
  nowMs: number,
): readonly JsonObject[] {
  const before = listAt(status, 'conditions').filter(isObject);
  return [progress(rollout), availability(rollout)]
    .filter((words) => words !== null)
    .map((words) => dated(words, before, timestamp(nowMs)));
}
