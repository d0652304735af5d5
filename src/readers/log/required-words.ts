import { type ExpressionSequence, partsOf } from '../../evidence/expression-parts.ts';

/** Words of which every match of an expression contains one. */
export type AnyOf = readonly string[];

const WORD_CHARACTERS_MIN = 3;
/** Characters that stand in a raw line as expressions see them: nobody escapes or replaces them. */
const PLAIN = /[\w.:=,;()[\]{}*+?!@#%^|~$-]+/g;

function ofBranches(branches: readonly ExpressionSequence[]): readonly AnyOf[] {
  const required = branches.map(ofSequence);
  const [only] = required;
  if (only !== undefined && required.length === 1) return only;
  const best = required.map(longest);
  return best.every((words) => words !== null) ? [best.flat()] : [];
}

function ofSequence(parts: ExpressionSequence): readonly AnyOf[] {
  const required: AnyOf[] = [];
  let run = '';
  const flush = (): void => {
    for (const [word] of run.matchAll(PLAIN)) required.push([word]);
    run = '';
  };
  for (const part of parts) {
    if (part.kind === 'place') continue;
    const [letter, other] = part.kind === 'letter' ? part.of : [];
    const isPlain = letter !== undefined && other === undefined && part.times !== 'maybe';
    if (isPlain) run += letter;
    if (isPlain && part.times === 'once') continue;
    flush();
    if (part.kind === 'group' && part.times !== 'maybe')
      required.push(...ofBranches(part.branches));
  }
  flush();
  return required;
}

function shortestOf(words: AnyOf): number {
  return Math.min(...words.map((word) => word.length));
}

function longest(required: readonly AnyOf[]): AnyOf | null {
  const [best] = required.toSorted((one, other) => shortestOf(other) - shortestOf(one));
  return best ?? null;
}

/**
 * Words that a raw line must contain for the expression to match it: one of each list, the
 * telling ones first. Only of plain characters, since quotes, blanks and brackets may be escaped.
 */
export function requiredWords(pattern: RegExp): readonly AnyOf[] {
  if (/[iv]/.test(pattern.flags)) return [];
  return ofBranches(partsOf(pattern))
    .filter((words) => shortestOf(words) >= WORD_CHARACTERS_MIN)
    .toSorted((one, other) => shortestOf(other) - shortestOf(one));
}
