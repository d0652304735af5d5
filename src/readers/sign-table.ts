import type { SignRow } from '../evidence/sign-row.ts';
import type { Likely } from './line/origin.ts';
import { type AnchorSet, compileAnchors } from './scan/anchor-scanner.ts';

export interface SignTable {
  readonly rows: readonly SignRow[];
  readonly anchorSet: AnchorSet;
  /** Rows by the index of an anchor in the set. */
  readonly rowsByAnchor: readonly (readonly SignRow[])[];
}

/** Compiles the table once; every anchor stands in the set once, whoever uses it. */
export function compileSigns(rows: readonly SignRow[]): SignTable {
  const byAnchor = new Map<string, SignRow[]>();
  for (const row of rows) {
    for (const anchor of new Set(row.anchors)) {
      const sharing = byAnchor.get(anchor);
      if (sharing === undefined) byAnchor.set(anchor, [row]);
      else sharing.push(row);
    }
  }
  const anchorSet = compileAnchors([...byAnchor.keys()]);
  return { rows, anchorSet, rowsByAnchor: [...byAnchor.values()] };
}

/** The rows that any of these anchors belongs to, each once. */
export function rowsOf(table: SignTable, anchors: readonly number[]): readonly SignRow[] {
  const [first = -1] = anchors;
  if (anchors.length < 2) return table.rowsByAnchor[first] ?? [];
  return [...new Set(anchors.flatMap((anchor) => table.rowsByAnchor[anchor] ?? []))];
}

/** True when a line of this source may count for the row; a guess excludes it from strict ones alone. */
export function acceptsSource(row: SignRow, { source, isKnown }: Likely): boolean {
  if (row.in.includes(source)) return true;
  return !row.strict && (!isKnown || source === 'unknown' || source === 'journal');
}
