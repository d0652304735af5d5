/** Gives work a signal that SIGTERM, as a Pod is asked to end, and SIGINT abort. */
export async function untilSignal(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  try {
    await work(ending.signal);
  } finally {
    process.removeListener('SIGTERM', end);
    process.removeListener('SIGINT', end);
  }
}
