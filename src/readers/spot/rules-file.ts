import { contradictionOf, DEFAULT_RULES, type SpotRules } from '../../capacity/spot/rules.ts';
import { isObject, type Json } from '../../evidence/json.ts';
import { nearest } from '../../evidence/nearest.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { parseLinedYaml } from '../text/yaml-lines.ts';

/** A mistake in a rules file. */
export interface RuleFault {
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

export type RulesRead =
  | { readonly ok: true; readonly rules: SpotRules }
  | { readonly ok: false; readonly faults: readonly RuleFault[] };

/** A value as a rule has it, or what it must be. */
type Taken<T> = { readonly value: T } | { readonly must: string; readonly below?: number };
type Take<T> = (value: Json) => Taken<T>;

const PATTERN = /^[a-z0-9*][a-z0-9*.-]{0,39}$/;
const PATTERNS_MAX = 200;

const patterns: Take<readonly string[]> = (value) => {
  const must = `must be a list of types, families or patterns, such as [t3, "*.metal"], at most ${PATTERNS_MAX}`;
  if (!Array.isArray(value) || value.length > PATTERNS_MAX) return { must };
  const all = value as readonly Json[];
  const below = all.findIndex((one) => typeof one !== 'string' || !PATTERN.test(one));
  return below < 0 ? { value: all.map(String) } : { must, below };
};

function numberFrom(least: number, most: number, unit = ''): Take<number> {
  return (value) =>
    typeof value === 'number' && value >= least && value <= most
      ? { value }
      : { must: `must be a number from ${least} to ${most}${unit}` };
}

/** `25%` or `0.25`. */
const share: Take<number> = (value) => {
  const percent = typeof value === 'string' ? /^(\d{1,3}(?:\.\d{1,3})?) ?%$/.exec(value) : null;
  const given = percent === null ? value : Number(percent[1]) / 100;
  return typeof given === 'number' && given > 0 && given <= 1
    ? { value: given }
    : { must: 'must be a share above 0, at most 1, such as 0.25 or 25%' };
};

const TAKES: { readonly [Key in keyof SpotRules]: Take<NonNullable<SpotRules[Key]>> } = {
  never: patterns,
  prefer: patterns,
  budget: numberFrom(0.0001, 1_000_000, ' dollars an hour'),
  maxSharePerPool: share,
  maxSharePerZone: share,
  maxSharePerFamily: share,
  minPlacementScore: numberFrom(1, 10),
  lossWeight: numberFrom(0, 10),
};
const KEYS = Object.keys(TAKES) as (keyof SpotRules)[];

function unknownKey(key: string): string {
  const close = nearest(key, KEYS);
  const hint = close === null ? `use ${KEYS.join(', ')}` : `did you mean ${close}?`;
  return `unknown rule ${JSON.stringify(excerptOf(key, 40))}; ${hint}`;
}

/** A line without content. */
const NOTHING = /^\s*(?:#|$)/;

/**
 * Reads a rules file. Every mistake is reported with its line and key; rules that contradict each
 * other are refused.
 */
export function readSpotRules(text: string): RulesRead {
  if (text.split('\n').every((line) => NOTHING.test(line)))
    return { ok: true, rules: DEFAULT_RULES };
  const parsed = parseLinedYaml(text);
  if (!parsed.ok)
    return { ok: false, faults: [{ line: parsed.line, why: excerptOf(parsed.why, 100) }] };
  const { value, lineOf } = parsed;
  if (value === null) return { ok: true, rules: DEFAULT_RULES };
  if (!isObject(value))
    return {
      ok: false,
      faults: [{ line: 1, why: `a rules file is a mapping of ${KEYS.join(', ')}` }],
    };
  const faults: RuleFault[] = [];
  const rules: Record<string, unknown> = { ...DEFAULT_RULES };
  for (const [key, given] of Object.entries(value)) {
    if (!Object.hasOwn(TAKES, key)) {
      faults.push({ line: lineOf(key), why: unknownKey(key) });
      continue;
    }
    const taken: Taken<unknown> = TAKES[key as keyof SpotRules](given);
    if ('value' in taken) rules[key] = taken.value;
    else {
      const path = taken.below === undefined ? key : `${key}.${taken.below}`;
      faults.push({ line: lineOf(path), why: `${key} ${taken.must}` });
    }
  }
  if (faults.length > 0) return { ok: false, faults };
  const read = rules as unknown as SpotRules;
  const against = contradictionOf(read);
  if (against === null) return { ok: true, rules: read };
  return { ok: false, faults: [{ line: lineOf(against.key), why: against.sentence }] };
}
