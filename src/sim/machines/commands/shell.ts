import type { Timer } from '../../kernel/kernel.ts';
import type { CommandResult } from '../contract.ts';
import { parseShell, type Redirection, type ShellNode, type Word } from './parse.ts';

/** One call of a program by the shell. */
export interface CommandCall {
  readonly words: readonly string[];
  readonly stdin: string;
  /** What it prints while it runs; what it prints at its end may be in the result. */
  readonly out: (text: string) => void;
}

/** Where a shell runs. */
export interface ShellHost {
  after(delayMs: number, task: () => void): Timer;
  call(call: CommandCall, done: (result: CommandResult) => void): void;
  write(path: string, text: string, isAppending: boolean): void;
  read(path: string): string | null;
  /** What is printed as it is printed. */
  print(text: string): void;
}

/** A loop takes some time even when its commands take none. */
const LOOP_MS = 20;
/** No script runs more commands than this. */
const COMMANDS_MAX = 20_000;

interface Streams {
  readonly stdin: string;
  readonly out: (text: string) => void;
  readonly errors: (text: string) => void;
  /** Where a command that ends otherwise than with 0 ends nothing. */
  readonly isTested: boolean;
}

type Done = (status: number) => void;

/** Runs scripts of the POSIX shell as far as user data needs it. */
export class Shell {
  readonly #host: ShellHost;
  readonly #variables = new Map<string, string>();
  readonly #functions = new Map<string, ShellNode>();
  #commands = 0;
  #endsOnError = false;
  #isTracing = false;
  #isOver = false;

  constructor(host: ShellHost, variables: Readonly<Record<string, string>> = {}) {
    this.#host = host;
    for (const [name, value] of Object.entries(variables)) this.#variables.set(name, value);
  }

  run(script: string, done: (result: CommandResult) => void): void {
    const texts = { stdout: '', stderr: '' };
    const streams: Streams = {
      stdin: '',
      out: (text) => {
        texts.stdout += text;
        this.#host.print(text);
      },
      errors: (text) => {
        texts.stderr += text;
        this.#host.print(text);
      },
      isTested: false,
    };
    let isDone = false;
    this.#end = (exitCode) => {
      if (isDone) return;
      isDone = true;
      this.#isOver = true;
      done({ exitCode, ...texts });
    };
    this.#node(parseShell(script), streams, (status) => this.#end(status));
  }

  #end: Done = () => {};

  #node(node: ShellNode, streams: Streams, done: Done): void {
    if (this.#isOver) return;
    switch (node.kind) {
      case 'simple':
        return this.#simple(node.words, node.redirections, streams, done);
      case 'pipe':
        return this.#pipe(node.stages, streams, done);
      case 'list':
        return this.#list(node.items, streams, done);
      case 'not':
        return this.#tested(node.body, streams, (status) => done(status === 0 ? 1 : 0));
      case 'and':
      case 'or':
        return this.#tested(node.left, streams, (status) => {
          if ((status === 0) === (node.kind === 'and')) this.#node(node.right, streams, done);
          else done(status);
        });
      case 'if':
        return this.#tested(node.test, streams, (status) =>
          this.#node(status === 0 ? node.body : node.otherwise, streams, done),
        );
      case 'loop':
        return this.#loop(node, streams, done);
      case 'for':
        return this.#for(node, streams, done);
      case 'function':
        this.#functions.set(node.name, node.body);
        return done(0);
    }
  }

  #tested(node: ShellNode, streams: Streams, done: Done): void {
    this.#node(node, { ...streams, isTested: true }, done);
  }

  /** Commands that take no time follow one another in a loop, so that long scripts fit the stack. */
  #list(items: readonly ShellNode[], streams: Streams, done: Done): void {
    const from = (start: number, status: number): void => {
      let last = status;
      for (let index = start; index < items.length; index++) {
        const turn = { isSynchronous: true, isOver: false };
        this.#node(items[index] as ShellNode, streams, (ended) => {
          last = ended;
          turn.isOver = true;
          if (!turn.isSynchronous) from(index + 1, ended);
        });
        turn.isSynchronous = false;
        if (!turn.isOver) return;
      }
      done(last);
    };
    from(0, 0);
  }

  #loop(node: Extract<ShellNode, { kind: 'loop' }>, streams: Streams, done: Done): void {
    const round = (): void =>
      this.#tested(node.test, streams, (status) => {
        if ((status === 0) === node.until) return done(0);
        this.#node(node.body, streams, () => this.#host.after(LOOP_MS, round));
      });
    round();
  }

  #for(node: Extract<ShellNode, { kind: 'for' }>, streams: Streams, done: Done): void {
    this.#expandAll(node.words, (values) => {
      const next = (index: number, status: number): void => {
        const value = values[index];
        if (value === undefined) return done(status);
        this.#variables.set(node.name, value);
        this.#node(node.body, streams, (last) => next(index + 1, last));
      };
      next(0, 0);
    });
  }

  #pipe(stages: readonly ShellNode[], streams: Streams, done: Done): void {
    const next = (index: number, stdin: string, status: number): void => {
      const stage = stages[index];
      if (stage === undefined) return done(status);
      if (index === stages.length - 1) return this.#node(stage, { ...streams, stdin }, done);
      let piped = '';
      const out = (text: string): void => {
        piped += text;
      };
      this.#node(stage, { ...streams, stdin, out, isTested: true }, (last) =>
        next(index + 1, piped, last),
      );
    };
    next(0, streams.stdin, 0);
  }

  #simple(
    words: readonly Word[],
    redirections: readonly Redirection[],
    streams: Streams,
    done: Done,
  ): void {
    if (++this.#commands > COMMANDS_MAX) return this.#end(1);
    this.#redirect(redirections, streams, (own) =>
      this.#expandAll(words, (values) => {
        const rest = this.#assign(values);
        if (rest.length === 0) return done(0);
        if (this.#isTracing) streams.errors(`+ ${rest.join(' ')}\n`);
        this.#call(rest, own, (status) => {
          this.#variables.set('?', String(status));
          if (status !== 0 && this.#endsOnError && !streams.isTested) this.#end(status);
          else done(status);
        });
      }),
    );
  }

  /** Takes `NAME=value` off the front, after `export` too. */
  #assign(values: readonly string[]): readonly string[] {
    const rest = values[0] === 'export' ? values.slice(1) : values;
    let index = 0;
    for (; index < rest.length; index++) {
      const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(rest[index] ?? '') ?? [];
      if (name === undefined) break;
      this.#variables.set(name, value ?? '');
    }
    return values[0] === 'export' ? [] : rest.slice(index);
  }

  #call(words: readonly string[], streams: Streams, done: Done): void {
    const [name = '', ...rest] = words;
    if (name === 'set') {
      if (rest.some((one) => /^-\w*e/.test(one) || one === 'errexit')) this.#endsOnError = true;
      if (rest.some((one) => /^-\w*x/.test(one) || one === 'xtrace')) this.#isTracing = true;
      return done(0);
    }
    if (name === 'exit') return this.#end(Number(rest[0] ?? 0));
    if (name === 'sleep') return void this.#host.after(sleepMs(rest[0] ?? '0'), () => done(0));
    if (name === 'exec') return done(0);
    const own = this.#functions.get(name);
    if (own !== undefined) return this.#function(own, rest, streams, done);
    if (name === 'sudo' || name === 'command')
      return this.#call(
        rest.filter((one) => one !== '-E'),
        streams,
        done,
      );
    if (name === 'bash' || name === 'sh') return this.#script(rest, streams, done);
    this.#host.call({ words, stdin: streams.stdin, out: streams.out }, (result) => {
      if (this.#isOver) return;
      if (result.stdout !== '') streams.out(result.stdout);
      if (result.stderr !== '') streams.errors(result.stderr);
      done(result.exitCode);
    });
  }

  #function(body: ShellNode, given: readonly string[], streams: Streams, done: Done): void {
    for (const [index, value] of given.entries()) this.#variables.set(String(index + 1), value);
    this.#variables.set('@', given.join(' '));
    this.#node(body, streams, done);
  }

  #script(rest: readonly string[], streams: Streams, done: Done): void {
    const at = rest.indexOf('-c');
    const script = at >= 0 ? rest[at + 1] : this.#host.read(rest[0] ?? '');
    this.#node(parseShell(script ?? ''), streams, done);
  }

  #redirect(all: readonly Redirection[], streams: Streams, done: (own: Streams) => void): void {
    const next = (index: number, own: Streams): void => {
      const one = all[index];
      if (one === undefined) return done(own);
      this.#expand(one.word, (target) =>
        this.#redirected(one, target, own, (changed) => next(index + 1, changed)),
      );
    };
    next(0, streams);
  }

  #redirected(one: Redirection, path: string, own: Streams, done: (own: Streams) => void): void {
    const write = (isAppending: boolean): ((text: string) => void) => {
      if (path === '/dev/null') return () => {};
      if (!isAppending) this.#host.write(path, '', false);
      return (text) => this.#host.write(path, text, true);
    };
    switch (one.kind) {
      case '>':
        return done({ ...own, out: write(false) });
      case '>>':
        return done({ ...own, out: write(true) });
      case 'errors':
        return done({ ...own, errors: write(false) });
      case 'both': {
        const both = write(false);
        return done({ ...own, out: both, errors: both });
      }
      case 'errors-to-output':
        return done({ ...own, errors: own.out });
      case '<':
        return done({ ...own, stdin: this.#host.read(path) ?? '' });
      case 'heredoc':
        if (one.isLiteral) return done({ ...own, stdin: one.body });
        return this.#expandText(one.body, (stdin) => done({ ...own, stdin }));
    }
  }

  #expandText(text: string, done: (text: string) => void): void {
    const quoted = `"${text.replaceAll('"', '\\"')}"`;
    const node = parseShell(quoted);
    const first = node.kind === 'list' ? node.items[0] : node;
    if (first?.kind !== 'simple') return done(text);
    this.#expand(first.words[0] ?? [], done);
  }

  #expandAll(words: readonly Word[], done: (values: readonly string[]) => void): void {
    const values: string[] = [];
    const next = (index: number): void => {
      const word = words[index];
      if (word === undefined) return done(values);
      this.#expand(word, (value) => {
        const isSplit = word.some((part) => part.kind !== 'text' && !part.isQuoted);
        if (isSplit) values.push(...value.split(/\s+/).filter((one) => one !== ''));
        else values.push(value);
        next(index + 1);
      });
    };
    next(0);
  }

  #expand(word: Word, done: (value: string) => void): void {
    const next = (index: number, value: string): void => {
      const part = word[index];
      if (part === undefined) return done(value);
      if (part.kind === 'text') return next(index + 1, value + part.text);
      if (part.kind === 'variable')
        return next(index + 1, value + (this.#variables.get(part.name) || part.fallback));
      let text = '';
      const streams: Streams = {
        stdin: '',
        out: (more) => {
          text += more;
        },
        errors: () => {},
        isTested: true,
      };
      this.#node(parseShell(part.script), streams, () =>
        next(index + 1, value + text.replace(/\n+$/, '')),
      );
    };
    next(0, '');
  }
}

/** `5`, `0.5`, `2m`, `1h`. */
function sleepMs(text: string): number {
  const [, number = '0', unit = 's'] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(text) ?? [];
  const factor = { s: 1000, m: 60_000, h: 3_600_000 }[unit === '' ? 's' : unit] ?? 1000;
  return Number(number) * factor;
}
