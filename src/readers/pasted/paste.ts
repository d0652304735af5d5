import { outdented, undress } from './dress.ts';
import { textOfStrings } from './json-text.ts';
import type { Layer, PastedLines } from './lines.ts';
import { plain, textOfPage } from './markup.ts';
import { unwrappedProse } from './prose.ts';
import { unwrapped } from './wrapped.ts';

/** What people paste is shorter; a dump of this size was saved by a program. */
const PASTE_CHARACTERS_MAX = 2 * 1024 * 1024;

/** A quoted answer to a quoted mail has two layers of each. */
const ROUNDS_MAX = 3;

const LAYERS: readonly Layer[] = [plain, textOfPage, textOfStrings, undress];

function isSame(one: PastedLines, other: PastedLines): boolean {
  return (
    one.lines.length === other.lines.length &&
    one.lines.every((line, index) => line === other.lines[index])
  );
}

/** The lines of a text as their program printed them, without what pasting did to them. */
export function unpasted(lines: readonly string[]): PastedLines {
  let given: PastedLines = { lines, numbers: null };
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (length > PASTE_CHARACTERS_MAX) return given;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = given;
    given = LAYERS.reduce((inner, layer) => layer(inner), given);
    if (isSame(before, given)) break;
  }
  // A wrapped line leaves its rest in the first column, which looks like the end of a block.
  return unwrappedProse(unwrapped(outdented(unwrapped(given))));
}
