/** What was planted where, and in which outputs it was looked for. */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import type { Leak, Search } from './search.ts';

/** Characters of each output that was searched. */
export type Lengths = Map<string, number>;

/** What one test file planted and searched; a line of the file that the page is made of. */
export interface PlantedTable {
  readonly places: readonly (readonly [place: string, shapes: readonly string[]])[];
  readonly outputs: readonly (readonly [output: string, characters: number])[];
}

const LEAKS_TOLD = 20;

function told(leaks: readonly Leak[]): string {
  const lines = leaks
    .slice(0, LEAKS_TOLD)
    .map(({ shape, place, piece }) => `${shape} in ${place}: ${piece}`);
  return lines.join('\n');
}

export function assertNoSecretIn(
  search: Search,
  lengths: Lengths,
  output: string,
  text: string,
): void {
  const leaks = search.leaksIn(text);
  const what = `${output} shows ${leaks.length} pieces of secrets:\n${told(leaks)}`;
  assert.equal(leaks.length, 0, what);
  lengths.set(output, text.length);
}

/** Adds what was searched to the file that `ROLLCALL_PLANTED_TABLE` names. */
export function writePlantedTable(search: Search, lengths: Lengths): void {
  const path = process.env['ROLLCALL_PLANTED_TABLE'];
  if (path === undefined) return;
  const table: PlantedTable = { places: [...search.places()], outputs: [...lengths] };
  appendFileSync(path, `${JSON.stringify(table)}\n`);
}
