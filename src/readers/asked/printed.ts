import type { Json } from '../../evidence/json.ts';
import { bracketEnds } from '../text/bracket-ends.ts';
import { parseJson, parseYamlDocuments } from '../text/parse.ts';
import type { Command } from './command.ts';
import { lastStage } from './query.ts';

const PLAIN_LINES_MAX = 1000;
/** A word of JSON that stands for a value by itself. */
const JSON_WORD = /^(?:"[^"\n]{0,400}"|true|false|null|-?\d{1,15})$/;

/** The JSON at the head of an output; words that follow it on further lines are not part of it. */
export function jsonAhead(output: readonly string[]): Json | undefined {
  const first = output[0]?.trim() ?? '';
  const end = JSON_WORD.test(first) ? 1 : /^[[{]/.test(first) ? bracketEnds(output).after(0) : -1;
  if (end < 0) return undefined;
  const parsed = parseJson(output.slice(0, end).join('\n'));
  return parsed.ok ? parsed.value : undefined;
}

/** The first document of YAML in an output; undefined where there is none. */
export function yamlAhead(output: readonly string[]): Json | undefined {
  const [parsed] = parseYamlDocuments(output, 1);
  return parsed?.ok === true ? parsed.value : undefined;
}

function cellOf(text: string): Json {
  if (text === 'None') return null;
  if (text === 'True' || text === 'False') return text === 'True';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Under which names an expression asks for its parts, in the order of the columns. */
function namesAsked(query: string): string {
  const parts = /\{([^{}]{1,800})\}$/.exec(query)?.[1]?.split(',') ?? [];
  const names = parts.map((part) => part.replace(/:.*$/s, '').trim());
  return names.toSorted().join('|');
}

/** The rows of `--output table`, of which the first names the call, and one may name the columns. */
function rowsOfTable(output: readonly string[], query: string): readonly (readonly string[])[] {
  const rows = output
    .filter((line) => /^\s*\|/.test(line))
    .map((line) => line.trim().replace(/^\|+|\|+$/g, ''));
  const [title = '', ...rest] = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  if (title.length !== 1) return [];
  return rest.filter((row) => row.join('|') !== namesAsked(query));
}

/** What `--output text` prints: a row a line, tabs between the cells. */
function rowsOfText(output: readonly string[]): readonly (readonly string[])[] {
  return output.map((line) => line.trim().split(/\t|\s{2,}/));
}

/** One value of what is picked out of a list, which makes no list of the rows. */
const PICKED = /\[\?[^\][]{1,200}\][\w.]{0,100}\s{0,4}\|\s{0,4}\[0\](?=\s{0,4}[,\]}])/g;

function valueOfRows(rows: readonly (readonly string[])[], asked: string): Json {
  const query = asked.replace(PICKED, '');
  const isList = /\[(?:\*|\?[^[\]]{0,200})?\]/.test(query);
  const isTable = /[\]}]$/.test(query) && !/\[(?:\*|\d*)\]$/.test(query);
  const values = rows.map((row) => row.map(cellOf));
  if (isTable) return isList ? values : (values[0] ?? null);
  const cells = values.flat();
  return isList ? cells : (cells[0] ?? null);
}

/** Where nobody said in which form to print, only one word can be nothing but the value. */
function isLoneWord(output: readonly string[]): boolean {
  return /^[\w.:/-]{1,200}$/.test(output[0]?.trim() ?? '') && output.length === 1;
}

/** The value that a command of AWS printed, in whichever form it was asked for; undefined where that is not known. */
export function printedValue({ options }: Command, output: readonly string[]): Json | undefined {
  const form = options.get('output') ?? options.get('o') ?? '';
  if (form === 'yaml') return yamlAhead(output);
  const query = lastStage(options.get('query') ?? '');
  if (form === 'table') return valueOfRows(rowsOfTable(output, query), query);
  const value = jsonAhead(output);
  const isPlain =
    output.length <= PLAIN_LINES_MAX && output.every((line) => !/^\s*[{[\]}]/.test(line));
  if (value !== undefined && (form !== 'text' || !isPlain)) return value;
  if (!isPlain || (form !== 'text' && !isLoneWord(output))) return undefined;
  return valueOfRows(rowsOfText(output), query);
}
