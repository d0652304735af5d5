/** `2026-11-22T08:30:00Z`, as metav1.Time prints. */
export function timestamp(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

/** `2026-11-22T08:30:00.123000Z`, as metav1.MicroTime prints. */
export function microTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 23)}000Z`;
}

/** Milliseconds since the epoch; null for anything that is no such stamp. */
export function parsedMs(stamp: string | null | undefined): number | null {
  if (stamp === null || stamp === undefined) return null;
  const ms = Date.parse(stamp);
  return Number.isNaN(ms) ? null : ms;
}
