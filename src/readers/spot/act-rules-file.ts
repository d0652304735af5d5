import { type ActRule, actContradictions, DEEDS, TRIGGERS } from '../../capacity/spot/act-rules.ts';
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import { nearest } from '../../evidence/nearest.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { type LinedYaml, parseLinedYaml } from '../text/yaml-lines.ts';
import {
  numberFrom,
  patternsUpTo,
  type RuleFault,
  share,
  type Take,
  type Taken,
} from './rule-values.ts';

export type ActRulesRead =
  | { readonly ok: true; readonly rules: readonly ActRule[] }
  | { readonly ok: false; readonly faults: readonly RuleFault[] };

/** All rules are held against each other, pattern by pattern. */
const RULES_MAX = 20;
const PATTERNS_MAX = 20;
const NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
const ZONE = /^[a-z]{2,5}(?:-[a-z0-9]{1,12}){2,6}[a-z]$/;

function oneOf<T extends string>(values: readonly T[]): Take<T> {
  return (value) => {
    const found = values.find((one) => one === value);
    return found === undefined ? { must: `must be one of ${values.join(', ')}` } : { value: found };
  };
}

const name: Take<string> = (value) =>
  typeof value === 'string' && NAME.test(value)
    ? { value }
    : { must: 'must be up to 40 small letters, digits and dashes' };

const zones: Take<readonly string[]> = (value) => {
  const all = Array.isArray(value) ? (value as readonly Json[]) : null;
  return all !== null &&
    all.length <= 50 &&
    all.every((one) => typeof one === 'string' && ZONE.test(one))
    ? { value: all.map(String) }
    : { must: 'must be a list of zones such as eu-west-1a' };
};

const wholeNumber: Take<number> = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1000
    ? { value }
    : { must: 'must be a whole number from 1 to 1000' };

type Fields = Readonly<Record<string, Take<unknown>>>;

const RULE: Fields = { name, on: oneOf(TRIGGERS), do: oneOf(DEEDS) };
const WHEN: Fields = {
  types: patternsUpTo(PATTERNS_MAX),
  zones,
  above: numberFrom(0.0001, 10_000),
};
const BUDGET: Fields = { perHour: wholeNumber, share };
const PARTS = { when: WHEN, budget: BUDGET } as const;
const RULE_KEYS = [...Object.keys(RULE), ...Object.keys(PARTS)];

/** Collects the faults of one file with their lines. */
interface Reading {
  readonly lineOf: LinedYaml['lineOf'];
  readonly faults: RuleFault[];
}

function fault({ lineOf, faults }: Reading, path: string, why: string): void {
  faults.push({ line: lineOf(path), why });
}

function unknownKey(key: string, keys: readonly string[]): string {
  const close = nearest(key, keys);
  const hint = close === null ? `use ${keys.join(', ')}` : `did you mean ${close}?`;
  return `unknown field ${JSON.stringify(excerptOf(key, 40))}; ${hint}`;
}

/** The fields that are given and right; what is wrong or unknown becomes a fault. */
function taken(
  reading: Reading,
  path: string,
  given: JsonObject,
  fields: Fields,
): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(fields, key)) {
      if (!(fields === RULE && Object.hasOwn(PARTS, key)))
        fault(
          reading,
          `${path}.${key}`,
          unknownKey(key, fields === RULE ? RULE_KEYS : Object.keys(fields)),
        );
      continue;
    }
    const one: Taken<unknown> | undefined = fields[key]?.(value);
    if (one === undefined) continue;
    if ('value' in one) found[key] = one.value;
    else fault(reading, `${path}.${key}`, `${key} ${one.must}`);
  }
  return found;
}

function partOf(
  reading: Reading,
  path: string,
  rule: JsonObject,
  key: keyof typeof PARTS,
): Readonly<Record<string, unknown>> {
  const given = rule[key];
  if (given === undefined) return {};
  if (isObject(given)) return taken(reading, `${path}.${key}`, given, PARTS[key]);
  fault(reading, `${path}.${key}`, `${key} must have ${Object.keys(PARTS[key]).join(', ')}`);
  return {};
}

function ruleOf(reading: Reading, path: string, given: Json): ActRule | null {
  if (!isObject(given)) {
    fault(reading, path, `a rule is a mapping of ${RULE_KEYS.join(', ')}`);
    return null;
  }
  const before = reading.faults.length;
  const own = taken(reading, path, given, RULE);
  const when = partOf(reading, path, given, 'when');
  const budget = partOf(reading, path, given, 'budget');
  const missing = [
    ...Object.keys(RULE).filter((key) => given[key] === undefined),
    ...Object.keys(BUDGET)
      .filter((key) => !Object.hasOwn(budget, key))
      .map((key) => `budget.${key}`),
  ];
  if (reading.faults.length === before && missing.length > 0)
    fault(reading, path, `the rule lacks ${missing.join(', ')}`);
  if (reading.faults.length > before) return null;
  const nothing = { types: [], zones: [], above: null };
  return { ...own, when: { ...nothing, ...when }, budget } as unknown as ActRule;
}

/**
 * Reads a file of rules that act. Every mistake is reported with its line; rules that contradict
 * themselves or each other are refused.
 */
export function readActRules(text: string): ActRulesRead {
  const parsed = parseLinedYaml(text);
  if (!parsed.ok)
    return { ok: false, faults: [{ line: parsed.line, why: excerptOf(parsed.why, 100) }] };
  const { value, lineOf } = parsed;
  const given = isObject(value) && Object.keys(value).length === 1 ? value['rules'] : undefined;
  if (!Array.isArray(given) || given.length === 0 || given.length > RULES_MAX) {
    const why = `a file of rules has one key, rules: a list of 1 to ${RULES_MAX} rules`;
    return { ok: false, faults: [{ line: 1, why }] };
  }
  const reading: Reading = { lineOf, faults: [] };
  const all = (given as readonly Json[]).map((one, at) => ruleOf(reading, `rules.${at}`, one));
  const rules = all.filter((rule) => rule !== null);
  if (rules.length === all.length)
    for (const { at, key, sentence } of actContradictions(rules))
      fault(reading, `rules.${at}.${key}`, sentence);
  const { faults } = reading;
  return faults.length > 0 ? { ok: false, faults } : { ok: true, rules };
}
