import { type ShellToken, shellTokens, type WordPart } from './lexer.ts';

export type Word = readonly WordPart[];

export type ShellNode =
  | {
      readonly kind: 'simple';
      readonly words: readonly Word[];
      readonly redirections: readonly Redirection[];
    }
  | { readonly kind: 'pipe'; readonly stages: readonly ShellNode[] }
  | { readonly kind: 'not'; readonly body: ShellNode }
  | { readonly kind: 'and' | 'or'; readonly left: ShellNode; readonly right: ShellNode }
  | { readonly kind: 'list'; readonly items: readonly ShellNode[] }
  | {
      readonly kind: 'if';
      readonly test: ShellNode;
      readonly body: ShellNode;
      readonly otherwise: ShellNode;
    }
  | {
      readonly kind: 'loop';
      readonly test: ShellNode;
      readonly body: ShellNode;
      readonly until: boolean;
    }
  | { readonly kind: 'function'; readonly name: string; readonly body: ShellNode }
  | {
      readonly kind: 'for';
      readonly name: string;
      readonly words: readonly Word[];
      readonly body: ShellNode;
    };

export type FunctionNode = Extract<ShellNode, { kind: 'function' }>;

export interface Redirection {
  readonly kind: '>' | '>>' | '<' | 'heredoc' | 'errors' | 'both' | 'errors-to-output';
  readonly word: Word;
  /** Of a heredoc. */
  readonly body: string;
  readonly isLiteral: boolean;
}

const EMPTY: ShellNode = { kind: 'list', items: [] };
/** So deep may compound commands be nested. */
const DEPTH_MAX = 60;

/** The tree of a script; words that end nothing are commands like any other. */
export function parseShell(script: string): ShellNode {
  return new Parser(shellTokens(script)).list(0);
}

class Parser {
  readonly #tokens: readonly ShellToken[];
  #at = 0;

  constructor(tokens: readonly ShellToken[]) {
    this.#tokens = tokens;
  }

  /** Up to the end or one of the words that close a compound command. */
  list(depth: number): ShellNode {
    const items: ShellNode[] = [];
    if (depth >= DEPTH_MAX) return EMPTY;
    while (this.#at < this.#tokens.length) {
      if (this.#isOperator(';', '\n', '&')) this.#at++;
      else if (CLOSING.has(this.#bare() ?? '') || this.#isOperator(')')) {
        if (depth > 0) break;
        this.#at++;
      } else items.push(this.#andOr(depth));
    }
    return { kind: 'list', items };
  }

  #andOr(depth: number): ShellNode {
    let left = this.#pipeline(depth);
    while (this.#isOperator('&&', '||')) {
      const kind = this.#operator() === '&&' ? 'and' : 'or';
      this.#at++;
      this.#newlines();
      left = { kind, left, right: this.#pipeline(depth) };
    }
    return left;
  }

  #pipeline(depth: number): ShellNode {
    if (this.#bare() === '!') {
      this.#at++;
      return { kind: 'not', body: this.#pipeline(depth) };
    }
    const stages = [this.#command(depth)];
    while (this.#isOperator('|')) {
      this.#at++;
      this.#newlines();
      stages.push(this.#command(depth));
    }
    return stages.length === 1 ? (stages[0] as ShellNode) : { kind: 'pipe', stages };
  }

  #command(depth: number): ShellNode {
    switch (this.#bare()) {
      case 'if':
        return this.#if(depth + 1);
      case 'while':
      case 'until':
        return this.#loop(depth + 1);
      case 'for':
        return this.#for(depth + 1);
      case '{':
        this.#at++;
        return this.#closedBy('}', this.list(depth + 1));
      default:
        if (this.#isFunction()) return this.#function(depth + 1);
        return this.#isOperator('(') ? this.#subshell(depth + 1) : this.#simple();
    }
  }

  #isFunction(): boolean {
    const [, open, close] = this.#tokens.slice(this.#at, this.#at + 3);
    const isMark = (token: ShellToken | undefined, text: string): boolean =>
      token?.kind === 'operator' && token.text === text;
    return this.#bare() !== null && isMark(open, '(') && isMark(close, ')');
  }

  #function(depth: number): ShellNode {
    const name = this.#bare() ?? '';
    this.#at += 3;
    this.#newlines();
    return { kind: 'function', name, body: this.#command(depth) };
  }

  #subshell(depth: number): ShellNode {
    this.#at++;
    const body = this.list(depth);
    if (this.#isOperator(')')) this.#at++;
    return body;
  }

  #if(depth: number): ShellNode {
    this.#at++;
    const test = this.#closedBy('then', this.list(depth));
    const body = this.list(depth);
    const closing = this.#bare();
    if (closing === 'elif') return { kind: 'if', test, body, otherwise: this.#if(depth) };
    if (closing !== 'else')
      return { kind: 'if', test, body, otherwise: this.#closedBy('fi', EMPTY) };
    this.#at++;
    return { kind: 'if', test, body, otherwise: this.#closedBy('fi', this.list(depth)) };
  }

  #loop(depth: number): ShellNode {
    const until = this.#bare() === 'until';
    this.#at++;
    const test = this.#closedBy('do', this.list(depth));
    return { kind: 'loop', test, until, body: this.#closedBy('done', this.list(depth)) };
  }

  #for(depth: number): ShellNode {
    this.#at++;
    const name = this.#bare() ?? '';
    this.#at += 2;
    const words: Word[] = [];
    for (let word = this.#wordHere(); word !== null; word = this.#wordHere()) {
      words.push(word);
      this.#at++;
    }
    while (this.#isOperator(';', '\n')) this.#at++;
    return {
      kind: 'for',
      name,
      words,
      body: this.#closedBy('done', this.#afterDo(depth)),
    };
  }

  #afterDo(depth: number): ShellNode {
    if (this.#bare() === 'do') this.#at++;
    return this.list(depth);
  }

  #closedBy(word: string, node: ShellNode): ShellNode {
    if (this.#bare() === word) this.#at++;
    return node;
  }

  #simple(): ShellNode {
    const words: Word[] = [];
    const redirections: Redirection[] = [];
    for (;;) {
      const redirection = this.#redirection();
      if (redirection !== null) redirections.push(redirection);
      else {
        const word = this.#wordHere();
        if (word === null) break;
        words.push(word);
        this.#at++;
      }
    }
    if (words.length === 0 && redirections.length === 0) this.#at++;
    return { kind: 'simple', words, redirections };
  }

  #redirection(): Redirection | null {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'heredoc') {
      this.#at++;
      return { kind: 'heredoc', word: [], body: token.body, isLiteral: token.isLiteral };
    }
    const kind = REDIRECTIONS.get(this.#operator() ?? '');
    if (kind === undefined) return null;
    this.#at++;
    const word = kind === 'errors-to-output' ? [] : (this.#wordHere() ?? []);
    if (kind !== 'errors-to-output') this.#at++;
    return { kind, word, body: '', isLiteral: false };
  }

  #wordHere(): Word | null {
    const token = this.#tokens[this.#at];
    return token?.kind === 'word' ? token.parts : null;
  }

  #bare(): string | null {
    const token = this.#tokens[this.#at];
    return token?.kind === 'word' ? token.bare : null;
  }

  #operator(): string | null {
    const token = this.#tokens[this.#at];
    return token?.kind === 'operator' ? token.text : null;
  }

  #isOperator(...texts: readonly string[]): boolean {
    const operator = this.#operator();
    return operator !== null && texts.includes(operator);
  }

  #newlines(): void {
    while (this.#isOperator('\n')) this.#at++;
  }
}

const CLOSING = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', '}']);
const REDIRECTIONS = new Map<string, Redirection['kind']>([
  ['>', '>'],
  ['>>', '>>'],
  ['<', '<'],
  ['2>', 'errors'],
  ['&>', 'both'],
  ['2>&1', 'errors-to-output'],
]);
