import type { Observations } from '../../src/evidence/observations.ts';
import type { Cause } from '../../src/diagnosis/cause.ts';

/**
 * True when two causes compete for the same trouble, so that one may be taken for the other: both
 * stand behind one symptom, a line of this evidence is a sign of both, one explains the other, or
 * the page of one names the other as its look-alike.
 */
export function areFamily(a: Cause, b: Cause, { hits }: Observations): boolean {
  if (a.symptoms.some((symptom) => b.symptoms.includes(symptom))) return true;
  if (a.explains?.includes(b.id) === true || b.explains?.includes(a.id) === true) return true;
  if (names(a.page.notThis, b.id) || names(b.page.notThis, a.id)) return true;
  const lines = linesOf(a.id, hits);
  return linesOf(b.id, hits).some((line) => lines.includes(line));
}

function names(text: string, id: string): boolean {
  return new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(text);
}

function linesOf(owner: string, hits: Observations['hits']): readonly string[] {
  return hits
    .filter((hit) => hit.owner === owner)
    .flatMap(({ first, last }) => [first.locator, last.locator]);
}
