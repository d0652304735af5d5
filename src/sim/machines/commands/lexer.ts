/** A piece of a word: text as it stands, a variable, or a command whose output is put in. */
export type WordPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly fallback: string;
      readonly isQuoted: boolean;
    }
  | { readonly kind: 'command'; readonly script: string; readonly isQuoted: boolean };

export type ShellToken =
  | { readonly kind: 'word'; readonly parts: readonly WordPart[]; readonly bare: string | null }
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'heredoc'; readonly body: string; readonly isLiteral: boolean };

/** User data may be 16 KiB long; what EC2 would not take is not read further. */
const SCRIPT_MAX = 65_536;
const OPERATORS = [
  '&&',
  '||',
  ';;',
  '<<-',
  '<<',
  '>>',
  '&>',
  '2>&1',
  '2>',
  '>',
  '<',
  '|',
  ';',
  '&',
  '(',
  ')',
  '\n',
];
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;

interface Pending {
  readonly index: number;
  readonly end: string;
  readonly isLiteral: boolean;
  readonly isIndented: boolean;
}

/** Splits the text of a POSIX shell script; what it does not know it takes as plain text. */
export function shellTokens(script: string): readonly ShellToken[] {
  return new Lexer(script.slice(0, SCRIPT_MAX)).all();
}

class Lexer {
  readonly #text: string;
  readonly #tokens: ShellToken[] = [];
  readonly #pending: Pending[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  all(): readonly ShellToken[] {
    while (this.#at < this.#text.length) this.#step();
    return this.#tokens;
  }

  #step(): void {
    const text = this.#text;
    const here = text[this.#at] ?? '';
    if (here === ' ' || here === '\t' || here === '\r') return void this.#at++;
    if (text.startsWith('\\\n', this.#at)) return void (this.#at += 2);
    if (here === '#') return this.#comment();
    const operator = OPERATORS.find((one) => text.startsWith(one, this.#at));
    if (operator === undefined) return void this.#tokens.push(this.#word());
    this.#at += operator.length;
    if (operator === '<<' || operator === '<<-') return this.#heredoc(operator === '<<-');
    this.#tokens.push({ kind: 'operator', text: operator });
    if (operator === '\n') this.#bodies();
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #heredoc(isIndented: boolean): void {
    const found = /[ \t]*(['"]?)([\w.-]{1,64})\1/y;
    found.lastIndex = this.#at;
    const match = found.exec(this.#text);
    if (match === null) return;
    this.#at += match[0].length;
    const isLiteral = match[1] !== '';
    this.#pending.push({ index: this.#tokens.length, end: match[2] ?? '', isLiteral, isIndented });
    this.#tokens.push({ kind: 'heredoc', body: '', isLiteral });
  }

  /** Bodies of heredocs follow the line that asks for them. */
  #bodies(): void {
    for (const { end, index, isIndented, isLiteral } of this.#pending.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        const line = this.#line();
        if (line === null || (isIndented ? line.trimStart() : line) === end) break;
        lines.push(isIndented ? line.replace(/^\t+/, '') : line);
      }
      this.#tokens[index] = {
        kind: 'heredoc',
        body: lines.map((line) => `${line}\n`).join(''),
        isLiteral,
      };
    }
  }

  #line(): string | null {
    if (this.#at >= this.#text.length) return null;
    const end = this.#text.indexOf('\n', this.#at);
    const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    return line;
  }

  #word(): ShellToken {
    const parts: WordPart[] = [];
    const startAt = this.#at;
    while (this.#at < this.#text.length && !this.#isEnd()) parts.push(...this.#part());
    if (this.#at === startAt) this.#at++;
    const raw = this.#text.slice(startAt, this.#at);
    const bare = /^[\w./:=@%+,!{}[\]-]+$/.test(raw) ? raw : null;
    return { kind: 'word', parts, bare };
  }

  #isEnd(): boolean {
    const here = this.#text[this.#at] ?? '';
    return ' \t\r\n;|&()<>'.includes(here);
  }

  #part(): readonly WordPart[] {
    const here = this.#text[this.#at] ?? '';
    if (here === "'") return [plain(this.#until("'"))];
    if (here === '"') return this.#quoted();
    if (here === '\\') {
      this.#at += 2;
      const escaped = this.#text[this.#at - 1] ?? '';
      return escaped === '\n' ? [] : [plain(escaped)];
    }
    if (here === '$' || here === '`') return [this.#expansion(false)];
    const found = /[^ \t\r\n;|&()<>'"\\$`]+/y;
    found.lastIndex = this.#at;
    const text = found.exec(this.#text)?.[0] ?? here;
    this.#at += text.length;
    return [plain(text)];
  }

  /** Takes the opening mark too, and everything up to the closing one. */
  #until(mark: string): string {
    const end = this.#text.indexOf(mark, this.#at + 1);
    const text = this.#text.slice(this.#at + 1, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    return text;
  }

  #quoted(): readonly WordPart[] {
    const parts: WordPart[] = [plain('')];
    this.#at++;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"') {
      const here = this.#text[this.#at] ?? '';
      if (here === '$' || here === '`') parts.push(this.#expansion(true));
      else if (here === '\\') {
        this.#at += 2;
        parts.push(plain(this.#text[this.#at - 1] ?? ''));
      } else {
        this.#at++;
        parts.push(plain(here));
      }
    }
    this.#at++;
    return parts;
  }

  #expansion(isQuoted: boolean): WordPart {
    if (this.#text[this.#at] === '`')
      return { kind: 'command', script: this.#until('`'), isQuoted };
    if (this.#text.startsWith('$(', this.#at))
      return { kind: 'command', script: this.#nested(), isQuoted };
    if (this.#text.startsWith('${', this.#at)) {
      this.#at++;
      const [name = '', fallback = ''] = this.#until('}').split(/:?-(.*)/s);
      return { kind: 'variable', name, fallback, isQuoted };
    }
    NAME.lastIndex = this.#at + 1;
    const after = this.#text[this.#at + 1] ?? '';
    const name = '0123456789@*?#'.includes(after) ? after : (NAME.exec(this.#text)?.[0] ?? '');
    if (name === '') {
      this.#at++;
      return plain('$');
    }
    this.#at += 1 + name.length;
    return { kind: 'variable', name, fallback: '', isQuoted };
  }

  #nested(): string {
    this.#at += 2;
    const startAt = this.#at;
    let depth = 1;
    while (this.#at < this.#text.length && depth > 0) {
      const here = this.#text[this.#at++];
      if (here === '(') depth++;
      if (here === ')') depth--;
    }
    return this.#text.slice(startAt, this.#at - 1);
  }
}

function plain(text: string): WordPart {
  return { kind: 'text', text };
}
