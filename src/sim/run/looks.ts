import { randomStream } from '../kernel/random.ts';
import type { Swarm } from '../swarm/swarm.ts';

const MINUTE_MS = 60_000;
/** Between two looks in the chaos, on average. */
const EVERY_MS = 12 * MINUTE_MS;
/** Before the last look, so that two of them see the same calm. */
const CALM_PAUSE_MS = 2 * MINUTE_MS;

/** Moments after the beginning at which Rollcall looks, ms: some in the chaos, two in the calm. */
export function planLooks({ seed, chaosMs, wholeMs }: Swarm): readonly number[] {
  const random = randomStream(seed, 'looks');
  const looks: number[] = [];
  for (
    let atMs = random.exponential(EVERY_MS);
    atMs < chaosMs;
    atMs += random.exponential(EVERY_MS)
  )
    looks.push(Math.round(atMs));
  return [...looks, Math.max(chaosMs, wholeMs - CALM_PAUSE_MS), wholeMs];
}
