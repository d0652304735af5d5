import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { PodView } from '../objects/pod.ts';
import { parsedMs } from '../objects/stamp.ts';

/** What a PodDisruptionBudget's status says. */
export interface BudgetStatus {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptionsAllowed: number;
}

/** How long an eviction that was allowed and not seen happen counts (DeletionTimeout). */
export const EVICTION_TIMEOUT_MS = 2 * 60_000;

/**
 * @param pods those that the budget selects
 * @param replicas of all that look after them, as they ask for them
 * @param disrupted pods whose eviction was allowed and is not over, with the moment
 */
export function budgetStatus(
  budget: JsonObject,
  pods: readonly PodView[],
  replicas: number,
  disrupted: ReadonlyMap<string, number>,
): BudgetStatus {
  const minAvailable = textAt(budget, 'spec.minAvailable');
  const isByCount = minAvailable !== null && !minAvailable.endsWith('%');
  const expectedPods = isByCount ? pods.length : replicas;
  const desiredHealthy =
    minAvailable === null
      ? Math.max(
          0,
          expectedPods - share(textAt(budget, 'spec.maxUnavailable') ?? '1', expectedPods),
        )
      : share(minAvailable, expectedPods);
  const currentHealthy = pods.filter(
    (pod) => pod.isReady && !pod.isTerminating && !disrupted.has(pod.name),
  ).length;
  const spare = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed: spare };
}

/** Percentages are rounded up, on both sides. */
function share(text: string, of: number): number {
  const number = Number.parseInt(text, 10);
  return text.endsWith('%') ? Math.ceil((of * number) / 100) : number;
}

/** Of `status.disruptedPods`, what is still to happen. */
export function stillDisrupted(
  entries: Readonly<Record<string, string>>,
  pods: readonly PodView[],
  nowMs: number,
): ReadonlyMap<string, number> {
  const left = new Map<string, number>();
  for (const [name, stamp] of Object.entries(entries)) {
    const pod = pods.find((one) => one.name === name);
    const sinceMs = parsedMs(stamp) ?? 0;
    if (pod !== undefined && !pod.isTerminating && nowMs < sinceMs + EVICTION_TIMEOUT_MS)
      left.set(name, sinceMs);
  }
  return left;
}
