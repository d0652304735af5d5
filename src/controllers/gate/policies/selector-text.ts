import type { LabelRequirement } from '../policy.ts';
import { whyNoKey, whyNoValue } from './names.ts';

export type SelectorReading =
  | { readonly ok: true; readonly requirements: readonly LabelRequirement[] }
  /** What is wrong, one clause. */
  | { readonly ok: false; readonly why: string };

const SET = /^(?<key>[^\s!=,()]+)\s+(?<operator>in|notin)\s*\((?<values>[^()]*)\)$/;
const EQUALITY = /^(?<key>[^\s!=,()]+)\s*(?<operator>==|=|!=)\s*(?<value>[^\s!=,()]*)$/;
const EXISTENCE = /^(?<not>!?)\s*(?<key>[^\s!=,()]+)$/;
const CHARS_MAX = 4096;
const REQUIREMENTS_MAX = 64;

function ofSet(text: string): LabelRequirement | null {
  const groups = SET.exec(text)?.groups;
  if (groups === undefined) return null;
  const values = (groups['values'] ?? '').split(',').map((value) => value.trim());
  const operator = groups['operator'] === 'in' ? 'In' : 'NotIn';
  return { key: groups['key'] ?? '', operator, values };
}

function ofEquality(text: string): LabelRequirement | null {
  const groups = EQUALITY.exec(text)?.groups;
  if (groups === undefined) return null;
  const operator = groups['operator'] === '!=' ? 'NotIn' : 'In';
  return { key: groups['key'] ?? '', operator, values: [groups['value'] ?? ''] };
}

function ofExistence(text: string): LabelRequirement | null {
  const groups = EXISTENCE.exec(text)?.groups;
  if (groups === undefined) return null;
  const operator = groups['not'] === '!' ? 'DoesNotExist' : 'Exists';
  return { key: groups['key'] ?? '', operator };
}

/** A requirement, or what is wrong with it. */
function readOne(text: string): LabelRequirement | string {
  const found = ofSet(text) ?? ofEquality(text) ?? ofExistence(text);
  if (found === null) return `"${text}" is not a label selector`;
  const key = whyNoKey(found.key);
  if (key !== null) return `label "${found.key}" ${key}`;
  const bad =
    'values' in found ? found.values.find((value) => whyNoValue(value) !== null) : undefined;
  return bad === undefined ? found : `value "${bad}" ${whyNoValue(bad)}`;
}

/** Reads the text form of a label selector (apimachinery `labels.Parse`): `a=b, c in (d,e), !f`. */
export function readSelectorText(text: string): SelectorReading {
  if (text.length > CHARS_MAX)
    return { ok: false, why: `it is longer than ${CHARS_MAX} characters` };
  const parts = text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length > REQUIREMENTS_MAX)
    return { ok: false, why: `it has more than ${REQUIREMENTS_MAX} requirements` };
  const read = parts.map(readOne);
  const why = read.find((one) => typeof one === 'string');
  if (why !== undefined) return { ok: false, why };
  return { ok: true, requirements: read.filter((one) => typeof one !== 'string') };
}

function textOf(requirement: LabelRequirement): string {
  const { key } = requirement;
  if (!('values' in requirement)) return requirement.operator === 'Exists' ? key : `!${key}`;
  const operator = requirement.operator === 'In' ? 'in' : 'notin';
  return `${key} ${operator} (${requirement.values.join(',')})`;
}

/** As `kubectl get nodes --selector` takes it; empty for every node. */
export function selectorText(requirements: readonly LabelRequirement[]): string {
  return requirements.map(textOf).join(',');
}
