/** One line of the table of results. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly reference: string;
  readonly ratio: string;
  readonly target: string;
}

/** A measurement that could not be compared, and why. */
export function skipped(what: string, ours: string, reason: string): Row {
  return { what, ours, reference: `SKIPPED: ${reason}`, ratio: '', target: '' };
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The results as a Markdown table. */
export function markdownTable(rows: readonly Row[]): string {
  return [
    line(['what', 'Rollcall', 'reference', 'ratio', 'target']),
    line(['---', '---', '---', '---', '---']),
    ...rows.map((row) => line([row.what, row.ours, row.reference, row.ratio, row.target])),
  ].join('\n');
}
