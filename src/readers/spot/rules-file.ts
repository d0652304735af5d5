import { contradictionOf, DEFAULT_RULES, type SpotRules } from '../../capacity/spot/rules.ts';
import { isObject } from '../../evidence/json.ts';
import { nearest } from '../../evidence/nearest.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { parseLinedYaml } from '../text/yaml-lines.ts';
import {
  numberFrom,
  patternsUpTo,
  type RuleFault,
  share,
  type Take,
  type Taken,
} from './rule-values.ts';

export type RulesRead =
  | { readonly ok: true; readonly rules: SpotRules }
  | { readonly ok: false; readonly faults: readonly RuleFault[] };

const patterns = patternsUpTo(200);

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
