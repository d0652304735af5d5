import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionsOf } from './functions.ts';
import { planted } from './sources.ts';

function spans(text: string): readonly string[] {
  return planted({ 'src/a.ts': text }).flatMap((file) =>
    functionsOf(file).map(({ name, line, lines }) => `${name} ${line} ${lines}`),
  );
}

test('declarations and methods are measured to their closing brace', () => {
  const text = `function one() {
    return 1;
  }
  export async function two<T extends { a: string }>(
    { b }: { b: T },
  ): Promise<{ c: string }> {
    if (b) { return b; }
  }
  const object = {
    three(a: string): a is 'x' { return true; },
    async *four() {
    },
  };`;
  assert.deepEqual(spans(text), ['one 1 3', 'two 4 5', 'three 10 1', 'four 11 2']);
});

test('an arrow with a name is a function, a callback belongs to its caller', () => {
  const text = `const one = (a: string) => a;
  const two = async <T>(b: T): Promise<{ c: T }> => {
    return { c: b };
  };
  const three = d =>
    list.map((e) => {
      return e;
    });
  const four = list.filter((f) => f);`;
  assert.deepEqual(spans(text), ['one 1 1', 'two 2 3', 'three 5 4']);
});

test('calls, conditions and types do not count as functions', () => {
  const text = `if (a()) { b(); }
  for (const c of d()) { e(); }
  switch (f()) { case g(): { h(); } }
  interface I { method(a: string): { b: string }; other(): void }
  type F = (a: string) => { b: string };
  const j = k ? (l) : { m: 1 };
  try { n(); } catch (o) { p(); }`;
  assert.deepEqual(spans(text), []);
});
