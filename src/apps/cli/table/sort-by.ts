import { compareNaturally } from '../../../diagnosis/roll-call/order.ts';
import { parseRelaxed, valuesAt, valueText } from './json-path.ts';
import { mustBeOfRow } from './row-fields.ts';

/**
 * Accepts a path by which rows can be sorted.
 *
 * @throws JsonPathError when the text is no path, or one to a field that no row has
 */
export function mustBeSortable(text: string): void {
  mustBeOfRow(parseRelaxed(text), '--sort-by');
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
