import { type CustomColumn, parseColumnsFile, parseCustomColumns } from './custom-columns.ts';
import { JsonPathError } from './json-path-tree.ts';

/** What `-o` asks for. */
export type OutputFormat =
  | { readonly kind: 'table' | 'wide' | 'json' | 'yaml' | 'name' }
  | { readonly kind: 'custom-columns'; readonly columns: readonly CustomColumn[] }
  | { readonly kind: 'jsonpath'; readonly template: string };

const PLAIN = ['table', 'wide', 'json', 'yaml', 'name'] as const;

/** A path without braces is meant as a path, not as the text that it is to kubectl. */
function templateOf(text: string): string {
  if (text.trim() === '') throw new JsonPathError("jsonpath takes a template: '{.rows[*].name}'");
  return text.includes('{') ? text : `{${text}}`;
}

/**
 * Reads the value of `-o` as kubectl writes it.
 *
 * @param readText the text of a file that the value names
 * @returns null for a format that is not known
 * @throws JsonPathError when a template or column cannot be read
 */
export function parseOutput(text: string, readText: (path: string) => string): OutputFormat | null {
  const value = text.replace(/^=/, '');
  const plain = PLAIN.find((kind) => kind === value);
  if (plain !== undefined) return { kind: plain };
  const equals = value.indexOf('=');
  const [format, rest] = [value.slice(0, equals), value.slice(equals + 1)];
  switch (equals < 0 ? '' : format) {
    case 'custom-columns':
      return { kind: 'custom-columns', columns: parseCustomColumns(rest) };
    case 'custom-columns-file':
      return { kind: 'custom-columns', columns: parseColumnsFile(readText(rest)) };
    case 'jsonpath':
      return { kind: 'jsonpath', template: templateOf(rest) };
    case 'jsonpath-file':
      return { kind: 'jsonpath', template: templateOf(readText(rest)) };
    default:
      return null;
  }
}
