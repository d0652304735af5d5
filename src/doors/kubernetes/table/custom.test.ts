import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import { customColumns, stepsOf } from './custom.ts';
import { NOW_MS } from './testing.ts';

const OBJECT = {
  metadata: { name: 'one', labels: { 'a.b/c': 'slashed', 'a.b': 'dotted' } },
  spec: { size: 7, big: true, share: 0.5, rules: { a: 1 }, none: null, zones: ['a', 'b'] },
  status: {
    conditions: [
      { type: 'Other', status: 'False', at: '2026-01-01T00:00:00Z' },
      { type: 'Ready', status: 'True', at: '2026-01-01T23:59:00Z' },
    ],
    text: 'words',
  },
};

function shown(jsonPath: string, type = 'string', object: JsonObject = OBJECT): Json {
  const [, column] = customColumns([{ name: 'C', type, jsonPath }]);
  return column?.cell(object, NOW_MS) ?? null;
}

test('the name comes first, then the columns as the definition has them', () => {
  const whole = {
    name: 'Ready',
    type: 'date',
    format: 'date-time',
    priority: 1,
    description: 'When.',
    jsonPath: '.x',
  };
  const told = customColumns([whole, {}]).map(({ cell: _cell, ...rest }) => rest);
  const { jsonPath: _jsonPath, ...known } = whole;
  assert.deepEqual(told, [
    { name: 'Name', type: 'string', format: 'name', priority: 0, description: '' },
    known,
    { name: '', type: 'string', format: '', priority: 0, description: '' },
  ]);
  assert.equal(customColumns([])[0]?.cell(OBJECT, NOW_MS), 'one');
});

describe('a path', () => {
  test('leads to keys, also to quoted and escaped ones', () => {
    assert.equal(shown('.spec.size'), '7');
    assert.equal(shown(".metadata.labels['a.b/c']"), 'slashed');
    assert.equal(shown(String.raw`.metadata.labels.a\.b`), 'dotted');
    assert.equal(shown('.spec.none-such'), null);
    assert.equal(shown('.toString'), null);
    assert.equal(shown('.status.text.length'), null);
    assert.equal(shown('.spec.zones.length'), null);
  });

  test('leads to one entry of a list, to the first of all, or of those with a value', () => {
    assert.equal(shown('.spec.zones[1]'), 'b');
    assert.equal(shown('.spec.zones[2]'), null);
    assert.equal(shown('.spec.zones[*]'), 'a');
    assert.equal(shown('.status.conditions[*].type'), 'Other');
    assert.equal(shown('.status.conditions[?(@.type=="Ready")].status'), 'True');
    assert.equal(shown(".status.conditions[?(@.type == 'Ready')].status"), 'True');
    assert.equal(shown('.status.conditions[?(@.type=="None")].status'), null);
    assert.equal(shown('.spec[0]'), null);
    assert.equal(shown('.spec[*]'), null);
    assert.equal(shown('.status.text[0]'), null);
    assert.equal(
      shown('.spec.zones[10]', 'string', { spec: { zones: 'abcdefghijk'.split('') } }),
      'k',
    );
  });

  test('of another form is refused, and so shows nothing', () => {
    for (const path of ['..x', '{.a}', 'a', '.a[?(@.b>1)]', '.a b', '.a[', "['']"]) {
      assert.equal(stepsOf(path), null, path);
      assert.equal(shown(path), null, path);
    }
  });

  test('may be empty, and has limits', () => {
    assert.deepEqual(stepsOf(''), []);
    assert.equal(stepsOf('.a'.repeat(32))?.length, 32);
    assert.equal(stepsOf('.a'.repeat(33)), null);
    assert.equal(stepsOf(`.${'a'.repeat(1023)}`)?.length, 1);
    assert.equal(stepsOf(`.${'a'.repeat(1024)}`), null);
  });
});

describe('a value', () => {
  test('is shown by the type of its column, and not where it is of another', () => {
    assert.equal(shown('.spec.size', 'integer'), 7);
    assert.equal(shown('.spec.share', 'number'), 0.5);
    assert.equal(shown('.status.text', 'integer'), null);
    assert.equal(shown('.status.text', 'number'), null);
    assert.equal(shown('.spec.big', 'boolean'), true);
    assert.equal(shown('.status.text', 'boolean'), null);
    assert.equal(shown('.status.text'), 'words');
    assert.equal(shown('.spec.big'), 'true');
    assert.equal(shown('.spec.rules'), '{"a":1}');
    assert.equal(shown('.spec.none'), null);
  });

  test('of a date is an age', () => {
    assert.equal(shown('.status.conditions[1].at', 'date'), '60s');
    for (const path of ['.spec.size', '.spec.none', '.spec.missing'])
      assert.equal(shown(path, 'date'), '<unknown>', path);
  });

  test('of a column without a type is text', () => {
    const [, column] = customColumns([{ name: 'C', jsonPath: '.spec.size' }]);
    assert.equal(column?.cell(OBJECT, NOW_MS), '7');
  });
});
