import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requiredWords } from './required-words.ts';

const WORDS: readonly (readonly [RegExp, readonly (readonly string[])[]])[] = [
  [/failed to (?:create|get) pod/, [['failed'], ['create', 'get'], ['pod']]],
  [/[Ff]ailed\b.{0,9}node "(?<node>[a-z]+)" lost/, [['ailed'], ['node'], ['lost']]],
  [/one|two words/, [['words', 'one']]],
  [/optional(?: part)? end(?:s here)?/, [['optional'], ['end']]],
  [/(?:repeated ){2}and x{3,4}more+/, [['repeated'], ['more'], ['and']]],
  [/(?!never)(?=ahead)(?<!before)(?<=behind)said/, [['said']]],
  [/escaped\.dot\/slash\\back "quoted"/, [['escaped.dot'], ['quoted'], ['slash'], ['back']]],
  [/abc{0,2}def?/, [['ab'], ['de']]],
  [/no/, []],
  [/whatever/i, []],
];

test('words that every match of an expression contains are found', () => {
  for (const [pattern, expected] of WORDS) {
    const long = expected.filter((words) => words.every((word) => word.length >= 3));
    const sorted = (lists: readonly (readonly string[])[]): readonly string[] =>
      lists.map((words) => words.toSorted().join(' ')).toSorted();
    assert.deepEqual(sorted(requiredWords(pattern)), sorted(long), String(pattern));
  }
});
