import { wrap } from '../../../diagnosis/report/wrap.ts';

/** Text in rows of at most 100 columns. */
export const COLUMNS = 100;

const GAP = 2;
const CELL_MIN = 6;

function fill(words: readonly string[], width: number, joint: string): readonly string[] {
  const rows: string[] = [];
  for (const word of words) {
    const row = rows.at(-1);
    if (row === undefined || row.length + 1 + word.length + joint.length > width) rows.push(word);
    else rows[rows.length - 1] = `${row} ${word}`;
  }
  return rows;
}

/** A paragraph, each row behind the same margin. */
export function paragraph(text: string, margin = ''): readonly string[] {
  const width = COLUMNS - margin.length;
  return wrap(text, width).map((row) => `${margin}${row}`);
}

/** A paragraph whose first row begins with a mark, the others behind it. */
export function marked(mark: string, text: string, margin = ''): readonly string[] {
  const rows = paragraph(text, `${margin}${' '.repeat(mark.length + 1)}`);
  return rows.map((row, index) =>
    index === 0 ? `${margin}${mark} ${row.slice(margin.length + mark.length + 1)}` : row,
  );
}

/** Words of a command; what is quoted stays one word, apart after the pipes of its program. */
function commandWords(command: string): readonly string[] {
  return command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"]|['"])+/g) ?? [];
}

/** A command as it may be pasted: longer ones go on behind a backslash. */
export function commandRows(command: string, margin = '    '): readonly string[] {
  if (margin.length + command.length <= COLUMNS) return [`${margin}${command}`];
  const joint = ' \\';
  const rows = fill(commandWords(command), COLUMNS - margin.length - joint.length, joint);
  const last = rows.length - 1;
  return rows.flatMap((row, index) =>
    quotedRows(`${row}${index === last ? '' : joint}`, index === 0 ? margin : `${margin}  `),
  );
}

/** A quoted jq or query program may hold line breaks after its pipes. */
function quotedRows(row: string, margin: string): readonly string[] {
  const width = COLUMNS - margin.length;
  const parts = row.length <= width ? [row] : row.split(/(?<=\|) /);
  return fill(parts, width, '').map((part) => `${margin}${part}`);
}

function clip(cell: string, width: number): string {
  return cell.length <= width ? cell : `${cell.slice(0, Math.max(0, width - 1))}…`;
}

/** Widths that fit the row: the widest column gives way until all do. */
function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.min(COLUMNS, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  );
  const sum = () => widths.reduce((total, width) => total + width + GAP, -GAP);
  for (let step = 0; step < COLUMNS * count && sum() > COLUMNS; step++) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= CELL_MIN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Rows in columns, the first one the heading; what does not fit is cut with an ellipsis. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const widths = widthsOf(rows);
  const gap = ' '.repeat(GAP);
  return rows.map((row) =>
    row
      .map((cell, column) => clip(cell, widths[column] ?? 0).padEnd(widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}
