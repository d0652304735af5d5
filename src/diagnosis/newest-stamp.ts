import type { KubeNode } from '../evidence/kinds.ts';
import type { Pod } from '../evidence/kube/pod.ts';
import { isoMs } from '../evidence/time.ts';
import type { FactRecord, Observations } from '../evidence/observations.ts';
import { readyChangedMs, runningSinceMs } from '../domain/pods/pods.ts';

type Stamped = Pick<Observations, 'hits' | 'facts'>;

/** Asked for many subjects of the same evidence. */
const NEWEST = new WeakMap<Stamped['facts'], WeakMap<Stamped['hits'], number>>();

function stampsOf({ kind, value }: FactRecord): readonly (number | null)[] {
  if (kind === 'kube/Node')
    return (value as KubeNode).conditions.flatMap(({ changedMs, heartbeatMs }) => [
      changedMs,
      heartbeatMs,
    ]);
  if (kind !== 'kube/Pod') return [];
  const pod = value as Pod;
  return [isoMs(pod.status?.startTime), readyChangedMs(pod), runningSinceMs(pod)];
}

function newestOf({ hits, facts }: Stamped): number {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { last } of hits) {
    const { when } = last.moment;
    if (when !== null && !when.yearless && when.clock === 'utc') newest = Math.max(newest, when.ms);
  }
  for (const fact of facts)
    for (const stamp of stampsOf(fact)) newest = Math.max(newest, stamp ?? newest);
  return newest;
}

/** The newest moment that anything in the evidence names, ms since the epoch; -Infinity without. */
export function newestStampMs({ hits, facts }: Stamped): number {
  const beside = NEWEST.get(facts) ?? new WeakMap<Stamped['hits'], number>();
  const newest = beside.get(hits) ?? newestOf({ hits, facts });
  NEWEST.set(facts, beside.set(hits, newest));
  return newest;
}
