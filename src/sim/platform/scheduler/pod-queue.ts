import type { Actor } from '../running/actor.ts';

/** Waits of kube-scheduler: podInitialBackoffSeconds and podMaxBackoffSeconds. */
export const BACK_OFF_FIRST_MS = 1000;
export const BACK_OFF_MAX_MS = 10_000;
/** podMaxInUnschedulablePodsDuration: then a pod is tried again without any reason. */
export const UNSCHEDULABLE_MAX_MS = 5 * 60_000;
/** How often those are looked for. */
const FLUSH_PERIOD_MS = 30_000;

export function backOffMs(attempts: number): number {
  return Math.min(BACK_OFF_FIRST_MS * 2 ** Math.max(0, attempts - 1), BACK_OFF_MAX_MS);
}

interface Waiting {
  readonly attempts: number;
  readonly failedMs: number;
}

/** Pods that wait for a node, by UID: to be tried now, after a back-off, or when something changes. */
export interface PodQueue {
  /** @param isUrgent of a priority above the others, to be tried before them */
  add(uid: string, isUrgent: boolean): void;
  remove(uid: string): void;
  /** Back to waiting, after an attempt found no node. */
  failed(uid: string): void;
  /** Something changed that may let these pods fit. */
  wake(mayFit: (uid: string) => boolean): void;
  /** Takes the next one to try; undefined when none is. */
  next(): string | undefined;
}

/** @param onReady called when a pod may be tried */
export function createPodQueue(actor: Actor, onReady: () => void): PodQueue {
  const active = new Set<string>();
  const urgent = new Set<string>();
  const urgentUids = new Set<string>();
  const unschedulable = new Map<string, Waiting>();
  const attempts = new Map<string, number>();
  const activate = (uid: string): void => {
    unschedulable.delete(uid);
    (urgentUids.has(uid) ? urgent : active).add(uid);
    onReady();
  };
  const wakeOne = (uid: string, waiting: Waiting): void => {
    const dueMs = waiting.failedMs + backOffMs(waiting.attempts) - actor.kernel.nowMs();
    unschedulable.delete(uid);
    if (dueMs <= 0) activate(uid);
    else actor.after(dueMs, () => attempts.has(uid) && activate(uid));
  };
  actor.every(FLUSH_PERIOD_MS, () => {
    const oldestMs = actor.kernel.nowMs() - UNSCHEDULABLE_MAX_MS;
    for (const [uid, waiting] of unschedulable)
      if (waiting.failedMs < oldestMs) wakeOne(uid, waiting);
  });
  return {
    add: (uid, isUrgent) => {
      if (attempts.has(uid)) return;
      if (isUrgent) urgentUids.add(uid);
      attempts.set(uid, 0);
      activate(uid);
    },
    remove: (uid) => {
      for (const uids of [active, urgent, urgentUids]) uids.delete(uid);
      unschedulable.delete(uid);
      attempts.delete(uid);
    },
    failed: (uid) => {
      const tried = (attempts.get(uid) ?? 0) + 1;
      attempts.set(uid, tried);
      unschedulable.set(uid, { attempts: tried, failedMs: actor.kernel.nowMs() });
    },
    wake: (mayFit) => {
      for (const [uid, waiting] of unschedulable) if (mayFit(uid)) wakeOne(uid, waiting);
    },
    next: () => {
      const from = urgent.size > 0 ? urgent : active;
      for (const uid of from) {
        from.delete(uid);
        return uid;
      }
      return undefined;
    },
  };
}
