import type { FollowListener, KubeObject, Watch, WatchEvent } from './contract.ts';
import { type KubeKind, tableName } from './kinds.ts';
import type { Core } from './scope.ts';
import type { Change } from './store.ts';

interface Told {
  readonly atMs: number;
  readonly type: Exclude<WatchEvent['type'], 'BOOKMARK' | 'ERROR'>;
  readonly object: KubeObject;
  readonly before: KubeObject | null;
}

/** Tells every change of a kind in order, each some time after it happened. */
export function follow(
  core: Core,
  kind: KubeKind,
  listener: FollowListener,
  delayMs: () => number = () => 0,
): Watch {
  const table = core.store.table(tableName(kind));
  const follower = new Follower(core, listener, delayMs);
  for (const key of table.keys(null))
    follower.tell({ type: 'ADDED', object: table.get(key) as KubeObject, before: null });
  const onChange = (change: Change): void => follower.tell(toldOf(change));
  table.listeners.add(onChange);
  return {
    stop: () => {
      table.listeners.delete(onChange);
      follower.stop();
    },
  };
}

function toldOf({ before, after, shown }: Change): Omit<Told, 'atMs'> {
  if (after === null) return { type: 'DELETED', object: shown, before };
  return { type: before === null ? 'ADDED' : 'MODIFIED', object: shown, before };
}

/** A queue with one planned event: the first that is due. */
class Follower {
  readonly #core: Core;
  readonly #listener: FollowListener;
  readonly #delayMs: () => number;
  #due: Told[] = [];
  #head = 0;
  #isPlanned = false;
  #lastMs = 0;
  #isStopped = false;

  constructor(core: Core, listener: FollowListener, delayMs: () => number) {
    this.#core = core;
    this.#listener = listener;
    this.#delayMs = delayMs;
  }

  tell(told: Omit<Told, 'atMs'>): void {
    // A later change is never heard before an earlier one, however the delays fall.
    this.#lastMs = Math.max(this.#lastMs, this.#core.kernel.nowMs() + this.#delayMs());
    this.#due.push({ ...told, atMs: this.#lastMs });
    this.#plan();
  }

  stop(): void {
    this.#isStopped = true;
    this.#due = [];
  }

  #plan(): void {
    const next = this.#due[this.#head];
    if (this.#isPlanned || next === undefined) return;
    this.#isPlanned = true;
    const { kernel } = this.#core;
    kernel.after(next.atMs - kernel.nowMs(), () => {
      this.#isPlanned = false;
      this.#deliver();
      this.#plan();
    });
  }

  #deliver(): void {
    const nowMs = this.#core.kernel.nowMs();
    for (;;) {
      const next = this.#due[this.#head];
      if (this.#isStopped || next === undefined || next.atMs > nowMs) break;
      this.#head++;
      this.#listener(next.type, next.object, next.before);
    }
    if (this.#head < this.#due.length) return;
    this.#due = [];
    this.#head = 0;
  }
}
