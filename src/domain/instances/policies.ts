import { at, isObject, type Json, listAt, textAt } from '../../evidence/json.ts';

/** Longer than any that IAM takes: a managed policy has 6,144 characters, a trust policy 4,096. */
const POLICY_CHARACTERS_MAX = 20_000;

/**
 * A policy as IAM's API gives it (percent-encoded text) or as the command line prints it (an
 * object); null when it is neither.
 */
export function policyDocument(given: Json | undefined): Json | null {
  if (typeof given !== 'string') return isObject(given) ? given : null;
  if (given.length > POLICY_CHARACTERS_MAX) return null;
  try {
    return JSON.parse(given.startsWith('%') ? decodeURIComponent(given) : given) as Json;
  } catch {
    return null;
  }
}

/** The texts at a path, where policies may write one text or a list of them. */
export function manyAt(value: Json, path: string): readonly string[] {
  const one = textAt(value, path);
  return one === null ? listAt(value, path).map(String) : [one];
}

export function statementsOf(policy: Json): readonly Json[] {
  const one = at(policy, 'Statement');
  return isObject(one) ? [one] : listAt(policy, 'Statement');
}

/** The statements that allow an action, on whatever resource and condition. */
export function allowing(policy: Json, action: string): readonly Json[] {
  const name = action.toLowerCase();
  return statementsOf(policy)
    .filter((statement) => textAt(statement, 'Effect') === 'Allow')
    .filter((statement) =>
      manyAt(statement, 'Action').some((pattern) => isLike(pattern.toLowerCase(), name)),
    );
}

/** True where a statement allows all but some actions, which is not read further. */
export function allowsAllBut(policy: Json): boolean {
  return statementsOf(policy).some(
    (statement) =>
      textAt(statement, 'Effect') === 'Allow' && at(statement, 'NotAction') !== undefined,
  );
}

/** IAM's wildcards: `*` for any text, `?` for one sign; walked greedily, so linear in practice. */
export function isLike(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  let from = 0;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const place = isLast && index > 0 ? text.length - part.length : indexLike(text, part, from);
    if (place < from || !matchesAt(text, part, place) || (index === 0 && place !== 0)) return false;
    from = place + part.length;
  }
  return parts.length > 1 || from === text.length;
}

function indexLike(text: string, part: string, from: number): number {
  for (let index = from; index + part.length <= text.length; index++)
    if (matchesAt(text, part, index)) return index;
  return -1;
}

function matchesAt(text: string, part: string, from: number): boolean {
  if (from < 0 || from + part.length > text.length) return false;
  return part.split('').every((sign, index) => sign === '?' || sign === text[from + index]);
}
