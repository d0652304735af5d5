import type { Make } from '../inputs.ts';
import { type Has, setOf } from './program.ts';
import { type Tree, treeOf } from './tree.ts';

/** Loops of fewer turns cost little, however they are nested. */
const TURNS_LEAST = 8;
/** Letters tried for each loop: those that other parts of the expression take too. */
const LETTERS_MAX = 6;

/** Letters that stand for all others: one of each that the expression tells apart. */
const LETTERS = Array.from({ length: 127 - 32 }, (_, index) =>
  String.fromCharCode(32 + ((index + 65) % 95)),
).concat('\n', '\t', '\r', 'é', '\u2026', '\ue000');

interface Sets {
  readonly of: (source: string) => Has;
  /** One letter for each group of letters that no set tells apart. */
  readonly letters: readonly string[];
}

function sourcesIn(tree: Tree): readonly string[] {
  if (tree.kind === 'set') return [tree.source];
  if (tree.kind === 'sequence') return tree.parts.flatMap(sourcesIn);
  if (tree.kind === 'either') return tree.options.flatMap(sourcesIn);
  return 'body' in tree ? sourcesIn(tree.body) : [];
}

const NOTHING: Has = () => false;

function setsOf(tree: Tree, flags: string): Sets {
  const known = new Map([...new Set(sourcesIn(tree))].map((one) => [one, setOf(one, flags)]));
  const byForm = new Map<string, string>();
  for (const letter of LETTERS) {
    const members = [...known.values()].map((has) => (has(letter.charCodeAt(0)) ? 1 : 0)).join('');
    const form = `${members} ${letter === '\n' ? 'end' : /\w/.test(letter) ? 'word' : 'sign'}`;
    if (!byForm.has(form)) byForm.set(form, letter);
  }
  return { of: (source) => known.get(source) ?? NOTHING, letters: [...byForm.values()] };
}

function lettersOf(source: string, sets: Sets): readonly string[] {
  const has = sets.of(source);
  const count = (letter: string): number => letter.charCodeAt(0);
  return sets.letters.filter((letter) => has(count(letter)));
}

/** A short text that a part of an expression takes. */
function shortest(tree: Tree, sets: Sets): string {
  if (tree.kind === 'set') return lettersOf(tree.source, sets)[0] ?? '';
  if (tree.kind === 'sequence') return tree.parts.map((part) => shortest(part, sets)).join('');
  if (tree.kind === 'either')
    return tree.options
      .map((option) => shortest(option, sets))
      .reduce((one, other) => (other.length < one.length ? other : one));
  if (tree.kind === 'loop') return shortest(tree.body, sets).repeat(tree.min);
  return tree.kind === 'group' ? shortest(tree.body, sets) : '';
}

interface Loop {
  /** What stands before it. */
  readonly before: string;
  readonly turns: readonly string[];
}

function turnsOf(body: Tree, sets: Sets): readonly string[] {
  if (body.kind === 'set') return lettersOf(body.source, sets).slice(0, LETTERS_MAX);
  if (body.kind === 'either') return body.options.flatMap((option) => turnsOf(option, sets));
  if (body.kind === 'group') return turnsOf(body.body, sets);
  return [shortest(body, sets)];
}

function loopsIn(tree: Tree, before: string, sets: Sets): readonly Loop[] {
  if (tree.kind === 'either') return tree.options.flatMap((one) => loopsIn(one, before, sets));
  if (tree.kind === 'sequence') {
    let here = before;
    return tree.parts.flatMap((part) => {
      const found = loopsIn(part, here, sets);
      here += shortest(part, sets);
      return found;
    });
  }
  if (tree.kind !== 'loop') return 'body' in tree ? loopsIn(tree.body, before, sets) : [];
  const inner = loopsIn(tree.body, before, sets);
  if (tree.max < TURNS_LEAST) return inner;
  return [{ before, turns: turnsOf(tree.body, sets) }, ...inner];
}

/** What ends a text so that a match does not. */
const ENDS: readonly string[] = ['', '\u0000', '\n\u0000'];

function filled(head: string, piece: string, tail: string): Make {
  return (size) => `${head}${piece.repeat(Math.ceil(size / piece.length))}${tail}`;
}

/** Texts on which an expression goes back the most: each loop without an end, and its beginning over and over. */
export function baitsFor({ source, flags }: RegExp): ReadonlyMap<string, Make> {
  const tree = treeOf(source);
  const sets = setsOf(tree, flags);
  const baits = new Map<string, Make>();
  const put = (head: string, piece: string): void => {
    if (piece === '') return;
    for (const end of ENDS) baits.set(JSON.stringify([head, piece, end]), filled(head, piece, end));
  };
  put('', shortest(tree, sets));
  for (const { before, turns } of loopsIn(tree, '', sets))
    for (const turn of turns) {
      put(before, turn);
      put('', turn);
      put('', `${before}${turn}`);
      put('', before);
    }
  return baits;
}
