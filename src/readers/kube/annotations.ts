import { type JsonObject, textsAt } from '../../evidence/json.ts';

/** Longer ones hold whole objects or states of programs, of which nobody reads anything here. */
const CHARACTERS_MAX = 4096;

/** The annotations of an object; of a long one its length alone, as every object may have 256 KiB. */
export function annotationsAt(value: JsonObject): Readonly<Record<string, string>> {
  const all = Object.entries(textsAt(value, 'metadata.annotations'));
  const shown = all.map(([key, text]): [string, string] =>
    text.length > CHARACTERS_MAX ? [key, `(${text.length} characters)`] : [key, text],
  );
  return Object.fromEntries(shown);
}
