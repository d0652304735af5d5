import type { PodSpec, PodView } from '../objects/pod.ts';

/**
 * What pods were told that fit on no node, as long as nodes and placements stay as they are: the
 * pods of a workload are alike, and wait by hundreds.
 */
export class Misfits {
  readonly #messages = new Map<string, string>();
  #changes = -1;

  /** @param changes of the scheduler's cache; null when the pod has to be tried */
  messageFor(pod: PodView, changes: number): string | null {
    return changes === this.#changes ? (this.#messages.get(wishesOf(pod.spec)) ?? null) : null;
  }

  add(pod: PodView, changes: number, message: string): void {
    // Where volumes may be attached changes by itself.
    if (pod.spec.claims.length > 0) return;
    if (changes !== this.#changes) this.#messages.clear();
    this.#changes = changes;
    this.#messages.set(wishesOf(pod.spec), message);
  }
}

const WISHES = new WeakMap<PodSpec, string>();

/** All that the filters look at in a pod without volumes. */
function wishesOf(spec: PodSpec): string {
  const known = WISHES.get(spec);
  if (known !== undefined) return known;
  const { tolerations, requests, nodeSelector, nodeTerms, pinnedTo, hostPorts, claims } = spec;
  const all = [tolerations, [...requests], nodeSelector, nodeTerms, pinnedTo, hostPorts, claims];
  const wishes = JSON.stringify(all);
  WISHES.set(spec, wishes);
  return wishes;
}
