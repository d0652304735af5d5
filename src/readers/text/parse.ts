import { CORE_SCHEMA, load } from 'js-yaml';
import type { Json } from '../../evidence/json.ts';

const DEPTH_MAX = 200;
const YAML_BYTES_MAX = 8 * 1024 * 1024;
const ALIASES_MAX = 100;

export type Parsed =
  | { readonly ok: true; readonly value: Json; readonly line: number }
  | { readonly ok: false; readonly why: string; readonly line: number };

/** Nesting of brackets outside strings, counted without recursion. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 123 || code === 91) deepest = Math.max(deepest, ++depth);
    else if (code === 125 || code === 93) depth--;
  }
  return deepest;
}

/** Parses JSON of bounded depth; malformed text is a value, not a throw. */
export function parseJson(text: string): Parsed {
  if (nestingOf(text) > DEPTH_MAX)
    return {
      ok: false,
      line: 1,
      why: `JSON is nested deeper than ${DEPTH_MAX} levels and was left out.`,
    };
  try {
    return { ok: true, line: 1, value: JSON.parse(text) as Json };
  } catch {
    return { ok: false, line: 1, why: 'The text is not valid JSON and was read as lines.' };
  }
}

function aliasesIn(text: string): number {
  return (text.match(/(?:^|[\s,[{:-])\*[A-Za-z0-9_-]+/g) ?? []).length;
}

/** Each document of a YAML stream; one that cannot be parsed loses only itself. */
export function* parseYamlDocuments(
  lines: readonly string[],
  firstLine: number,
): Generator<Parsed> {
  let start = 0;
  for (let index = 0; index <= lines.length; index++) {
    if (index < lines.length && !/^---(?:\s|$)/.test(lines[index] ?? '')) continue;
    const text = lines.slice(start, index).join('\n');
    if (text.trim() !== '') yield parseYaml(text, firstLine + start);
    start = index + 1;
  }
}

function parseYaml(text: string, line: number): Parsed {
  if (text.length > YAML_BYTES_MAX)
    return {
      ok: false,
      line,
      why: 'A YAML document of more than 8 MB was left out; -o json has no such limit.',
    };
  if (aliasesIn(text) > ALIASES_MAX)
    return {
      ok: false,
      line,
      why: `A YAML document with more than ${ALIASES_MAX} aliases was left out.`,
    };
  try {
    return { ok: true, line, value: (load(text, { schema: CORE_SCHEMA }) ?? null) as Json };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    return {
      ok: false,
      line,
      why: `A YAML document cannot be parsed (${reason}); its lines were read as text.`,
    };
  }
}
