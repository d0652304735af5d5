import type { Policy, PolicyStatement } from '../../evidence/aws/policy.ts';

/** The statements that allow an action, on whatever resource and condition. */
export function allowing(policy: Policy, action: string): readonly PolicyStatement[] {
  const name = action.toLowerCase();
  return policy.Statement.filter(({ Effect: effect }) => effect === 'Allow').filter(
    ({ Action: actions }) => actions.some((pattern) => isLike(pattern.toLowerCase(), name)),
  );
}

/** True where a statement allows all but some actions, which is not read further. */
export function allowsAllBut(policy: Policy): boolean {
  return policy.Statement.some(
    ({ Effect: effect, hasNotAction }) => effect === 'Allow' && hasNotAction,
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
