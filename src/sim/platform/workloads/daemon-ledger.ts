import type { PodView } from '../objects/pod.ts';
import type { Placement } from './daemon-placement.ts';

/** What one node adds to the status of a DaemonSet. */
interface Share {
  readonly desired: number;
  readonly current: number;
  readonly ready: number;
  readonly updated: number;
  readonly misscheduled: number;
  /** Pods of an older template that are not on their way out. */
  readonly outdated: number;
}

const NOTHING: Share = {
  desired: 0,
  current: 0,
  ready: 0,
  updated: 0,
  misscheduled: 0,
  outdated: 0,
};

export function shareOf({ shouldRun }: Placement, pods: readonly PodView[], hash: string): Share {
  const [first] = pods;
  if (!shouldRun) return { ...NOTHING, misscheduled: first === undefined ? 0 : 1 };
  let outdated = 0;
  for (const pod of pods) if (pod.revision !== hash && !pod.isTerminating) outdated++;
  return {
    desired: 1,
    current: first === undefined ? 0 : 1,
    ready: first?.isReady === true ? 1 : 0,
    updated: first?.revision === hash ? 1 : 0,
    misscheduled: 0,
    outdated,
  };
}

/** The sums over all nodes for one DaemonSet; only nodes at which something happened are looked at. */
export class DaemonLedger {
  readonly #shares = new Map<string, Share>();
  /** Nodes at which something happened since the last look. */
  readonly #touched = new Set<string>();
  /** Nodes that were looked at and not yet acted upon. */
  readonly #unsettled = new Set<string>();
  #total: Share = NOTHING;
  /** Of the template that the shares were counted for. */
  hash = '';

  get total(): Share {
    return this.#total;
  }

  touch(nodeName: string): void {
    this.#touched.add(nodeName);
  }

  /** Looks at each touched node. @param shareAt null for a node that is gone */
  refresh(shareAt: (nodeName: string) => Share | null): void {
    for (const name of this.#touched) {
      const share = shareAt(name);
      this.#total = combined(this.#total, this.#shares.get(name) ?? NOTHING, -1);
      this.#total = combined(this.#total, share ?? NOTHING, 1);
      if (share === null) this.#shares.delete(name);
      else this.#shares.set(name, share);
      this.#unsettled.add(name);
    }
    this.#touched.clear();
  }

  /** The nodes that wait for an action; they are settled by this. */
  takeUnsettled(): readonly string[] {
    const names = [...this.#unsettled];
    this.#unsettled.clear();
    return names;
  }
}

function combined(one: Share, other: Share, sign: 1 | -1): Share {
  return {
    desired: one.desired + sign * other.desired,
    current: one.current + sign * other.current,
    ready: one.ready + sign * other.ready,
    updated: one.updated + sign * other.updated,
    misscheduled: one.misscheduled + sign * other.misscheduled,
    outdated: one.outdated + sign * other.outdated,
  };
}
