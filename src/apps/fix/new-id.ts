import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';

const CHANCE_DIGITS = 4;

/** A name for a fix: its time and some chance, as `auth-20261128-233012-k3f9`. */
export function newFixId(fix: string): string {
  const stamp = new Date(systemClock.nowMs()).toISOString().replaceAll(/[-:]|\.\d+Z/g, '');
  const chance = Math.floor(systemRandom.next() * 36 ** CHANCE_DIGITS).toString(36);
  return `${fix}-${stamp.replace('T', '-')}-${chance.padStart(CHANCE_DIGITS, '0')}`;
}
