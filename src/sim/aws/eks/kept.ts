/** Objects of EKS as they are kept, and how it misses them. */
import type { JsonObject } from '../../../evidence/json.ts';
import type { PlainKind } from '../account.ts';
import type { Request } from '../operation.ts';
import { refused } from '../refusal.ts';

export function missing(what: string): Error {
  return refused('ResourceNotFoundException', what, 404);
}

export function invalid(message: string): Error {
  return refused('InvalidParameterException', message);
}

/** An object kept under the cluster's name and its own. */
export function one(
  { account, atMs }: Request,
  kind: PlainKind,
  id: string,
  what: string,
): JsonObject {
  const found = account.plain[kind].at(id, atMs);
  if (found === undefined) throw missing(what);
  return found;
}
