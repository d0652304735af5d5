import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closing, code, type Token, tokenize } from './tokens.ts';

function read(text: string): readonly string[] {
  return tokenize(text).map((token) => `${token.kind} ${token.text}`);
}

function names(text: string): readonly string[] {
  return tokenize(text).flatMap(({ kind, text: name }) => (kind === 'name' ? [name] : []));
}

test('quoted words, comments and expressions are not code', () => {
  const text = "call('Date.now()'); // Math.random\n/* fetch */ const a = /process['/]/g;";
  assert.deepEqual(names(text), ['call', 'const', 'a']);
});

test('a quote in a comment or an expression opens nothing', () => {
  assert.deepEqual(names("a // it's\nb = /[/']/ ; c = '\\'' + d"), ['a', 'b', 'c', 'd']);
});

test('a slash after a value divides', () => {
  assert.deepEqual(names('a / b / c; (d) / e; f[0] / g'), ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
});

test('code inside a template is code, at any depth', () => {
  assert.deepEqual(names('`one ${two({ a: `${three}}` })} four $5` + six'), [
    'two',
    'a',
    'three',
    'six',
  ]);
});

test('lines count through templates and comments', () => {
  const tokens = tokenize('a\n/*\n*/ b `\n\n` c');
  assert.deepEqual(
    tokens.map(({ line, endLine }) => [line, endLine]),
    [
      [1, 1],
      [2, 3],
      [3, 3],
      [3, 5],
      [5, 5],
    ],
  );
});

test('arrows, optional chains and spreads are one mark each', () => {
  assert.deepEqual(read('(...a) => b?.c'), [
    'mark (',
    'mark ...',
    'name a',
    'mark )',
    'mark =>',
    'name b',
    'mark ?.',
    'name c',
  ]);
});

test('rejects invalid TypeScript with its line', () => {
  assert.throws(() => tokenize('ok\n`open'), /line 2: the template has no end/);
});

test('matches a bracket by kind and depth', () => {
  const tokens: readonly Token[] = code(tokenize('f({ a: [1, (2)] /* } */ }, 3) + 4'));
  assert.equal(tokens[closing(tokens, 1)]?.text, ')');
  assert.equal(tokens[closing(tokens, 1) + 1]?.text, '+');
  assert.equal(tokens[closing(tokens, 2) + 1]?.text, ',');
});
