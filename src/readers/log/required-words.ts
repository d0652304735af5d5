/** Words of which every match of an expression contains one. */
export type AnyOf = readonly string[];

const WORD_CHARACTERS_MIN = 3;
/** Characters that stand in a raw line as expressions see them: nobody escapes or replaces them. */
const PLAIN = /[\w.:=,;()[\]{}*+?!@#%^|~$-]+/g;
const ESCAPED_PUNCTUATION = /[^\w\s]/;
const COUNT = /\{(\d+)(?:,\d*)?\}/y;
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<\w+>))?/y;
const CLASS = /\[(?:\\.|[^\]\\])*\]/y;
const ESCAPE = /\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|k<\w+>|[\s\S])/y;

/** Takes an expression apart as far as needed to know what each match contains. */
class Requirements {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** What stands up to the end of a group or of the expression. */
  alternatives(): readonly AnyOf[] {
    const branches = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at++;
      branches.push(this.#sequence());
    }
    const [only] = branches;
    if (only !== undefined && branches.length === 1) return only;
    const best = branches.map(longest);
    return best.every((words) => words !== null) ? [best.flat()] : [];
  }

  #sequence(): readonly AnyOf[] {
    const required: AnyOf[] = [];
    let run = '';
    const flush = (): void => {
      for (const [word] of run.matchAll(PLAIN)) required.push([word]);
      run = '';
    };
    while (this.#at < this.#source.length && !this.#isAtEnd()) {
      const literal = this.#literal();
      const inner = literal === null ? this.#other() : [];
      const times = this.#quantifier();
      if (literal !== null && times === 1) {
        run += literal;
        continue;
      }
      if (literal !== null && times > 1) run += literal;
      flush();
      if (times > 0) required.push(...inner);
    }
    flush();
    return required;
  }

  #isAtEnd(): boolean {
    return this.#source[this.#at] === '|' || this.#source[this.#at] === ')';
  }

  /** The character that must stand at this place, null where several may. */
  #literal(): string | null {
    const char = this.#source[this.#at] ?? '';
    if (char === '\\') {
      const escaped = this.#source[this.#at + 1] ?? '';
      if (!ESCAPED_PUNCTUATION.test(escaped)) return null;
      this.#at += 2;
      return escaped;
    }
    if ('^$.[('.includes(char)) return null;
    this.#at++;
    return char;
  }

  /** What a group requires; of anything else nothing is known. */
  #other(): readonly AnyOf[] {
    const group = this.#take(GROUP);
    if (group === null) {
      if (this.#take(CLASS) === null && this.#take(ESCAPE) === null) this.#at++;
      return [];
    }
    const inner = this.alternatives();
    this.#at++;
    return /[=!]$/.test(group) ? [] : inner;
  }

  /** How often the last item stands there at least: 1 without a quantifier, 2 for 1 and more. */
  #quantifier(): number {
    const char = this.#source[this.#at] ?? '';
    if (char === '{') {
      COUNT.lastIndex = this.#at;
      const least = COUNT.exec(this.#source)?.[1];
      if (least === undefined) return 1;
      this.#at = COUNT.lastIndex;
      this.#lazy();
      return Number(least) === 0 ? 0 : 2;
    }
    if (char === '' || !'*+?'.includes(char)) return 1;
    this.#at++;
    this.#lazy();
    return char === '+' ? 2 : 0;
  }

  #lazy(): void {
    if (this.#source[this.#at] === '?') this.#at++;
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#source)?.[0] ?? null;
    if (taken !== null) this.#at += taken.length;
    return taken;
  }
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
export function requiredWords({ source, flags }: RegExp): readonly AnyOf[] {
  if (/[iv]/.test(flags)) return [];
  return new Requirements(source)
    .alternatives()
    .filter((words) => shortestOf(words) >= WORD_CHARACTERS_MIN)
    .toSorted((one, other) => shortestOf(other) - shortestOf(one));
}
