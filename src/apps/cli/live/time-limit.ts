import type { LiveFlags } from './flags.ts';

/** How long evidence is collected unless `--timeout` says otherwise. */
const USUAL_MS = 60_000;

/** How long evidence is collected, as `--timeout` says or as usual. */
export function timeLimitMs({ timeoutMs = USUAL_MS }: LiveFlags): number {
  return timeoutMs;
}
