import { CORE_SCHEMA, load } from 'js-yaml';
import type { Json } from '../../evidence/json.ts';

const DEPTH_MAX = 200;
const YAML_BYTES_MAX = 8 * 1024 * 1024;
/** Values in one YAML document, aliases written out: a large object of Kubernetes has thousands. */
const EXPANDED_MAX = 1_000_000;

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

/** How many values there are when every alias is written out; counting ends above the limit. */
function expandedSize(value: unknown, sizes: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  // An alias of what holds it would have no end.
  sizes.set(value, EXPANDED_MAX + 1);
  let size = 1;
  for (const entry of Object.values(value)) {
    size += expandedSize(entry, sizes);
    if (size > EXPANDED_MAX) break;
  }
  sizes.set(value, size);
  return size;
}

/** True where a value written out, its aliases included, has an end and is not too large. */
export function isBounded(value: unknown): boolean {
  return expandedSize(value, new Map()) <= EXPANDED_MAX;
}

/** A document of comments alone is empty. */
const WITHOUT_CONTENT = /^\s*(?:#|$)/;

/** Lines from which a list is read item by item. */
const SPLIT_LINES_MIN = 2000;

/**
 * Each document of a YAML stream; one that cannot be parsed loses only itself.
 * Two objects pasted one below the other are two documents even without `---` between them.
 */
export function* parseYamlDocuments(
  lines: readonly string[],
  firstLine: number,
): Generator<Parsed> {
  let start = 0;
  const seen = new Set<string>();
  for (let index = 0; index <= lines.length; index++) {
    const line = lines[index];
    const isMark = line !== undefined && /^---(?:\s|$)/.test(line);
    const key = /^(apiVersion|kind):/.exec(line ?? '')?.[1];
    const isRepeated = key !== undefined && seen.has(key);
    if (key !== undefined) seen.add(key);
    if (line !== undefined && !isMark && !isRepeated) continue;
    const body = lines.slice(start, index);
    if (body.some((text) => !WITHOUT_CONTENT.test(text)))
      yield* parseYamlBody(body, firstLine + start);
    start = isMark ? index + 1 : index;
    seen.clear();
    if (isRepeated) seen.add(key);
  }
}

/** A long list (`items:`) is parsed item by item, so that its size costs nothing. */
function* parseYamlBody(lines: readonly string[], firstLine: number): Generator<Parsed> {
  const items =
    lines.length < SPLIT_LINES_MIN ? -1 : lines.findIndex((line) => /^items:\s*$/.test(line));
  if (items < 0) {
    yield parseYaml(lines.join('\n'), firstLine);
    return;
  }
  const dash = /^(\s*)- /.exec(lines[items + 1] ?? '')?.[0] ?? '- ';
  let start = items + 1;
  for (let index = start + 1; index <= lines.length; index++) {
    const line = lines[index];
    const ends = line === undefined || line.startsWith(dash) || /^[A-Za-z]/.test(line);
    if (!ends) continue;
    if (lines[start]?.startsWith(dash) === true)
      yield parseYamlItem(lines.slice(start, index), dash, firstLine + start);
    start = index;
  }
}

function parseYamlItem(lines: readonly string[], dash: string, firstLine: number): Parsed {
  const indent = ' '.repeat(dash.length);
  const own = lines.map((line, index) =>
    index === 0
      ? line.slice(dash.length)
      : line.startsWith(indent)
        ? line.slice(dash.length)
        : line,
  );
  return parseYaml(own.join('\n'), firstLine);
}

function parseYaml(text: string, line: number): Parsed {
  if (text.length > YAML_BYTES_MAX)
    return {
      ok: false,
      line,
      why: 'A YAML document of more than 8 MB was left out; -o json has no such limit.',
    };
  try {
    const value: unknown = load(text, { schema: CORE_SCHEMA }) ?? null;
    if (!isBounded(value))
      return {
        ok: false,
        line,
        why: 'A YAML document whose aliases make it endless was left out.',
      };
    return { ok: true, line, value: value as Json };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    return {
      ok: false,
      line,
      why: `A YAML document cannot be parsed (${reason}); its lines were read as text.`,
    };
  }
}
