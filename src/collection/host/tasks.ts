import type { Clock } from '../../ports/clock.ts';
import { type HostItem, isLoss, lossOf } from './document.ts';

/** One part of the collection; it tells its refusals as losses and throws only for a mistake. */
export interface Task {
  readonly what: string;
  readonly run: () => Promise<readonly HostItem[]>;
}

export interface TaskLimits {
  readonly parallel: number;
  readonly limitMs: number;
}

/** Runs the tasks, some at a time, and gives their items in the order of the tasks. */
export async function* runTasks(
  tasks: readonly Task[],
  clock: Clock,
  { parallel, limitMs }: TaskLimits,
): AsyncGenerator<HostItem> {
  const stop = new AbortController();
  const late = clock.sleep(limitMs, stop.signal).then(
    () => null,
    () => null,
  );
  const running = startAll(tasks, parallel, stop.signal);
  try {
    for (const [index, task] of tasks.entries()) {
      const items = await Promise.race([running[index] ?? [], late]);
      yield* items ?? [lossOf(task.what, `${task.what} was not read within ${limitMs / 1000} s.`)];
    }
  } finally {
    stop.abort();
  }
}

/** Starts them in order, each when one before it has ended; none after the stop. */
function startAll(
  tasks: readonly Task[],
  parallel: number,
  stop: AbortSignal,
): readonly Promise<readonly HostItem[]>[] {
  const slots = tasks.map(() => Promise.withResolvers<readonly HostItem[]>());
  // A task that fails after nobody waits for it any more stops nothing.
  for (const { promise } of slots) promise.catch(() => undefined);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < tasks.length && !stop.aborted) {
      const index = next++;
      await tasks[index]?.run().then(slots[index]?.resolve, slots[index]?.reject);
    }
  };
  for (let worker = 0; worker < parallel; worker++) void work();
  return slots.map(({ promise }) => promise);
}

/** Leaves out what was said already: one missing program is one loss, however often it was asked. */
export async function* withoutRepeats(items: AsyncIterable<HostItem>): AsyncGenerator<HostItem> {
  const told = new Set<string>();
  for await (const item of items) {
    if (isLoss(item)) {
      if (told.has(item.loss.what)) continue;
      told.add(item.loss.what);
    }
    yield item;
  }
}
