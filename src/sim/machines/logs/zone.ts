import type { Zone } from '../contract.ts';

/** How far local time is ahead of UTC at a moment of the wall clock, minutes. */
export type ZoneMinutes = (atMs: number) => number;

export function minutesAhead({ minutes, change }: Zone, atMs: number): number {
  return change === undefined || atMs < change.atMs ? minutes : change.minutes;
}
