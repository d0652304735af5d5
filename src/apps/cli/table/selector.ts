/** A selector that cannot be read; the message shows one that can. */
export class SelectorError extends Error {}

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

const SELECTOR_MAX = 4096;
const WHOLE_KEY = /^[A-Za-z0-9][A-Za-z0-9_./:@+-]*$/;
const SET = /^([^\s()!=<>]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const COMPARED = /^([^=!<>\s]+)\s*(==|=|!=|<|>)\s*(.*)$/;

function valueOf(labels: Labels, key: string): string | null {
  return Object.hasOwn(labels, key) ? (labels[key] ?? null) : null;
}

function isInteger(text: string | null): text is string {
  return text !== null && /^-?\d{1,15}$/.test(text);
}

function bad(text: string): never {
  throw new SelectorError(
    `-l cannot read ${JSON.stringify(text.slice(0, 80))}; it takes key=value, key!=value, key, !key, key in (a,b) and key notin (a,b).`,
  );
}

function keyOf(text: string, whole: string): string {
  return WHOLE_KEY.test(text) ? text : bad(whole);
}

function setRequirement(key: string, operator: string, list: string): Requirement {
  const values = new Set(list.split(',').map((value) => value.trim()));
  return (labels) => {
    const value = valueOf(labels, key);
    return operator === 'in' ? value !== null && values.has(value) : !values.has(value ?? '\0');
  };
}

function ordered(key: string, wanted: string, isBelow: boolean): Requirement {
  return (labels) => {
    const value = valueOf(labels, key);
    if (!isInteger(value)) return false;
    return isBelow ? Number(value) < Number(wanted) : Number(value) > Number(wanted);
  };
}

function comparedRequirement(key: string, operator: string, wanted: string): Requirement {
  if (operator === '<' || operator === '>') return ordered(key, wanted, operator === '<');
  if (operator === '!=') return (labels) => valueOf(labels, key) !== wanted;
  return (labels) => valueOf(labels, key) === wanted;
}

function requirementOf(text: string): Requirement {
  const set = SET.exec(text);
  if (set !== null) {
    const [, key = '', operator = '', list = ''] = set;
    return setRequirement(keyOf(key, text), operator, list);
  }
  if (text.startsWith('!')) {
    const key = keyOf(text.slice(1).trim(), text);
    return (labels) => valueOf(labels, key) === null;
  }
  const compared = COMPARED.exec(text);
  if (compared === null) {
    const key = keyOf(text, text);
    return (labels) => valueOf(labels, key) !== null;
  }
  const [, key = '', operator = '', wanted = ''] = compared;
  if (/[<>]/.test(operator) && !isInteger(wanted)) bad(text);
  return comparedRequirement(keyOf(key, text), operator, wanted);
}

/**
 * Reads a selector as kubectl's `-l`: requirements with commas between them, all of which hold.
 * `!=`, `notin` and `!key` also choose what has no such label.
 *
 * @throws SelectorError when a part of it cannot be read
 */
export function parseSelector(text: string): (labels: Labels) => boolean {
  if (text.length > SELECTOR_MAX) bad(text);
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  if (parts.some((part) => part === '')) bad(text);
  const requirements = parts.map(requirementOf);
  return (labels) => requirements.every((holds) => holds(labels));
}
