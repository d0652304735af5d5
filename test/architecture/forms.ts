/** Which forms of the language stay out, and what is written instead. */
import {
  at,
  type Check,
  codeTokens,
  isTest,
  isTypeScript,
  type SourceFile,
  type Violation,
} from './sources.ts';
import type { Token } from './tokens.ts';

export const forms: Check = {
  title: 'exports have names, modules have no state, and types vanish when stripped',
  run: (files) =>
    files.filter(isTypeScript).flatMap((file) => [...inTokens(file), ...barrel(file)]),
};

/** Adapters, doors and apps speak with a world that has state; nobody else has an excuse. */
const STATELESS = /^src\/(?!adapters\/|doors\/|apps\/)/;

function inTokens(file: SourceFile): readonly Violation[] {
  const tokens = codeTokens(file);
  const stateless = STATELESS.test(file.path) && !isTest(file.path);
  const depths = depthsOf(tokens);
  return tokens.flatMap((token, index) => {
    const what =
      token.kind === 'name'
        ? (exported(file, tokens, index) ??
          unstrippable(tokens, index) ??
          lateTests(tokens, index) ??
          (stateless && depths[index] === 0 ? moduleState(token) : null))
        : null;
    return what === null ? [] : [at(file, token.line, what)];
  });
}

/** How many brackets are open before each token. */
function depthsOf(tokens: readonly Token[]): readonly number[] {
  let depth = 0;
  return tokens.map(({ kind, text }) => {
    if (kind === 'mark' && ')}]'.includes(text)) depth -= 1;
    const before = depth;
    if (kind === 'mark' && '({['.includes(text)) depth += 1;
    return before;
  });
}

const MAY_DEFAULT = /^src\/causes\/[^/]+\/[^/]+\/cause\.ts$/;

function exported(file: SourceFile, tokens: readonly Token[], index: number): string | null {
  if (tokens[index]?.text !== 'export') return null;
  const next = tokens[index + 1]?.text;
  if (next === 'default' && !MAY_DEFAULT.test(file.path))
    return 'exports by default; export a name, so that it is the same everywhere';
  if (next === '*') return 'exports everything of another file; let users import that file itself';
  return null;
}

function unstrippable(tokens: readonly Token[], index: number): string | null {
  const name = tokens[index]?.text ?? '';
  const before = tokens[index - 1];
  const next = tokens[index + 1];
  if (next?.kind !== 'name' || before?.text === '.') return null;
  if (name === 'enum') return 'declares an enum; use a union of strings';
  if (name === 'namespace' && tokens[index + 2]?.text === '{')
    return 'declares a namespace; use a file';
  return null;
}

/** A name, options and their values at the most stand between a group and what declares its tests. */
const GROUP_TOKENS_MAX = 12;

/** The runner of this checkout watches no promises, so that a test declared late has no group. */
function lateTests(tokens: readonly Token[], index: number): string | null {
  if (tokens[index]?.text !== 'async' || tokens[index - 1]?.text !== ',') return null;
  const before = tokens.slice(Math.max(0, index - GROUP_TOKENS_MAX), index).map(({ text }) => text);
  const group = before.lastIndexOf('describe');
  if (group === -1 || before.slice(group).includes('=>')) return null;
  return 'declares the tests of a group after waiting; wait above the group';
}

function moduleState({ text }: Token): string | null {
  if (text !== 'let' && text !== 'var') return null;
  return `declares ${text} for the whole module; keep state in a value that callers own`;
}

/** A file of nothing but re-exports hides where a thing is. */
function barrel(file: SourceFile): readonly Violation[] {
  const tokens = codeTokens(file);
  const starts = tokens.filter(({ text }) => text === 'export');
  const reexports = tokens.filter(
    ({ text }, index) => text === 'from' && tokens[index + 1]?.kind === 'string',
  );
  const own = tokens.some(({ text }) => DECLARES.has(text));
  if (starts.length === 0 || own || reexports.length < starts.length) return [];
  return [at(file, 1, 'only exports what other files declare; let users import those files')];
}

const DECLARES = new Set('const function class interface default'.split(' '));
