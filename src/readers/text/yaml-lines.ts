import { CORE_SCHEMA, EVENT_ID, getScalarValue, load, parseEvents, YAMLException } from 'js-yaml';
import type { Json } from '../../evidence/json.ts';
import { lineAt, startsOf } from './line-starts.ts';

const DEPTH_MAX = 20;

/** A YAML text of one document, and where in it everything stands. */
export interface LinedYaml {
  readonly value: Json;
  /** The line, from 1, of a value by its path: `players.0.at`; of its nearest parent when unknown. */
  readonly lineOf: (path: string) => number;
}

export type LinedYamlResult =
  | ({ readonly ok: true } & LinedYaml)
  | { readonly ok: false; readonly line: number; readonly why: string };

type Event = ReturnType<typeof parseEvents>[number];

/** What the values of an open collection are called; a mapping awaits a key and a value in turn. */
interface Open {
  readonly path: string;
  readonly kind: 'list' | 'mapping' | 'document';
  count: number;
  key: string | null;
}

/** Longer names of fields are cut, since each value below them carries them in its path. */
const NAME_CHARACTERS_MAX = 200;

function below(path: string, name: string): string {
  const own = name.slice(0, NAME_CHARACTERS_MAX);
  return path === '' ? own : `${path}.${own}`;
}

/** The path of the next value in an open collection; null for a key of a mapping. */
function nextPath(open: Open, key: string | null): string | null {
  if (open.kind === 'document') return '';
  if (open.kind === 'list') return below(open.path, String(open.count++));
  if (open.key === null) {
    open.key = key ?? '';
    return null;
  }
  const path = below(open.path, open.key);
  open.key = null;
  return path;
}

function startOf(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart;
  return event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING ? event.start : 0;
}

/** Lines of all values of a document by their paths, and of keys, which stand before their values. */
function linesOf(text: string, events: readonly Event[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const starts = startsOf(text);
  const open: Open[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      open.pop();
      continue;
    }
    const top = open.at(-1);
    const key = event.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : null;
    const path = top === undefined ? '' : nextPath(top, key);
    if (path === null && top !== undefined)
      lines.set(below(top.path, top.key ?? ''), lineAt(starts, startOf(event)));
    else if (!lines.has(path ?? '')) lines.set(path ?? '', lineAt(starts, startOf(event)));
    const opened = openedBy(event, path ?? '');
    if (opened !== null) open.push(opened);
  }
  return lines;
}

const KINDS: ReadonlyMap<number, Open['kind']> = new Map([
  [EVENT_ID.DOCUMENT, 'document'],
  [EVENT_ID.SEQUENCE, 'list'],
  [EVENT_ID.MAPPING, 'mapping'],
]);

function openedBy(event: Event, path: string): Open | null {
  const kind = KINDS.get(event.type);
  return kind === undefined ? null : { path, kind, count: 0, key: null };
}

/** Parses a text whose author is to be told the line of every mistake in it. */
export function parseLinedYaml(text: string): LinedYamlResult {
  try {
    const value = load(text, { schema: CORE_SCHEMA, maxDepth: DEPTH_MAX }) as Json;
    const lines = linesOf(text, parseEvents(text, { maxDepth: DEPTH_MAX }));
    const lineOf = (path: string): number =>
      lines.get(path) ?? (path === '' ? 1 : lineOf(path.split('.').slice(0, -1).join('.')));
    return { ok: true, value, lineOf };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { ok: false, line: (error.mark?.line ?? 0) + 1, why: error.reason };
  }
}
