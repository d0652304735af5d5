/** Runs all until the signal ends them. @throws what ends one of them, once the others have ended */
export async function together(
  parts: readonly ((stop: AbortSignal) => Promise<void>)[],
  stop: AbortSignal,
): Promise<void> {
  const ending = new AbortController();
  const either = AbortSignal.any([stop, ending.signal]);
  const running = parts.map((part) => part(either));
  try {
    await Promise.all(running);
  } finally {
    ending.abort();
    await Promise.allSettled(running);
  }
}
