import { type Column, columnLines } from './columns.ts';
import { parseRelaxed, valuesAt, valueText } from './json-path.ts';
import { JsonPathError, type Path } from './json-path-tree.ts';
import { cellText } from './width.ts';

export interface CustomColumn {
  readonly header: string;
  readonly path: Path;
}

const GAP = 3;
const COLUMNS_TEXT_MAX = 8192;
const NONE = '<none>';

/** Parts between commas that stand in no bracket, brace or quote. */
function splitColumns(text: string): readonly string[] {
  return text.match(/(?:\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]|\{[^}]*\}|"[^"]*"|'[^']*'|[^,])+/g) ?? [];
}

function columnOf(text: string): CustomColumn {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1)
    throw new JsonPathError(`${JSON.stringify(text)} is not a column; write it as NAME:.name`);
  return { header: text.slice(0, colon).trim(), path: parseRelaxed(text.slice(colon + 1)) };
}

/**
 * Columns of `-o custom-columns=NAME:.name,ZONE:.zone`; each path starts at a row.
 *
 * @throws JsonPathError when a part is no column
 */
export function parseCustomColumns(text: string): readonly CustomColumn[] {
  if (text.length > COLUMNS_TEXT_MAX)
    throw new JsonPathError(`custom-columns takes at most ${COLUMNS_TEXT_MAX} characters`);
  const columns = splitColumns(text).map(columnOf);
  if (columns.length === 0)
    throw new JsonPathError('custom-columns needs columns such as NAME:.name,ZONE:.zone');
  return columns;
}

/**
 * Columns of a file: headers on the first line, a path under each on the second.
 *
 * @throws JsonPathError when there are not two lines of equally many words
 */
export function parseColumnsFile(text: string): readonly CustomColumn[] {
  const [headers = [], paths = [], ...rest] = text
    .split('\n')
    .map((line) => line.split(/\s+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0);
  if (headers.length === 0 || headers.length !== paths.length || rest.length > 0)
    throw new JsonPathError(
      'a columns file has two lines: the headers, and a path under each header',
    );
  return headers.map((header, index) => ({ header, path: parseRelaxed(paths[index] ?? '') }));
}

/** Lines of a table with these columns; what is not there is `<none>`. */
export function customLines(
  columns: readonly CustomColumn[],
  rows: readonly unknown[],
  headers: boolean,
): readonly string[] {
  const table = columns.map(
    ({ header, path }): Column => ({
      header: cellText(header),
      cells: rows.map((row) => {
        const texts = valuesAt(path, row).map(valueText);
        return texts.length === 0 ? NONE : cellText(texts.join(','));
      }),
    }),
  );
  return columnLines(table, { gap: GAP, headers });
}
