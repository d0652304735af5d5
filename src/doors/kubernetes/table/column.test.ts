import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import {
  type Cell,
  columns,
  count,
  flag,
  joined,
  namesAt,
  objectsAt,
  pairs,
  selector,
  text,
} from './column.ts';
import { NOW_MS } from './testing.ts';

function shown(cell: Cell, object: JsonObject): Json {
  return cell(object, NOW_MS);
}

test('the head of a column gives its name, type, format and priority', () => {
  const heads = 'Name/name | Desired:integer | Port(s) | Up-to-date:integer*12 | Age/date:string*1';
  const told = columns(heads).map(({ cell: _cell, ...rest }) => rest);
  const plain = { type: 'string', format: '', priority: 0, description: '' };
  assert.deepEqual(told, [
    { ...plain, name: 'Name', format: 'name' },
    { ...plain, name: 'Desired', type: 'integer' },
    { ...plain, name: 'Port(s)' },
    { ...plain, name: 'Up-to-date', type: 'integer', priority: 12 },
    { ...plain, name: 'Age', format: 'date', priority: 1 },
  ]);
});

test('a column without a cell is empty', () => {
  const [first, second] = columns('A | B', text('a'));
  assert.deepEqual([first?.cell({ a: 'x' }, NOW_MS), second?.cell({ a: 'x' }, NOW_MS)], ['x', '']);
});

test('cells of text, numbers and truths show a default for anything else', () => {
  assert.equal(shown(text('a', '<none>'), { a: '' }), '<none>');
  assert.equal(shown(text('a'), {}), '');
  assert.equal(shown(text('a.b'), { a: { b: 7 } }), '7');
  assert.equal(shown(count('a'), { a: 7 }), 7);
  assert.equal(shown(count('a'), { a: '7' }), 0);
  assert.equal(shown(flag('a'), { a: true }), true);
  assert.equal(shown(flag('a'), { a: 'true' }), false);
  assert.equal(shown(flag('a', true), { a: false }), false);
  assert.equal(shown(flag('a', true), {}), true);
});

test('lists of names leave out what has no name', () => {
  const list = [{ name: 'a', image: 'x' }, { image: 'y' }, 'text', { name: '' }, { name: 'b' }];
  assert.equal(shown(namesAt('list'), { list }), 'a,b');
  assert.equal(shown(namesAt('list', 'image'), { list }), 'x,y');
  assert.equal(objectsAt({ list }, 'list').length, 4);
  assert.equal(joined(['a', null, '', 'b'], ', '), 'a, b');
});

test('pairs are sorted, and shown as missing where there are none', () => {
  assert.equal(pairs({ b: '2', a: '1', c: 3 }), 'a=1,b=2,c=');
  for (const none of [{}, undefined, 'a=b', [], null]) assert.equal(pairs(none), '<none>');
  assert.equal(pairs({}, ''), '');
  assert.equal(pairs('a=b', ''), '');
});

describe('a label selector', () => {
  const shownOf = (spec: JsonObject): Json => shown(selector('spec'), { spec });
  const asked = (operator: string, values: readonly string[] = []): JsonObject => ({
    matchExpressions: [{ key: 'tier', operator, values }],
  });

  test('shows each operator as kubectl does', () => {
    assert.equal(shownOf(asked('Exists')), 'tier');
    assert.equal(shownOf(asked('DoesNotExist')), '!tier');
    assert.equal(shownOf(asked('In', ['web', 'db'])), 'tier in (db,web)');
    assert.equal(shownOf(asked('NotIn', ['web'])), 'tier notin (web)');
    assert.equal(shownOf(asked('Gt', ['3'])), 'tier Gt (3)');
  });

  test('shows labels before expressions, and one that selects everything', () => {
    assert.equal(shownOf({ matchLabels: { app: 'a' }, ...asked('Exists') }), 'app=a,tier');
    assert.equal(shownOf({ matchLabels: {}, matchExpressions: [] }), '<none>');
  });
});
