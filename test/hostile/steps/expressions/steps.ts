import { type Program, programOf } from './program.ts';
import { Run, STEPS_MAX, type Tally } from './run.ts';
import { type Tree, treeOf } from './tree.ts';

export interface Found {
  /** Where the match is; -1 without one. */
  readonly index: number;
  readonly end: number;
  readonly steps: number;
}

interface Compiled {
  readonly program: Program;
  /** True for an expression that can begin at the first place only. */
  readonly isAnchored: boolean;
}

const COMPILED = new Map<string, Compiled>();

function isAnchored(tree: Tree): boolean {
  if (tree.kind === 'edge') return tree.edge === '^';
  if (tree.kind === 'group') return isAnchored(tree.body);
  if (tree.kind === 'either') return tree.options.every(isAnchored);
  return tree.kind === 'sequence' && tree.parts[0] !== undefined && isAnchored(tree.parts[0]);
}

function compiled({ source, flags }: RegExp): Compiled {
  const key = `${flags}/${source}`;
  const known = COMPILED.get(key);
  if (known !== undefined) return known;
  const tree = treeOf(source);
  const made = {
    program: programOf(tree, flags),
    isAnchored: isAnchored(tree) && !flags.includes('m'),
  };
  COMPILED.set(key, made);
  return made;
}

/** What an expression finds from a place on, by backtracking as V8 does, and in how many steps. */
export function stepsOfMatch(expression: RegExp, text: string, from = 0): Found {
  const { program, isAnchored: isFixed } = compiled(expression);
  const tally: Tally = { steps: 0 };
  const run = new Run(program, text, tally);
  const last = expression.sticky ? from : isFixed ? Math.min(from, 0) : text.length;
  for (let index = from; index <= last && tally.steps <= STEPS_MAX; index++) {
    const end = run.at(index);
    if (end >= 0) return { index, end, steps: tally.steps };
  }
  return { index: -1, end: -1, steps: tally.steps };
}
