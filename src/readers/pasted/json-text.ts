import { isObject, type Json } from '../../evidence/json.ts';
import { type PastedLines, splitLines } from './lines.ts';

const CHARACTERS_MIN = 8;

function parsedText(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** The lines of a text that is one string of JSON, or the inside of one. */
function linesOfString(line: string): readonly string[] | null {
  if (!line.includes('\\n')) return null;
  const own = line.trim().replace(/,$/, '');
  const isString = own.startsWith('"') && own.endsWith('"');
  // Inside a string every quote has a backslash before it.
  const isInside = !isString && own.includes('\\"') && !/(?<!\\)"/.test(own);
  if (!isString && !isInside) return null;
  return parsedText(isString ? own : `"${own}"`)?.split(/\r?\n/) ?? null;
}

/** Strings of JSON that hold several lines, as these lines. */
export function textOfStrings(given: PastedLines): PastedLines {
  return splitLines(given, linesOfString);
}

const TEXTS_MAX = 100;
const DEPTH_MAX = 8;

/** A record of a log says its own line breaks, such as those of a stack trace. */
const OF_LOG = ['level', 'severity', 'msg', 'logger', 'caller', 'stacktrace', 'MESSAGE', 'auditID'];

interface Text {
  /** Such as `issue.body`. */
  readonly path: string;
  readonly text: string;
}

function gather(value: Json, path: string, depth: number, texts: Text[]): void {
  if (texts.length >= TEXTS_MAX || depth > DEPTH_MAX) return;
  if (typeof value === 'string') {
    const isText = value.length >= CHARACTERS_MIN && value.trimEnd().includes('\n');
    if (isText) texts.push({ path, text: value });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      gather(item as Json, `${path}[${index}]`, depth + 1, texts);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value))
      gather(member, path === '' ? name : `${path}.${name}`, depth + 1, texts);
  }
}

/** The texts of several lines in a record that is no answer, such as an issue that an API gave. */
export function textsOfRecord(value: Json): readonly Text[] {
  if (isObject(value) && OF_LOG.some((name) => Object.hasOwn(value, name))) return [];
  const texts: Text[] = [];
  gather(value, '', 0, texts);
  return texts;
}
