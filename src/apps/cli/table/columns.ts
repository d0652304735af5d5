import { widthOf } from './width.ts';

export interface Column {
  readonly header: string;
  readonly cells: readonly string[];
}

export interface ColumnLayout {
  /** Blanks between two columns. */
  readonly gap: number;
  readonly headers: boolean;
  /** Puts colour around the text of a cell; as it is when not given. */
  readonly paint?: (text: string, column: Column, row: number) => string;
}

export function columnWidth({ header, cells }: Column, headers: boolean): number {
  return cells.reduce((width, cell) => Math.max(width, widthOf(cell)), headers ? header.length : 0);
}

/** Lines of a table, one per row, columns as wide as their widest cell and no blanks at the end. */
export function columnLines(columns: readonly Column[], layout: ColumnLayout): readonly string[] {
  const { gap, headers, paint = (text: string): string => text } = layout;
  const widths = columns.map((column) => columnWidth(column, headers));
  const count = columns[0]?.cells.length ?? 0;
  const cell = (text: string, painted: string, index: number): string =>
    painted + ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)));
  const join = (cells: readonly string[]): string => cells.join(' '.repeat(gap)).trimEnd();
  const lines = headers
    ? [join(columns.map(({ header }, index) => cell(header, header, index)))]
    : [];
  for (let row = 0; row < count; row++) {
    const cells = columns.map((column, index) => {
      const text = column.cells[row] ?? '';
      return cell(text, paint(text, column, row), index);
    });
    lines.push(join(cells));
  }
  return lines;
}
