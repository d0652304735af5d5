import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { literalsOf } from './literals.ts';

const EXPECTED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/no available device number/, ['no available device number']],
  [/[Ee]xceeded the limit/, ['Exceeded the limit', 'exceeded the limit']],
  [/first words|second words/, ['first words', 'second words']],
  [/The (?:subnet|group) '(?<id>[a-z0-9]+)' does not exist/, [' does not exist']],
  [/Node (?<node>\S+) deleted: not in the cloud/, [' deleted: not in the cloud']],
  [/(?:optional words )?needed words/, ['needed words']],
  [/colou?rful words/, ['rful words']],
  [/(?=look ahead at this)needed words/, ['needed words']],
  [/(?<!not )needed words\b/, ['needed words']],
  [/version v1\.2[0-9] words/, ['version v1.2']],
  [/(?:long words|ab)/, []],
  [/anything at all/i, []],
  [/\w+: \d+/, []],
];

for (const [pattern, literals] of EXPECTED)
  test(`${String(pattern)} needs ${literals.join(' or ') || 'no literal'}`, () => {
    assert.deepEqual(literalsOf(pattern), literals);
  });

test('every match of a drawn expression contains one of its literals', () => {
  const word = fc.stringMatching(/^[a-z]{6,9}$/);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, word, fc.constantFrom('a?b', '.*', '\\s+', '[xyz]')), {
        minLength: 1,
        maxLength: 3,
      }),
      (parts) => {
        const source = parts.map(([one, other, glue]) => `(?:${one}|${other})${glue}`).join('');
        const text = parts
          .map(([one, , glue]) => one + { 'a?b': 'b', '.*': 'q', '\\s+': '  ', '[xyz]': 'y' }[glue])
          .join('');
        const pattern = new RegExp(source);
        assert.match(text, pattern);
        const literals = literalsOf(pattern);
        assert.ok(
          literals.length > 0 && literals.some((literal) => text.includes(literal)),
          source,
        );
      },
    ),
  );
});
