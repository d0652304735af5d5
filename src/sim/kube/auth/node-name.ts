import type { ApiUser } from '../contract.ts';

/** The node that a user is, null for anybody else. */
export function nodeNameOf({ name, groups }: ApiUser): string | null {
  if (!name.startsWith('system:node:') || !groups.includes('system:nodes')) return null;
  return name.slice('system:node:'.length);
}
