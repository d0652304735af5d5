import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { PodView } from '../objects/pod.ts';
import type { DaemonLedger } from './daemon-ledger.ts';
import { objectAt } from './daemon-placement.ts';

export function daemonStatus(daemonSet: JsonObject, { total }: DaemonLedger): JsonObject {
  return {
    ...objectAt(daemonSet, 'status'),
    desiredNumberScheduled: total.desired,
    currentNumberScheduled: total.current,
    numberMisscheduled: total.misscheduled,
    numberReady: total.ready,
    numberAvailable: total.ready,
    numberUnavailable: total.desired - total.ready,
    updatedNumberScheduled: total.updated,
    observedGeneration: Number(textAt(daemonSet, 'metadata.generation') ?? 1),
  };
}

export function isSameStatus(object: JsonObject, status: JsonObject): boolean {
  return JSON.stringify(objectAt(object, 'status')) === JSON.stringify(status);
}

/** maxUnavailable of a DaemonSet's rolling update when it says none. */
const UNAVAILABLE_DEFAULT = 1;

/**
 * Pods of an older template that may be deleted now; none with `OnDelete`.
 *
 * @param wanted the pods of each node that the DaemonSet is meant for
 */
export function rolledOut(
  daemonSet: JsonObject,
  hash: string,
  wanted: readonly (readonly PodView[])[],
): readonly PodView[] {
  if (textAt(daemonSet, 'spec.updateStrategy.type') === 'OnDelete') return [];
  const old = wanted.flatMap((pods) =>
    pods.filter((pod) => pod.revision !== hash && !pod.isTerminating),
  );
  const unavailable = wanted.filter((pods) => !pods.some(isUsable)).length;
  const budget = Math.max(0, unavailableMax(daemonSet, wanted.length) - unavailable);
  const broken = old.filter((pod) => !pod.isReady);
  return [...broken, ...old.filter(({ isReady }) => isReady).slice(0, budget)];
}

function isUsable(pod: PodView): boolean {
  return pod.isReady && !pod.isTerminating;
}

function unavailableMax(daemonSet: JsonObject, nodes: number): number {
  const path = 'spec.updateStrategy.rollingUpdate.maxUnavailable';
  const text = textAt(daemonSet, path);
  if (text === null) return UNAVAILABLE_DEFAULT;
  const number = Number.parseInt(text, 10);
  return text.endsWith('%') ? Math.ceil((nodes * number) / 100) : number;
}
