/** What the inner rooms may not reach: clock, chance, environment, network, and waiting. */
import { at, type Check, codeTokens, isTest, productFiles, type SourceFile } from './sources.ts';
import type { Token } from './tokens.ts';

export interface Ban {
  readonly does: string;
  readonly instead: string;
}

export const CLOCK: Ban = {
  does: 'reads the clock',
  instead: 'take the time from the evidence, from an argument or from the Clock port',
};
export const CHANCE: Ban = {
  does: 'draws by chance',
  instead: 'take a number from the Random port',
};
export const TIMER: Ban = {
  does: 'waits',
  instead: 'return when to look again, or wait on the Clock port',
};
const WORLD: Ban = {
  does: 'reaches outside',
  instead: 'do it in adapters or apps and pass the value in',
};
const LOCALE: Ban = {
  does: 'depends on the locale of the machine',
  instead: 'format it with the functions of evidence',
};
const WAITING: Ban = {
  does: 'is not synchronous',
  instead: 'let the caller wait, and pass the value in',
};

const GLOBALS: Readonly<Record<string, Ban>> = {
  Buffer: { does: 'exists only in Node.js', instead: 'use Uint8Array and TextDecoder' },
  XMLHttpRequest: WORLD,
  WebSocket: WORLD,
  console: WORLD,
  crypto: CHANCE,
  fetch: WORLD,
  globalThis: WORLD,
  navigator: WORLD,
  performance: CLOCK,
  process: WORLD,
  queueMicrotask: TIMER,
  require: WORLD,
  setImmediate: TIMER,
  setInterval: TIMER,
  setTimeout: TIMER,
  Intl: LOCALE,
};

const MEMBERS: Readonly<Record<string, Ban>> = {
  toLocaleDateString: LOCALE,
  toLocaleLowerCase: LOCALE,
  toLocaleString: LOCALE,
  toLocaleTimeString: LOCALE,
  toLocaleUpperCase: LOCALE,
};

const ASYNC = new Set(['async', 'await', 'Promise']);

const PURE = /^src\/(?:evidence|diagnosis|capacity|causes)\//;
const NO_WORLD = /^src\/(?:readers|ports|runtime|controllers|node|sim)\//;
/** The catalogue names the modules of causes and loads none: the caller does. */
const CATALOGUE = /^src\/causes\/[^/]+$/;

export const purity: Check = {
  title: 'the inner rooms reach no clock, chance, environment or network',
  run: (files) =>
    productFiles(files)
      .filter(({ path }) => !isTest(path) && (PURE.test(path) || NO_WORLD.test(path)))
      .flatMap((file) => violationsOf(file)),
};

function violationsOf(file: SourceFile): ReturnType<Check['run']> {
  const tokens = codeTokens(file);
  const waits = !PURE.test(file.path) || CATALOGUE.test(file.path);
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'name') return [];
    const ban = banAt(tokens, index) ?? (waits ? null : asyncAt(tokens, index));
    if (ban === null) return [];
    return [at(file, token.line, `${token.text} ${ban.does}; ${ban.instead}`)];
  });
}

function banAt(tokens: readonly Token[], index: number): Ban | null {
  const name = tokens[index]?.text ?? '';
  if (isMember(tokens, index)) return own(MEMBERS, name);
  if (isKey(tokens, index)) return null;
  if (name === 'Date') return dateAt(tokens, index);
  if (name === 'Math') return memberIs(tokens, index, 'random') ? CHANCE : null;
  return own(GLOBALS, name);
}

export function own(bans: Readonly<Record<string, Ban>>, name: string): Ban | null {
  return Object.hasOwn(bans, name) ? (bans[name] ?? null) : null;
}

/** `Date.now`, `Date()` and `new Date()`; a date made from a number is a value like any other. */
export function dateAt(tokens: readonly Token[], index: number): Ban | null {
  if (memberIs(tokens, index, 'now')) return CLOCK;
  const called = tokens[index + 1]?.text === '(';
  const made = tokens[index - 1]?.text === 'new';
  if (made) return called && tokens[index + 2]?.text !== ')' ? null : CLOCK;
  return called ? CLOCK : null;
}

function asyncAt(tokens: readonly Token[], index: number): Ban | null {
  const name = tokens[index]?.text ?? '';
  if (isMember(tokens, index) || isKey(tokens, index)) return null;
  const lazy = name === 'import' && tokens[index + 1]?.text === '(';
  return lazy || ASYNC.has(name) ? WAITING : null;
}

export function memberIs(tokens: readonly Token[], index: number, name: string): boolean {
  const dot = tokens[index + 1]?.text;
  if (dot === '.' || dot === '?.') return tokens[index + 2]?.text === name;
  return dot === '[' && tokens[index + 2]?.text === name;
}

export function isMember(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  return before?.kind === 'mark' && (before.text === '.' || before.text === '?.');
}

/** The name of a property, as the answers of other programs have it. */
export function isKey(tokens: readonly Token[], index: number): boolean {
  const optional = tokens[index + 1]?.text === '?' ? 1 : 0;
  if (tokens[index + 1 + optional]?.text !== ':') return false;
  return ['{', ',', ';', 'readonly'].includes(tokens[index - 1]?.text ?? '');
}
