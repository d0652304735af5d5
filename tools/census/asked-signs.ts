/** Which signs of the catalogue know a message, as the table of signs is tried by the readers. */
import { SIGNS } from '../../src/causes/index.generated.ts';
import type { SignRow } from '../../src/evidence/sign-row.ts';
import type { LineSource } from '../../src/evidence/source.ts';
import { acceptsSource } from '../../src/readers/sign-table.ts';
import { linesOf } from './sample.ts';

/** No message: what matches it, matches the line around a message. */
const NEUTRAL = linesOf('qqqq');

/** Owners of the rows that match: a cause id, `symptom:…` or `milestone:…`, each once. */
export function ownersOf(
  text: string,
  sources: readonly LineSource[],
  rows: readonly SignRow[] = SIGNS,
): readonly string[] {
  const lines = linesOf(text);
  const whole = lines.join('\n');
  const near = rows.filter(
    (row) =>
      sources.some((source) => acceptsSource(row, { source, isKnown: true })) &&
      row.anchors.some((anchor) => whole.includes(anchor)),
  );
  const matching = near.filter(({ pattern }) =>
    lines.some((line, index) => pattern.test(line) && !pattern.test(NEUTRAL[index] ?? '')),
  );
  return [...new Set(matching.map(({ owner }) => owner))].toSorted();
}
