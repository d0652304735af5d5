import type { InputLoss, Shortened } from '../evidence/observations.ts';
import { MATCH_CHARACTERS_MAX } from './quotes.ts';

/** Counts what is left out so that no input costs without end, and tells it in one line. */
export interface Shortening {
  readonly count: (what: string, times?: number) => void;
  /** @param others what was left out before the evidence was read */
  readonly told: (others: readonly Shortened[]) => readonly InputLoss[];
}

/** `30,000` */
export function shownCount(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

export const LONG_LINES = `lines beyond their first ${shownCount(MATCH_CHARACTERS_MAX)} characters`;

export function createShortening(): Shortening {
  const counts = new Map<string, number>();
  return {
    count: (what, times = 1) => counts.set(what, (counts.get(what) ?? 0) + times),
    told(others) {
      const all = new Map(counts);
      for (const { what, count } of others) all.set(what, (all.get(what) ?? 0) + count);
      const words = [...all]
        .filter(([, count]) => count > 0)
        .map(([what, count]) => `${shownCount(count)} ${what}`);
      if (words.length === 0) return [];
      return [{ locator: 'limits', what: `Left out for safety: ${words.join(', ')}.` }];
    },
  };
}
