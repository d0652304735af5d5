/** Which modules a file imports, read from its tokens. */
import { posix } from 'node:path';
import { codeTokens, type SourceFile } from './sources.ts';
import type { Token } from './tokens.ts';

export interface Import {
  /** As written; null where an expression computes it. */
  readonly specifier: string | null;
  readonly line: number;
  /** Loaded by `import()` when it is reached. */
  readonly lazy: boolean;
}

export function importsOf(file: SourceFile): readonly Import[] {
  const tokens = codeTokens(file);
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'name' || isMember(tokens[index - 1])) return [];
    if (token.text === 'import') return importAt(tokens, index);
    if (token.text === 'export') return reexportAt(tokens, index);
    if (token.text === 'URL') return moduleUrlAt(tokens, index);
    return [];
  });
}

function isMember(before: Token | undefined): boolean {
  return before?.kind === 'mark' && (before.text === '.' || before.text === '?.');
}

function importAt(tokens: readonly Token[], index: number): readonly Import[] {
  const line = tokens[index]?.line ?? 1;
  const next = tokens[index + 1];
  if (next?.text === '(') {
    const argument = tokens[index + 2];
    const specifier = argument?.kind === 'string' ? argument.text : null;
    return [{ specifier, line, lazy: true }];
  }
  if (next?.kind === 'string') return [{ specifier: next.text, line, lazy: false }];
  if (next?.text === '.') return [];
  return from(tokens, index, line);
}

/** `new URL('./worker.ts', import.meta.url)`: a module that a thread of its own begins with. */
function moduleUrlAt(tokens: readonly Token[], index: number): readonly Import[] {
  const argument = tokens[index + 2];
  const isModule = argument?.kind === 'string' && /^\.\.?\/.*\.ts$/.test(argument.text);
  if (tokens[index - 1]?.text !== 'new' || !isModule) return [];
  return [{ specifier: argument.text, line: argument.line, lazy: true }];
}

function reexportAt(tokens: readonly Token[], index: number): readonly Import[] {
  const first = tokens[index + 1]?.text === 'type' ? index + 2 : index + 1;
  const mark = tokens[first]?.text;
  if (mark !== '{' && mark !== '*') return [];
  return from(tokens, first, tokens[index]?.line ?? 1);
}

/** The bindings of one statement; more would be a file of names. */
const BINDINGS_MAX = 400;

function from(tokens: readonly Token[], index: number, line: number): readonly Import[] {
  for (let next = index; next < index + BINDINGS_MAX; next++) {
    const token = tokens[next];
    if (token === undefined || token.text === ';') return [];
    const specifier = tokens[next + 1];
    if (token.kind === 'name' && token.text === 'from' && specifier?.kind === 'string')
      return [{ specifier: specifier.text, line, lazy: false }];
  }
  return [];
}

/** @returns the path of a file of ours, or null for a package, a built-in or a computed name */
export function target(file: SourceFile, { specifier }: Import): string | null {
  if (specifier === null || !specifier.startsWith('.')) return null;
  return posix.normalize(posix.join(posix.dirname(file.path), specifier));
}
