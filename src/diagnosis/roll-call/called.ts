import type { RollCallDocument, RollCallRow } from './document.ts';

/** True when a row goes by this name: its own, its instance's or its Node's, also without domain. */
export function isCalled(row: RollCallRow, name: string): boolean {
  const wanted = name.toLowerCase();
  return [row.name, row.instanceId, row.node].some(
    (known) => known?.toLowerCase() === wanted || known?.split('.')[0]?.toLowerCase() === wanted,
  );
}

/** The roll call of the machines that go by these names, without what is said of all together. */
export function rowsCalled(document: RollCallDocument, names: readonly string[]): RollCallDocument {
  const rows = document.rows.filter((row) => names.some((name) => isCalled(row, name)));
  return { ...document, rows, shared: [], gaps: [], cluster: [] };
}
