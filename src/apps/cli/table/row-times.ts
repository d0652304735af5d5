import type { TimesOfRow } from '../../../collection/timeline/recorded-times.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { RollCallDocument, RollCallRow } from '../../../diagnosis/roll-call/document.ts';
import {
  joinedTimes,
  NO_TIMES,
  rowKey,
  type RowTimes,
  timesOf,
} from '../../../diagnosis/roll-call/times.ts';
import type { TableOptions } from './roll-call-table.ts';
import type { StatusArguments } from './status-arguments.ts';

/** Since when rows stand as they do, and what happened last, as far as anybody knows. */
export function timesOfRows(
  diagnosis: DiagnosisDocument,
  { rows }: RollCallDocument,
  recorded: TimesOfRow | null,
): Map<string, RowTimes> {
  const seen = timesOf(diagnosis);
  return new Map(
    rows.map((row) => {
      const here = seen.get(rowKey(row)) ?? NO_TIMES;
      return [rowKey(row), recorded === null ? here : joinedTimes(here, recorded(row))];
    }),
  );
}

/** The latest first; machines of which nothing is known come last. */
function byLast(
  document: RollCallDocument,
  times: ReadonlyMap<string, RowTimes>,
): RollCallDocument {
  const atMs = (row: RollCallRow): number => times.get(rowKey(row))?.last?.atMs ?? -Infinity;
  const rows = document.rows.toSorted((one, other) => {
    const [a, b] = [atMs(one), atMs(other)];
    return a === b ? 0 : b - a;
  });
  return { ...document, rows };
}

/** Columns of times, where somebody asked for them or they are known. */
export function withTimes(
  document: RollCallDocument,
  times: ReadonlyMap<string, RowTimes>,
  asked: StatusArguments,
  options: TableOptions,
): { readonly document: RollCallDocument; readonly options: TableOptions } {
  if (!asked.events) return { document, options: { ...options, times } };
  const sorted = asked.sortBy === null ? byLast(document, times) : document;
  return { document: sorted, options: { ...options, times, isOfEvents: true } };
}
