/** Words that say nothing, kept out of names. */
import {
  at,
  type Check,
  codeTokens,
  isTypeScript,
  type SourceFile,
  type Violation,
} from './sources.ts';
import type { Token } from './tokens.ts';

const BANNED = new Set(
  'manager helper helpers util utils utility utilities handle process data info'.split(' '),
);

/** Terms of the field that contain such a word. */
const TERMS = [
  /user-data/g,
  /config-map-data/g,
  /(?:cloud-|kube-)*controller-manager/g,
  /session-manager/g,
  /secrets-manager/g,
  /node-info/g,
];

export const names: Check = {
  title: 'names say what a thing is, in the words of the field',
  run: (files) => [
    ...files.filter(isTypeScript).flatMap(declaredNames),
    ...files.filter(isOurs).flatMap(pathName),
  ],
};

function declaredNames(file: SourceFile): readonly Violation[] {
  const tokens = codeTokens(file);
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'name' || !isDeclared(tokens, index)) return [];
    const word = bannedWord(token.text);
    return word === null ? [] : [at(file, token.line, advice(token.text, word))];
  });
}

function advice(name: string, word: string): string {
  return `${name} says "${word}", which says nothing; name what it holds or does`;
}

const DECLARES = new Set('const let var function class interface type'.split(' '));

/** Keys and members are not asked, as they may be those of other programs. */
function isDeclared(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  if (before?.kind === 'mark' && before.text === '*') return tokens[index - 2]?.text === 'function';
  return (
    before?.kind === 'name' && DECLARES.has(before.text) && tokens[index - 2]?.text !== 'import'
  );
}

/** @returns the first word of a name that is banned, or null */
export function bannedWord(name: string): string | null {
  const kebab = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
  const rest = TERMS.reduce((text, term) => text.replaceAll(term, ''), kebab);
  return rest.split(/[^a-z0-9]+/).find((word) => BANNED.has(word)) ?? null;
}

/** Causes are named by the catalogue, and examples after what was found. */
function isOurs({ path }: SourceFile): boolean {
  return /^(?:src|test|tools|bench|docs|bin)\//.test(path) && !/^(?:src|docs)\/causes\//.test(path);
}

function pathName(file: SourceFile): readonly Violation[] {
  const word = bannedWord(file.path.replaceAll('/', '-'));
  return word === null ? [] : [at(file, 1, advice(file.path, word))];
}
