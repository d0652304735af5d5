/** The messages that an expression finds, as a program prints them, with `…` where they vary. */
export function messagesOf(pattern: RegExp): readonly string[] {
  const read = new ExpressionReader(pattern.source).alternatives();
  return [...new Set(read.map(tidy))].filter((text) => /[\p{L}\d]/u.test(text));
}

const VARIES = '…';

function tidy(text: string): string {
  return text
    .replaceAll(/…(?:[.:/-]?…)+/g, VARIES)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?…[ …]*/g, oneGap)
    .replace(/^[\s…]+/, '')
    .trimEnd();
}

function oneGap(run: string): string {
  return `${run.startsWith(' ') ? ' ' : ''}${VARIES}${run.endsWith(' ') ? ' ' : ''}`;
}

/** Reads an expression as text: of each group its first alternative, of each set its first letter. */
class ExpressionReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Every alternative up to the end of the group or of the expression. */
  alternatives(): readonly string[] {
    const read = [this.#sequence()];
    while (this.#take('|')) read.push(this.#sequence());
    return read;
  }

  #sequence(): string {
    let text = '';
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? ''))
      text += this.#term();
    return text;
  }

  #term(): string {
    const text = this.#atom();
    const quantifier = this.#takeMatch(/^(?:[?*+]|\{[\d,]+\})\??/);
    const isOptional = /^(?:[?*]|\{0)/.test(quantifier);
    return isOptional && !isTelling(text, quantifier) ? '' : text;
  }

  #atom(): string {
    if (this.#take('(')) return this.#group();
    if (this.#take('[')) return this.#set();
    const char = this.#next();
    if (char === '\\') return escaped(this.#next());
    if (char === '.') return ` ${VARIES} `;
    return char === '^' || char === '$' ? '' : char;
  }

  #group(): string {
    const opening = this.#takeMatch(/^\?(?::|<?[=!]|<\w+>)/);
    const [first = ''] = this.alternatives();
    this.#take(')');
    const isOutside = /[=!]$/.test(opening) && opening !== '?=';
    return isOutside ? '' : first;
  }

  #set(): string {
    const inner = this.#takeMatch(/^(?:[^\]\\]|\\.)*/);
    this.#take(']');
    return /^-?[^^\\-]{1,3}$/.test(inner) ? (inner[0] ?? '') : VARIES;
  }

  #take(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #takeMatch(start: RegExp): string {
    const [text = ''] = start.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += text.length;
    return text;
  }

  #next(): string {
    this.#at += 1;
    return this.#source[this.#at - 1] ?? '';
  }
}

/** An optional part is shown when it has a word, is one fixed sign, or may be long. */
function isTelling(text: string, quantifier: string): boolean {
  if (text.trim() === VARIES) return !quantifier.startsWith('?');
  return /\p{L}{2}/u.test(text) || (quantifier === '?' && /^[\w"':]$/.test(text));
}

function escaped(char: string): string {
  if (/[bB]/.test(char)) return '';
  if (char === 's') return ' ';
  return /[dDwWS]/.test(char) ? VARIES : char;
}
