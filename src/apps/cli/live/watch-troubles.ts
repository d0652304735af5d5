import type { FeedHealth } from '../../../collection/resident/feeds.ts';
import type { PortFailure } from '../../../ports/port-error.ts';
import type { ReflectorState } from '../../../runtime/reflector/reflector-options.ts';

/** A watch of which one cannot rely on being told what changes. */
export interface WatchTrouble {
  /** `Node`, `Pod`. */
  readonly kind: string;
  readonly phase: ReflectorState['phase'];
  /** How old what is known is, ms; null when nothing was ever read. */
  readonly staleMs: number | null;
  readonly failure: PortFailure | null;
}

/** True for a list that is not watched: the identity may not, or watches bring nothing. */
function isUnwatched(phase: ReflectorState['phase']): boolean {
  return phase === 'denied' || phase === 'polling';
}

/** A quiet watch is confirmed about every 4 s, and a busy machine takes its time over that. */
export const STALE_MS = 8000;

/** What is wrong with the lists that a resident follows. */
export function troublesIn(lists: readonly FeedHealth[]): readonly WatchTrouble[] {
  return lists.flatMap(({ kind, phase, isOptional, isSynced, staleMs, failure }) => {
    const isRefused = isUnwatched(phase) || phase === 'unauthenticated';
    // A kind that was never read may be one that the cluster has not.
    const isAbsent = isOptional && !isSynced;
    if (isAbsent || (!isRefused && staleMs < STALE_MS)) return [];
    return [{ kind, phase, staleMs: isSynced ? staleMs : null, failure }];
  });
}
