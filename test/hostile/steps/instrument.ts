import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { closing, code, type Token, tokenize } from '../../architecture/tokens.ts';

/** Counts one turn; what the changed sources call. */
const TURN = '$turns.count++';

interface Turns {
  count: number;
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** Where each token begins: tokens know their lines only. */
function offsetsOf(text: string, tokens: readonly Token[]): readonly number[] {
  let at = 0;
  return tokens.map(({ kind, text: words }) => {
    while (/\s/.test(text[at] ?? '')) at++;
    const start = at;
    at += words.length + (kind === 'string' ? 2 : 0);
    return start;
  });
}

/** In the condition of a loop: `for (;;)` is asked before each turn, `for (… of …)` is none. */
function conditionOf(tokens: readonly Token[], open: number): number {
  const end = closing(tokens, open);
  const stops: number[] = [];
  for (let index = open + 1; index < end; index++) {
    const { kind, text } = tokens[index] ?? { kind: 'mark', text: '' };
    if (kind !== 'mark') continue;
    if (text === ';') stops.push(index);
    if (text === '(' || text === '[' || text === '{') index = closing(tokens, index);
  }
  const [first, second] = stops;
  return first === undefined || second === first + 1 ? -1 : first + 1;
}

/** A block behind `)` or `=>`: of a function, a loop or a branch, but not the cases of a switch. */
function isBlock(tokens: readonly Token[], index: number, cases: ReadonlySet<number>): boolean {
  const before = tokens[index - 1];
  return (
    before?.kind === 'mark' && (before.text === ')' || before.text === '=>') && !cases.has(index)
  );
}

function insertionsOf(tokens: readonly Token[], offsets: readonly number[]): readonly Insertion[] {
  const made: Insertion[] = [];
  const cases = new Set<number>();
  const put = (index: number, behind: number, text: string): void => {
    made.push({ at: (offsets[index] ?? 0) + behind, text });
  };
  for (const [index, { kind, text }] of tokens.entries()) {
    const isCall = tokens[index - 1]?.text === '.' || tokens[index + 1]?.text !== '(';
    if (kind === 'name' && !isCall) {
      if (text === 'switch') cases.add(closing(tokens, index + 1) + 1);
      if (text === 'while') put(index + 1, 1, `${TURN},`);
      const condition = text === 'for' ? conditionOf(tokens, index + 1) : -1;
      if (condition >= 0) put(condition, 0, `${TURN},`);
    }
    if (kind === 'mark' && text === '{' && isBlock(tokens, index, cases)) put(index, 1, `${TURN};`);
  }
  return made;
}

/** The same program, which counts the turns of its functions, branches and loops. */
export function instrumented(source: string): string {
  const all = tokenize(source);
  const offsets = offsetsOf(source, all);
  const kept = offsets.filter((_, index) => all[index]?.kind !== 'comment');
  let changed = '';
  let done = 0;
  for (const { at, text } of insertionsOf(code(all), kept)) {
    changed += source.slice(done, at) + text;
    done = at;
  }
  return changed + source.slice(done);
}

const ROOT = new URL('../../..', import.meta.url).href;
const COUNTED = ['src/', 'node_modules/js-yaml/', 'test/hostile/steps/planted.ts'];

/** From now on what is imported of the product counts its own turns. */
export function countTurns(): Turns {
  const turns: Turns = { count: 0 };
  Object.defineProperty(globalThis, '$turns', { value: turns });
  registerHooks({
    load: (url, context, next) => {
      if (!COUNTED.some((place) => url.startsWith(ROOT + place))) return next(url, context);
      const text = readFileSync(fileURLToPath(url), 'utf8');
      const plain = url.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
      return { format: 'module', source: instrumented(plain), shortCircuit: true };
    },
  });
  return turns;
}
