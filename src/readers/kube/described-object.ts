import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';

const LINES_MAX = 2000;
const DEPTH_MAX = 20;
/** A row of a description: its depth, its label, and what stands behind the colon. */
const ROW = /^(?<indent>\s{0,80})(?<label>[A-Za-z][\w .()/-]{0,100}?):(?:\s+(?<value>\S.*))?$/;
/** Fields that are lists, which a description with one item does not show. */
const LISTS = /(?:^Conditions|Terms|Taints|Requirements|Addresses|References|Mappings)$/i;

interface Row {
  readonly depth: number;
  readonly label: string;
  readonly value: string | null;
}

/** kubectl parts the words of a field and writes them large: `Instance Profile`, `API Version`. */
function fieldOf(label: string): string {
  const words = label.split(' ').filter((word) => word !== '');
  const [first = '', ...rest] = words;
  if (words.length === 1 && /^[a-z]/.test(first)) return first;
  const isShort = first === first.toUpperCase();
  const head = isShort ? first.toLowerCase() : `${first.charAt(0).toLowerCase()}${first.slice(1)}`;
  return [head, ...rest].join('');
}

function rowsOf(lines: readonly string[]): readonly Row[] {
  return lines.slice(0, LINES_MAX).flatMap((line) => {
    const { indent = '', label = '', value } = ROW.exec(line.trimEnd())?.groups ?? {};
    return label === '' ? [] : [{ depth: indent.length, label, value: value ?? null }];
  });
}

function scalarOf(text: string): Json {
  if (text === '<none>' || text === '<nil>') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return text;
}

/** Where what stands below a row ends. */
function endBelow(rows: readonly Row[], from: number): number {
  const depth = rows[from]?.depth ?? 0;
  const end = rows.findIndex((row, index) => index > from && row.depth <= depth);
  return end < 0 ? rows.length : end;
}

function valueOf(rows: readonly Row[], index: number, end: number, level: number): Json {
  const row = rows[index];
  if (row === undefined || row.value !== null) return scalarOf(row?.value ?? '');
  const items = itemsOf(rows.slice(index + 1, end), level + 1);
  return items.length > 1 || LISTS.test(row.label) ? items : (items[0] ?? null);
}

/** The maps that stand below a row; each begins where a field comes again. */
function itemsOf(rows: readonly Row[], level: number): readonly JsonObject[] {
  if (level > DEPTH_MAX) return [];
  const items: Record<string, Json>[] = [];
  for (let index = 0; index < rows.length; ) {
    const end = endBelow(rows, index);
    const field = fieldOf(rows[index]?.label ?? '');
    const last = items.at(-1);
    const item: Record<string, Json> = last === undefined || Object.hasOwn(last, field) ? {} : last;
    if (item !== last) items.push(item);
    item[field] = valueOf(rows, index, end, level);
    index = end;
  }
  return items;
}

/**
 * The object that `kubectl describe` prints of a custom resource, field by field; null for a kind
 * that kubectl describes in words of its own. Labels, annotations and events are left out.
 */
export function describedObject(lines: readonly string[]): JsonObject | null {
  const [described = {}] = itemsOf(rowsOf(lines), 0);
  const { apiVersion, kind, name, namespace, spec, status } = described;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return null;
  const metadata = {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof namespace === 'string' ? { namespace } : {}),
  };
  return {
    apiVersion,
    kind,
    metadata,
    ...(isObject(spec ?? null) ? { spec: spec ?? null } : {}),
    ...(isObject(status ?? null) ? { status: status ?? null } : {}),
  };
}
