import type { RollCallRow } from '../../../diagnosis/roll-call/document.ts';
import { compareNaturally } from '../../../diagnosis/roll-call/order.ts';
import { nearest } from '../nearest.ts';
import { parseRelaxed, valuesAt, valueText } from './json-path.ts';
import { JsonPathError, type Path } from './json-path-tree.ts';

/** Fields of a row, and what is in those that hold more; a row has no others. */
const FIELDS: Readonly<Record<keyof RollCallRow, readonly string[]>> = {
  name: [],
  instanceId: [],
  node: [],
  group: ['kind', 'name'],
  instanceType: [],
  zone: [],
  image: [],
  launchedAt: [],
  stage: [],
  verdict: [],
  headline: ['cause', 'stage', 'confidence', 'subject'],
  note: [],
};

const KNOWN = Object.entries(FIELDS).flatMap(([field, inner]) =>
  inner.length === 0 ? [`.${field}`] : inner.map((name) => `.${field}.${name}`),
);

/** What the table's columns are called, where that is not what the field is called. */
const HEADERS: ReadonlyMap<string, string> = new Map([
  ['age', '.launchedAt'],
  ['launched', '.launchedAt'],
  ['instance', '.instanceId'],
  ['type', '.instanceType'],
  ['cause', '.headline.cause'],
]);

/** The names with which a path begins, up to the first step that is no plain field. */
function fieldsOf(path: Path): readonly string[] {
  const fields: string[] = [];
  for (const step of path) {
    if (step.kind !== 'field') break;
    fields.push(step.name);
  }
  return fields;
}

function isKnown([field, inner, ...deeper]: readonly string[]): boolean {
  if (field === undefined) return true;
  const known = Object.entries(FIELDS).find(([name]) => name === field);
  if (known === undefined) return false;
  return inner === undefined || (known[1].includes(inner) && deeper.length === 0);
}

/**
 * Accepts a path by which rows can be sorted.
 *
 * @throws JsonPathError when the text is no path, or one to a field that no row has
 */
export function mustBeSortable(text: string): void {
  const fields = fieldsOf(parseRelaxed(text));
  if (isKnown(fields)) return;
  const asked = `.${fields.join('.')}`;
  const close = HEADERS.get(asked.slice(1).toLowerCase()) ?? nearest(asked, KNOWN);
  const hint = close === null ? '.' : `; did you mean ${close}?`;
  throw new JsonPathError(
    `--sort-by: a row has no field ${JSON.stringify(asked)}${hint} Fields are ${KNOWN.join(', ')}`,
  );
}

/** Rows without a value come first, as kubectl has it. */
function compareValues(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareNaturally(valueText(a), valueText(b));
}

/**
 * Rows in the order of the first value at a path; `node-2` comes before `node-10`.
 *
 * @throws JsonPathError when the text is no path
 */
export function sortRows<T>(rows: readonly T[], path: string): readonly T[] {
  const steps = parseRelaxed(path);
  return rows
    .map((row) => ({ row, value: valuesAt(steps, row)[0] }))
    .toSorted((a, b) => compareValues(a.value, b.value))
    .map(({ row }) => row);
}
