/** Listings of what is kept as it is shown. */
import { textAt } from '../../../evidence/json.ts';
import type { PlainKind } from '../account.ts';
import type { FilterPaths, Listing } from './filters.ts';
import { tagList } from './show.ts';

export interface Plain {
  readonly kind: PlainKind;
  readonly member: string;
  /** The member that is its id, and the one of the input that names ids. */
  readonly id: string;
  readonly ids: string;
  readonly code: string;
  readonly words: string;
  readonly filters: FilterPaths;
}

/** Objects that are kept as they are shown. */
export function plain({ kind, member, id, ids, code, words, filters }: Plain): Listing {
  return {
    member,
    rows: ({ account, atMs }) =>
      account.plain[kind].valuesAt(atMs).map((row) => ({
        ...row,
        Tags: [...tagList(account, textAt(row, id) ?? '', atMs)],
      })),
    filters,
    ids: { member: ids, path: id, code, words },
  };
}
