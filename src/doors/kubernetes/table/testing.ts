/** What tests of columns ask of them. */
import type { Json, JsonObject } from '../../../evidence/json.ts';
import type { Column } from './column.ts';

/** The present of all tests. */
export const NOW_MS = Date.parse('2026-01-02T00:00:00Z');

/** The cells of an object by the names of their columns. */
export function cells(
  columns: readonly Column[],
  object: JsonObject,
): Readonly<Record<string, Json>> {
  return Object.fromEntries(columns.map(({ name, cell: show }) => [name, show(object, NOW_MS)]));
}

/** The cell of one column. */
export function cell(columns: readonly Column[], column: string, object: JsonObject): Json {
  const known = cells(columns, object)[column];
  if (known === undefined) throw new Error(`no column ${column}`);
  return known;
}

/** Metadata of an object that was made so long ago. */
export function madeBefore(seconds: number, more: JsonObject = {}): JsonObject {
  const stamp = new Date(NOW_MS - seconds * 1000).toISOString();
  return { name: 'one', creationTimestamp: stamp, ...more };
}
