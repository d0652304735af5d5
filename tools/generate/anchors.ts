import { compileAnchors } from '../../src/readers/scan/anchor-scanner.ts';

/** A row of the index, as far as its anchors go. */
export interface AnchoredRow {
  readonly owner: string;
  readonly name: string;
  readonly anchors: readonly string[];
}

function refusalOf(anchor: string): string | null {
  try {
    compileAnchors([anchor]);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function faultsOf({ owner, name, anchors }: AnchoredRow): readonly string[] {
  const sign = `${owner}/${name}`;
  if (anchors.length === 0)
    return [`${sign}: its expression has no literal to look for; give it anchors.`];
  return anchors.flatMap((anchor) => {
    const refusal = refusalOf(anchor);
    return refusal === null ? [] : [`${sign}: ${refusal}`];
  });
}

/** Signs by name whose anchors the scanner refuses: an index with one of them does not load. */
export function anchorFaults(rows: readonly AnchoredRow[]): readonly string[] {
  return rows.flatMap(faultsOf);
}
