import type { Times, Tree } from './tree.ts';

/** Whether a code unit belongs to a set. */
export type Has = (code: number) => boolean;

/** A step of a program; `back` ones read the text from right to left, inside of lookbehinds. */
export type Step =
  | { readonly kind: 'one'; readonly has: Has; readonly back: boolean }
  | ({ readonly kind: 'many'; readonly has: Has; readonly back: boolean } & Times)
  | { readonly kind: 'fork'; readonly to: readonly number[] }
  | { readonly kind: 'go'; readonly to: number }
  | { readonly kind: 'begin'; readonly slot: number }
  | ({ readonly kind: 'again'; readonly slot: number; readonly to: number } & Times)
  | { readonly kind: 'mark'; readonly slot: number }
  | { readonly kind: 'look'; readonly wanted: boolean; readonly steps: readonly Step[] }
  | { readonly kind: 'edge'; readonly edge: '^' | '$' | 'b' | 'B' }
  | { readonly kind: 'same'; readonly name: string; readonly back: boolean }
  | { readonly kind: 'done' };

export interface Program {
  readonly steps: readonly Step[];
  /** Numbers that steps keep: turns and places of loops, begins and ends of groups. */
  readonly slots: number;
  readonly groups: ReadonlyMap<string, number>;
  readonly multiline: boolean;
}

interface Draft {
  readonly flags: string;
  readonly groups: Map<string, number>;
  readonly sets: Map<string, Has>;
  slots: number;
}

type Exec = (this: RegExp, text: string) => RegExpExecArray | null;

/** The engine's own, whatever is counted later. */
const EXEC: Exec = Reflect.get(RegExp.prototype, 'exec');

/** Asks the engine itself about each code unit, once. */
export function setOf(source: string, flags: string): Has {
  const pattern = new RegExp(`^(?:${source})$`, flags.replaceAll(/[^isu]/g, ''));
  const known = new Int8Array(65_536);
  return (code) => {
    if (known[code] === 0)
      known[code] = Reflect.apply(EXEC, pattern, [String.fromCharCode(code)]) === null ? -1 : 1;
    return known[code] === 1;
  };
}

export function programOf(tree: Tree, flags: string): Program {
  const draft: Draft = { flags, groups: new Map(), sets: new Map(), slots: 0 };
  const steps: Step[] = [];
  add(tree, steps, draft, false);
  steps.push({ kind: 'done' });
  return { steps, slots: draft.slots, groups: draft.groups, multiline: flags.includes('m') };
}

function hasOf(source: string, draft: Draft): Has {
  const has = draft.sets.get(source) ?? setOf(source, draft.flags);
  draft.sets.set(source, has);
  return has;
}

function add(tree: Tree, steps: Step[], draft: Draft, back: boolean): void {
  switch (tree.kind) {
    case 'set':
      steps.push({ kind: 'one', has: hasOf(tree.source, draft), back });
      return;
    case 'sequence':
      for (const part of back ? tree.parts.toReversed() : tree.parts) add(part, steps, draft, back);
      return;
    case 'either':
      return addEither(tree.options, steps, draft, back);
    case 'loop':
      return addLoop(tree, steps, draft, back);
    case 'group':
      return addGroup(tree, steps, draft, back);
    case 'look': {
      const own: Step[] = [];
      add(tree.body, own, draft, !tree.ahead);
      own.push({ kind: 'done' });
      steps.push({ kind: 'look', wanted: tree.wanted, steps: own });
      return;
    }
    case 'edge':
      steps.push({ kind: 'edge', edge: tree.edge });
      return;
    case 'reference':
      steps.push({ kind: 'same', name: tree.name, back });
      return;
  }
}

function addEither(options: readonly Tree[], steps: Step[], draft: Draft, back: boolean): void {
  const to: number[] = [];
  const ends: number[] = [];
  steps.push({ kind: 'fork', to });
  for (const option of options) {
    to.push(steps.length);
    add(option, steps, draft, back);
    ends.push(steps.length);
    steps.push({ kind: 'go', to: -1 });
  }
  for (const end of ends) steps[end] = { kind: 'go', to: steps.length };
}

function addLoop(tree: Tree & { kind: 'loop' }, steps: Step[], draft: Draft, back: boolean): void {
  const { min, max, greedy, body } = tree;
  if (body.kind === 'set') {
    steps.push({ kind: 'many', has: hasOf(body.source, draft), back, min, max, greedy });
    return;
  }
  const slot = draft.slots;
  draft.slots += 2;
  steps.push({ kind: 'begin', slot });
  const again = steps.length;
  steps.push({ kind: 'done' });
  add(body, steps, draft, back);
  steps.push({ kind: 'go', to: again });
  steps[again] = { kind: 'again', slot, to: steps.length, min, max, greedy };
}

function addGroup(
  tree: Tree & { kind: 'group' },
  steps: Step[],
  draft: Draft,
  back: boolean,
): void {
  const slot = draft.groups.get(tree.name) ?? draft.slots;
  if (slot === draft.slots) draft.slots += 2;
  draft.groups.set(tree.name, slot);
  steps.push({ kind: 'mark', slot: back ? slot + 1 : slot });
  add(tree.body, steps, draft, back);
  steps.push({ kind: 'mark', slot: back ? slot : slot + 1 });
}
