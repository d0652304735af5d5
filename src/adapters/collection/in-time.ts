/** What is under way may give back what it has before it is left behind, ms. */
const GRACE_MS = 300;

/** The task's end, or soon after the signal its reason: some tasks do not hear signals. */
export async function inTime<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    timer = setTimeout(() => reject(signal.reason as Error), GRACE_MS);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([task, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    clearTimeout(timer);
    task.catch(() => {
      // Its reason is told already.
    });
  }
}
