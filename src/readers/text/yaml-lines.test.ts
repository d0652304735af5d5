import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LinedYaml, parseLinedYaml } from './yaml-lines.ts';

function parsed(text: string): LinedYaml {
  const result = parseLinedYaml(text);
  assert.ok(result.ok, 'it is no YAML');
  return result;
}

test('every value has its line, by its path', () => {
  const { value, lineOf } = parsed(
    'players:\n  - at: 1\n    name:\n      first: a\n  - at: 2\n\nsettings: {deep: {x: 1,\n  y: 2}}\nlist:\n- [1,\n   2]\n',
  );
  assert.deepEqual(value, {
    players: [{ at: 1, name: { first: 'a' } }, { at: 2 }],
    settings: { deep: { x: 1, y: 2 } },
    list: [[1, 2]],
  });
  const lines: Readonly<Record<string, number>> = {
    '': 1,
    players: 1,
    'players.0': 2,
    'players.0.at': 2,
    'players.0.name': 3,
    'players.0.name.first': 4,
    'players.1': 5,
    'players.1.at': 5,
    settings: 7,
    'settings.deep': 7,
    'settings.deep.x': 7,
    'settings.deep.y': 8,
    list: 9,
    'list.0': 10,
    'list.0.0': 10,
    'list.0.1': 11,
  };
  for (const [path, line] of Object.entries(lines)) assert.equal(lineOf(path), line, path);
});

test('an unknown path has the line of its nearest parent', () => {
  const { lineOf } = parsed('# words\n\na:\n  b:\n    c: 1\n');
  assert.deepEqual(['a.b.x', 'a.x.y.z', 'x', ''].map(lineOf), [4, 3, 1, 1]);
});

test('an alias is where it is written', () => {
  const { value, lineOf } = parsed('a: &x\n  k: 1\nb:\n  - 0\n  - *x\nc: *x\n');
  assert.deepEqual(value, { a: { k: 1 }, b: [0, { k: 1 }], c: { k: 1 } });
  assert.deepEqual(['b.1', 'c', 'a.k'].map(lineOf), [5, 6, 2]);
});

test('a long name is cut in a path', () => {
  const name = 'x'.repeat(300);
  const { lineOf } = parsed(`a: 1\n${name}:\n  b: 1\n`);
  assert.equal(lineOf(name.slice(0, 200)), 2);
  assert.equal(lineOf(`${name.slice(0, 200)}.b`), 3);
  assert.equal(lineOf(name), 1);
});

test('a text that is not YAML has a line and a reason', () => {
  const broken = parseLinedYaml('a: 1\nb: [\nc: }\n');
  assert.ok(!broken.ok);
  assert.ok(broken.line >= 2 && broken.line <= 4, String(broken.line));
  assert.notEqual(broken.why, '');
  assert.equal(parseLinedYaml(`${'['.repeat(30)}${']'.repeat(30)}`).ok, false);
  assert.equal(parseLinedYaml(`${'['.repeat(10)}${']'.repeat(10)}`).ok, true);
});
