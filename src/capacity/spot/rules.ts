import { percentText } from '../../domain/words.ts';
import { INSTANCE_TYPES } from '../instance-types.generated.ts';
import { instanceTypes } from '../instance-types.ts';

/** What somebody wants to hold of every mix. */
export interface SpotRules {
  /** Types that are never taken: `m5.large`, a family `t3`, or a pattern `*.metal`. */
  readonly never: readonly string[];
  /** Types that may cost somewhat more than others. */
  readonly prefer: readonly string[];
  /** Dollars an hour that the mix may cost at most. */
  readonly budget: number | null;
  /** Largest share of what is wanted that one pool may give, from 0 to 1. */
  readonly maxSharePerPool: number;
  /** The same of a zone and of a family; null: by how many there are to choose from. */
  readonly maxSharePerZone: number | null;
  readonly maxSharePerFamily: number | null;
  /** Zones with a lower placement score are left out, where a score is known. */
  readonly minPlacementScore: number | null;
  /** What it is worth not to lose everything at once, as a share of the cheapest capacity's cost. */
  readonly lossWeight: number;
}

export const DEFAULT_RULES: SpotRules = {
  never: [],
  prefer: [],
  budget: null,
  maxSharePerPool: 0.25,
  maxSharePerZone: null,
  maxSharePerFamily: null,
  minPlacementScore: null,
  lossWeight: 0.2,
};

/** Rules with all shares fixed. */
export type FixedRules = SpotRules & {
  readonly maxSharePerZone: number;
  readonly maxSharePerFamily: number;
};

/** Of what a zone would give if all gave alike, it may give so many times as much. */
const ZONE_SLACK = 1.5;
const FAMILY_SHARE = 0.5;
/** Of fewer families each may give all. */
const FAMILIES_LEAST = 3;

/** Fixes the shares that rules leave open: half for a zone of three, and half for a family. */
export function fixedRules(rules: SpotRules, zones: number, families: number): FixedRules {
  return {
    ...rules,
    maxSharePerZone: rules.maxSharePerZone ?? (zones < 2 ? 1 : ZONE_SLACK / zones),
    maxSharePerFamily: rules.maxSharePerFamily ?? (families < FAMILIES_LEAST ? 1 : FAMILY_SHARE),
  };
}

/** So much cheaper than it is does a preferred type look. */
export const PREFERENCE = 0.1;

/** Whether a pattern means a type; without a dot it means a family. */
export function means(pattern: string, type: string): boolean {
  const whole = pattern.includes('.') ? pattern : `${pattern}.*`;
  return matches(whole, type);
}

/** `*` is any text; in steps that grow with the lengths alone. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}

/** The first pattern that means a type. */
export function meaning(patterns: readonly string[], type: string): string | null {
  return patterns.find((pattern) => means(pattern, type)) ?? null;
}

/** Why two rules cannot both hold, and the key of the later one. */
export interface Contradiction {
  readonly key: keyof SpotRules;
  readonly sentence: string;
}

/** The first rule that another one makes impossible; null when they agree. */
export function contradictionOf(rules: SpotRules): Contradiction | null {
  const { names } = instanceTypes(INSTANCE_TYPES);
  for (const pattern of rules.prefer) {
    const meant = names.filter((name) => means(pattern, name));
    const isBarred = meant.length > 0 && meant.every((name) => meaning(rules.never, name) !== null);
    if (isBarred || rules.never.includes(pattern))
      return { key: 'prefer', sentence: `prefer has ${pattern}, and never excludes all of it` };
  }
  if (rules.never.some((pattern) => /^\*+(?:\.\*+)?$/.test(pattern)))
    return { key: 'never', sentence: 'never excludes every type, so that no mix is possible' };
  for (const key of ['maxSharePerZone', 'maxSharePerFamily'] as const) {
    const share = rules[key] ?? 1;
    if (share < rules.maxSharePerPool && rules.maxSharePerPool !== DEFAULT_RULES.maxSharePerPool)
      return {
        key,
        sentence: `${key} ${percentText(share)} is less than maxSharePerPool ${percentText(rules.maxSharePerPool)}, which could never be reached`,
      };
  }
  return null;
}
