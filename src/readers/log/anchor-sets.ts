import { rowsOf, type SignTable } from '../sign-table.ts';
import type { FamiliarLine } from './familiar-line.ts';
import { type TriedRow, triedRow } from './tried-row.ts';

/** Sets remembered at most: hostile text may hold anchors in any order. */
const SETS_MAX = 20_000;

/** What lines with the same anchors have in common. */
export interface AnchorSetRows {
  readonly rows: readonly TriedRow[];
  readonly familiar: FamiliarLine[];
  /** How many lines with these anchors were like none before. */
  met: number;
}

interface Branch {
  readonly next: Map<number, Branch>;
  found: AnchorSetRows | null;
}

/** The rows of lines by the anchors found in them. */
export class AnchorSets {
  readonly #table: SignTable;
  readonly #root: Branch = { next: new Map(), found: null };
  #sets = 0;

  constructor(table: SignTable) {
    this.#table = table;
  }

  /** @param anchors indexes of anchors in the order in which they were found */
  of(anchors: readonly number[]): AnchorSetRows {
    let branch = this.#root;
    for (const anchor of anchors) {
      let next = branch.next.get(anchor);
      if (next === undefined) {
        if (this.#sets >= SETS_MAX) return this.#rows(anchors);
        this.#sets += 1;
        next = { next: new Map(), found: null };
        branch.next.set(anchor, next);
      }
      branch = next;
    }
    branch.found ??= this.#rows(anchors);
    return branch.found;
  }

  #rows(anchors: readonly number[]): AnchorSetRows {
    const ascending = anchors.toSorted((one, other) => one - other);
    const words = ascending.flatMap((anchor) => this.#table.anchorSet.anchors[anchor] ?? []);
    const rows = rowsOf(this.#table, ascending).map((row) => triedRow(row, words));
    return { rows, familiar: [], met: 0 };
  }
}
