/** Resolves once a signal is aborted. */
export async function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}

/** True when the error only says that the signal was aborted, in the signal's words or the platform's. */
export function isAbortOf(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted) return false;
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}

/** Ends with the sleep or with the signal, whichever comes first. */
export async function sleptOrAborted(sleep: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await sleep;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
