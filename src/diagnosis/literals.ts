import {
  type ExpressionPart,
  type ExpressionSequence,
  partsOf,
} from '../evidence/expression-parts.ts';

/** Literals below this are in too many lines to look for. */
const LITERAL_MIN = 6;
/** A set with more literals is dearer to look for than a shorter one is imprecise. */
const LITERALS_MAX = 8;
const VARIANTS_MAX = 4;

/** Texts of which every match contains at least one; null where there is no such set. */
type Literals = readonly string[] | null;

/** Texts that one part of an expression may be, null for a part that may be anything. */
type Texts = readonly string[] | null;

/** What is known of one sequence: the run of plain text it is in, and the best set so far. */
interface Known {
  run: readonly string[];
  best: Literals;
}

interface Found {
  readonly literals: Literals;
  readonly texts: Texts;
}

/** Of alternatives each must have a set of its own. */
function ofBranches(branches: readonly ExpressionSequence[]): Found {
  const found = branches.map(ofSequence);
  return {
    literals: unionOf(found.map(({ literals }) => literals)),
    texts: unionOf(found.map(({ texts }) => texts)),
  };
}

function ofSequence(parts: ExpressionSequence): Found {
  const known: Known = { run: [''], best: null };
  let isPlain = true;
  for (const part of parts) {
    if (part.kind === 'place') continue;
    const { literals, texts } = ofPart(part);
    if (part.times === 'once' && texts !== null && extend(known, texts)) continue;
    isPlain = false;
    close(known);
    // A repeated letter is there at least once, and whatever follows it begins anew.
    if (part.times !== 'maybe') known.best = better(known.best, literals);
  }
  const texts = isPlain ? known.run : null;
  close(known);
  return { literals: known.best, texts };
}

function ofPart(part: ExpressionPart): Found {
  if (part.kind === 'group') return ofBranches(part.branches);
  return { literals: null, texts: part.kind === 'letter' ? part.of : null };
}

/** Adds a part to the run of plain text, false where that would make too many variants. */
function extend(known: Known, texts: readonly string[]): boolean {
  if (known.run.length * texts.length > VARIANTS_MAX) return false;
  known.run = known.run.flatMap((before) => texts.map((text) => before + text));
  return true;
}

function close(known: Known): void {
  known.best = better(known.best, trimmed(known.run));
  known.run = [''];
}

/** Quotes and backslashes are written in several ways, so that a literal ends at them. */
function trimmed(run: readonly string[]): Literals {
  const parts = run.map((text) => longest(text.split(/["'\\]/)));
  return parts.every((part) => part.length >= LITERAL_MIN) ? parts : null;
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '');
}

function unionOf(sets: readonly Literals[]): Literals {
  const all = new Set<string>();
  for (const set of sets) {
    if (set === null) return null;
    for (const literal of set) all.add(literal);
  }
  return all.size > LITERALS_MAX ? null : [...all];
}

function better(one: Literals, other: Literals): Literals {
  if (one === null || other === null) return one ?? other;
  return worth(other) > worth(one) ? other : one;
}

/** The shortest literal decides how often a set is met for nothing; each further one costs a little. */
function worth(literals: readonly string[]): number {
  return Math.min(...literals.map((literal) => Math.min(literal.length, 40))) - literals.length;
}

/** Literals of which every match of a case-sensitive expression contains at least one, or none found. */
export function literalsOf(pattern: RegExp): readonly string[] {
  if (pattern.flags.includes('i')) return [];
  return ofBranches(partsOf(pattern)).literals ?? [];
}
