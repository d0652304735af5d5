import type { Json } from '../../evidence/json.ts';

/** A mistake in a rules file. */
export interface RuleFault {
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

/** A value as a rule has it, or what it must be. */
export type Taken<T> = { readonly value: T } | { readonly must: string; readonly below?: number };
export type Take<T> = (value: Json) => Taken<T>;

const PATTERN = /^[a-z0-9*][a-z0-9*.-]{0,39}$/;

export function patternsUpTo(most: number): Take<readonly string[]> {
  const must = `must be a list of types, families or patterns, such as [t3, "*.metal"], at most ${most}`;
  return (value) => {
    if (!Array.isArray(value) || value.length > most) return { must };
    const all = value as readonly Json[];
    const below = all.findIndex((one) => typeof one !== 'string' || !PATTERN.test(one));
    return below < 0 ? { value: all.map(String) } : { must, below };
  };
}

export function numberFrom(least: number, most: number, unit = ''): Take<number> {
  return (value) =>
    typeof value === 'number' && value >= least && value <= most
      ? { value }
      : { must: `must be a number from ${least} to ${most}${unit}` };
}

/** `25%` or `0.25`. */
export const share: Take<number> = (value) => {
  const percent = typeof value === 'string' ? /^(\d{1,3}(?:\.\d{1,3})?) ?%$/.exec(value) : null;
  const given = percent === null ? value : Number(percent[1]) / 100;
  return typeof given === 'number' && given > 0 && given <= 1
    ? { value: given }
    : { must: 'must be a share above 0, at most 1, such as 0.25 or 25%' };
};
