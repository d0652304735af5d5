/** Pages by the tokens which the services give. */
import type { Json, JsonObject } from '../../evidence/json.ts';
import { PAGE_MEMBERS, type Paging } from './calls.ts';

/** Lists that choose objects by name; EC2 refuses a page size beside them. */
const CHOOSES = /(?:Ids|Names|InstanceTypes|Versions)$/;

/** @returns the input of the first page, of the largest size that the service takes */
export function firstInput(input: JsonObject, paging: Paging | null): JsonObject {
  const limit = paging?.limit ?? null;
  if (limit === null || Object.hasOwn(input, limit.member)) return input;
  if (Object.keys(input).some((member) => CHOOSES.test(member))) return input;
  return { ...input, [limit.member]: limit.max };
}

/** @returns the members which ask for the page after this one, null after the last */
export function nextTokens(answer: JsonObject, paging: Paging | null): JsonObject | null {
  if (paging === null) return null;
  const tokens = Object.entries(paging.tokens).flatMap(([member, from]): [string, Json][] => {
    const token = answer[from];
    return typeof token === 'string' && token !== '' ? [[member, token]] : [];
  });
  return tokens.length === 0 ? null : Object.fromEntries(tokens);
}

/** @returns the page without the members that only lead to the next one */
export function withoutPaging(answer: JsonObject, paging: Paging | null): JsonObject {
  if (paging === null) return answer;
  const members = new Set([...Object.values(paging.tokens), ...Object.keys(paging.tokens)]);
  return Object.fromEntries(
    Object.entries(answer).filter(([name]) => !members.has(name) && !PAGE_MEMBERS.includes(name)),
  );
}
