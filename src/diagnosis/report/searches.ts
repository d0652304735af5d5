import { piped } from './shell-words.ts';

/** A log and an expression that its lines are searched for. */
export interface Search {
  /** Searches of one log with the same key can be made at once. */
  readonly log: string;
  readonly expression: string;
}

const LINES_MAX = 50;
const EXPRESSION = `(?:'([^']+)'|"([^"$\`']+)"|([^\\s'"$]+))`;
const FILE_SEARCH = new RegExp(`^((?:sudo )?)grep (?:-[Ecinh]+ )*${EXPRESSION} (/\\S+)$`);
const JOURNAL_SEARCH = new RegExp(`^grep (?:-[Ecinh]+ )*${EXPRESSION}$`);
const JOURNAL = /^journalctl (?:-b )?-u \S+ --no-pager$/;
const SHORTENED = /^tail -n \d+$/;

/** The search that a command is, null when it is none or shows more than the lines it finds. */
export function searchOf(command: string): Search | null {
  const stages = piped(command);
  const left = SHORTENED.test(stages.at(-1) ?? '') ? stages.slice(0, -1) : stages;
  const [source = '', filter] = left;
  if (left.length === 1) return fileSearch(source);
  return left.length === 2 && JOURNAL.test(source) ? journalSearch(source, filter ?? '') : null;
}

function fileSearch(source: string): Search | null {
  const match = FILE_SEARCH.exec(source);
  if (match === null) return null;
  const [, sudo = '', single, double, bare, file = ''] = match;
  return { log: `${sudo}${file}`, expression: single ?? double ?? bare ?? '' };
}

function journalSearch(journal: string, filter: string): Search | null {
  const match = JOURNAL_SEARCH.exec(filter);
  if (match === null) return null;
  return { log: journal, expression: match[1] ?? match[2] ?? match[3] ?? '' };
}

/** One command for all searches of one log; it prints the last lines that any of them finds. */
export function searchCommand(log: string, expressions: readonly string[]): string {
  const wanted = `grep -iE '${[...new Set(expressions.flatMap(alternatives))].join('|')}'`;
  const last = `tail -n ${LINES_MAX}`;
  if (log.startsWith('journalctl ')) return `${log} | ${wanted} | ${last}`;
  const file = /^(sudo )?(\S+)$/.exec(log);
  return `${file?.[1] ?? ''}${wanted} ${file?.[2] ?? log} | ${last}`;
}

/** The alternatives of an expression that has no groups, so that none is searched for twice. */
function alternatives(expression: string): readonly string[] {
  return /[()[\]\\]/.test(expression) ? [expression] : expression.split('|');
}
