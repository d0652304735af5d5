/** How often a part stands in a match: `more` is at least once, `maybe` also never. */
export type Times = 'once' | 'more' | 'maybe';

/** One part of a regular expression, as far as it says what each match contains. */
export type ExpressionPart = { readonly times: Times } & (
  | {
      readonly kind: 'letter' /** The ones of which one stands there. */;
      readonly of: readonly string[];
    }
  | { readonly kind: 'group'; readonly branches: readonly ExpressionSequence[] }
  /** A place without width, such as `\b` or a look ahead. */
  | { readonly kind: 'place' }
  /** Any text. */
  | { readonly kind: 'unknown' }
);

export type ExpressionSequence = readonly ExpressionPart[];

type Untimed = ExpressionPart extends infer Part
  ? Part extends ExpressionPart
    ? Omit<Part, 'times'>
    : never
  : never;

const PLACE: Untimed = { kind: 'place' };
const UNKNOWN: Untimed = { kind: 'unknown' };
const OPENING_MAX = 80;
/** Characters after an escape that takes more than one: `\u00e9`, `\xe9`. */
const HEXADECIMAL_LENGTH: Readonly<Record<string, number>> = { u: 4, x: 2 };

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** The alternatives up to the closing bracket or the end. */
  branches(): readonly ExpressionSequence[] {
    const branches = [this.#sequence()];
    while (this.#takes('|')) branches.push(this.#sequence());
    return branches;
  }

  #sequence(): ExpressionSequence {
    const parts: ExpressionPart[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      const part = this.#part();
      parts.push({ ...part, times: this.#times() });
    }
    return parts;
  }

  #part(): Untimed {
    const char = this.#source.charAt(this.#at++);
    if (char === '(') return this.#group();
    if (char === '[') return this.#set();
    if (char === '^' || char === '$') return PLACE;
    if (char === '.') return UNKNOWN;
    return char === '\\' ? this.#escaped() : { kind: 'letter', of: [char] };
  }

  #escaped(): Untimed {
    const escaped = this.#source.charAt(this.#at++);
    if (escaped === 'b' || escaped === 'B') return PLACE;
    if (!/[a-z0-9]/i.test(escaped)) return { kind: 'letter', of: [escaped] };
    if (escaped === 'k') this.#at = this.#source.indexOf('>', this.#at) + 1;
    this.#at += HEXADECIMAL_LENGTH[escaped] ?? 0;
    return UNKNOWN;
  }

  #group(): Untimed {
    const start = this.#source.slice(this.#at, this.#at + OPENING_MAX);
    const opening = /^\?(?:<?[=!]|<\w+>|:)/.exec(start)?.[0] ?? '';
    this.#at += opening.length;
    const branches = this.branches();
    this.#at++;
    return /[=!]$/.test(opening) ? PLACE : { kind: 'group', branches };
  }

  /** The letters of a set such as `[Ff]`; any text for one with a range, a class or many letters. */
  #set(): Untimed {
    const start = this.#at;
    while (this.#at < this.#source.length && this.#source.charAt(this.#at) !== ']')
      this.#at += this.#source.charAt(this.#at) === '\\' ? 2 : 1;
    const inside = this.#source.slice(start, this.#at++);
    return /^[A-Za-z0-9 ]{1,3}$/.test(inside) ? { kind: 'letter', of: inside.split('') } : UNKNOWN;
  }

  #times(): Times {
    const start = this.#source.slice(this.#at, this.#at + OPENING_MAX);
    const times = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(start)?.[0];
    if (times === undefined) return 'once';
    this.#at += times.length;
    return /^[*?]|^\{0/.test(times) ? 'maybe' : 'more';
  }

  #takes(char: string): boolean {
    if (this.#source.charAt(this.#at) !== char) return false;
    this.#at++;
    return true;
  }
}

/** The alternatives of an expression, each a sequence of parts, in linear time. */
export function partsOf({ source }: RegExp): readonly ExpressionSequence[] {
  return new Parser(source).branches();
}
