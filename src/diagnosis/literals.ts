/** Literals below this are in too many lines to look for. */
const LITERAL_MIN = 6;
/** A set with more literals is dearer to look for than a shorter one is imprecise. */
const LITERALS_MAX = 8;
const VARIANTS_MAX = 4;

/** Texts of which every match contains at least one; null where there is no such set. */
type Literals = readonly string[] | null;

/** Texts that one part of an expression may be, null for a part that may be anything. */
type Texts = readonly string[] | null;

/** What the parser knows of one sequence: the run of plain text it is in, and the best set so far. */
interface Sequence {
  run: readonly string[];
  best: Literals;
}

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Alternatives up to the closing bracket or the end: each must have a set of its own. */
  alternatives(): { readonly literals: Literals; readonly texts: Texts } {
    const sets: Literals[] = [];
    const texts: Texts[] = [];
    do {
      const { literals, text } = this.#sequence();
      sets.push(literals);
      texts.push(text);
    } while (this.#takes('|'));
    return { literals: unionOf(sets), texts: unionOf(texts) };
  }

  #sequence(): { readonly literals: Literals; readonly text: Texts } {
    const state: Sequence = { run: [''], best: null };
    let isPlain = true;
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      const part = this.#part();
      const times = this.#times();
      if (times === 'once' && part.texts !== null && extend(state, part.texts)) continue;
      isPlain = isPlain && times === 'once' && part.isEmpty;
      if (part.isEmpty) continue;
      close(state);
      if (times !== 'maybe') state.best = better(state.best, part.literals);
      // A repeated letter is there at least once, and whatever follows it begins anew.
    }
    const text = isPlain ? state.run : null;
    close(state);
    return { literals: state.best, text };
  }

  #part(): { readonly texts: Texts; readonly literals: Literals; readonly isEmpty: boolean } {
    const char = this.#source.charAt(this.#at++);
    if (char === '(') return this.#group();
    if (char === '[') return { texts: this.#set(), literals: null, isEmpty: false };
    if (char === '^' || char === '$') return { texts: null, literals: null, isEmpty: true };
    if (char === '.') return { texts: null, literals: null, isEmpty: false };
    if (char !== '\\') return { texts: [char], literals: null, isEmpty: false };
    return this.#escaped();
  }

  #escaped(): { readonly texts: Texts; readonly literals: Literals; readonly isEmpty: boolean } {
    const escaped = this.#source.charAt(this.#at++);
    if (escaped === 'b' || escaped === 'B') return { texts: null, literals: null, isEmpty: true };
    if (escaped === 'k') this.#at = this.#source.indexOf('>', this.#at) + 1;
    const isPlain = !/[a-z0-9]/i.test(escaped);
    return { texts: isPlain ? [escaped] : null, literals: null, isEmpty: false };
  }

  #group(): { readonly texts: Texts; readonly literals: Literals; readonly isEmpty: boolean } {
    const opening = /^\?(?:<?[=!]|<\w+>|:)/.exec(this.#source.slice(this.#at, this.#at + 80))?.[0];
    this.#at += opening?.length ?? 0;
    const inner = this.alternatives();
    this.#at += 1;
    const isAround = opening !== undefined && /[=!]$/.test(opening);
    if (isAround) return { texts: null, literals: null, isEmpty: true };
    return { ...inner, isEmpty: false };
  }

  /** The letters of a set such as `[Ff]`, null for one with a range, a class or many letters. */
  #set(): Texts {
    const end = /^(?:[^\]\\]|\\[^])*\]/.exec(this.#source.slice(this.#at))?.[0].length ?? 1;
    const inside = this.#source.slice(this.#at, this.#at + end - 1);
    this.#at += end;
    const isShort = /^[A-Za-z0-9 ]{1,3}$/.test(inside);
    return isShort ? inside.split('') : null;
  }

  #times(): 'once' | 'more' | 'maybe' {
    const times = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(this.#source.slice(this.#at))?.[0];
    if (times === undefined) return 'once';
    this.#at += times.length;
    return /^[*?]|^\{0/.test(times) ? 'maybe' : 'more';
  }

  #takes(char: string): boolean {
    if (this.#source.charAt(this.#at) !== char) return false;
    this.#at += 1;
    return true;
  }
}

/** Adds a part to the run of plain text, false where that would make too many variants. */
function extend(state: Sequence, texts: readonly string[]): boolean {
  if (state.run.length * texts.length > VARIANTS_MAX) return false;
  state.run = state.run.flatMap((before) => texts.map((text) => before + text));
  return true;
}

function close(state: Sequence): void {
  state.best = better(state.best, trimmed(state.run));
  state.run = [''];
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
export function literalsOf({ source, flags }: RegExp): readonly string[] {
  if (flags.includes('i')) return [];
  return new Parser(source).alternatives().literals ?? [];
}
