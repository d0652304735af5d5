import { type JsonObject, listAt, textAt } from '../../evidence/json.ts';

/** Who wrote an object last, by its managed fields; null where they are not shown. */
export function lastWriterOf(object: JsonObject | null): string | null {
  const writers = listAt(object ?? undefined, 'metadata.managedFields')
    .map((one) => ({ manager: textAt(one, 'manager'), time: textAt(one, 'time') ?? '' }))
    .toSorted((one, other) => (one.time < other.time ? -1 : 1));
  return writers.at(-1)?.manager ?? null;
}
