import type { Refusal } from '../evidence/observations.ts';

/** Ages below this are not read closely; answers tell whole seconds and were on their way. */
const SKEW_MS_MAX = 60_000;

/**
 * What a clock that disagrees with the API server's makes wrong; nothing where it agrees.
 *
 * @param skewMs how far the clock here is ahead; null when no answer told its Date
 */
export function skewOf(skewMs: number | null): readonly Refusal[] {
  if (skewMs === null || Math.abs(skewMs) <= SKEW_MS_MAX) return [];
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  return [
    {
      call: 'clock',
      failure: 'not-configured',
      message:
        `The clock here is ${minutes} min ${side} the API server's, so ages are off by as much; ` +
        'set it: sudo timedatectl set-ntp true',
      permission: null,
    },
  ];
}
