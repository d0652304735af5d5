import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { looksRandom, mayHoldRandomRun, redactRandomRuns, shareOfWords } from './random-runs.ts';

test('counts runs of three or more small letters', () => {
  assert.equal(shareOfWords('abcDEF'), 0.5);
  assert.equal(shareOfWords('abDEFG'), 0);
});

const RANDOM: readonly string[] = [
  'aB3dE5gH7jK9mN1p',
  'aB3dEfGhIjKlMnOpQ',
  'aBcDeFgHiJkLmNoPqRsTuVwXyZaB',
  'A1B2C3D4E5F6G7H8I9J1K2L3',
  'a1b2c3d4e5g6h7i8j9k1m2n3p4q5',
];

const NAMED: readonly string[] = [
  '0a1b2c3d4e5f0a1b2c3d4e5f0a1b2c3d',
  '0A1B2C3D4E5F0A1B2C3D4E5F0A1B2C3D',
  'aBcDeFgHiJkLmNoPqRsTuVwXyZa',
  'A1B2C3D4E5G6H7I8J9K1L2M',
  'a1b2c3d4e5g6h7i8j9k1m2n3p4q',
  'WordsOfSomeLanguage1',
  'ABCDEFGHIJKLMNOPQRSTUVWX',
  'abcdefghijklmnopqrstuvwxyz12',
];

describe('letters that were drawn by chance', () => {
  for (const piece of RANDOM) test(piece, () => assert.equal(looksRandom(piece), true));
  for (const piece of NAMED) test(`not ${piece}`, () => assert.equal(looksRandom(piece), false));
});

/** Forty and more signs of base64, made so that no scanner takes them for a key of somebody. */
const KEY = 'aB/cD+'.repeat(7);

describe('a run of base64', () => {
  const cases: readonly (readonly [string, string])[] = [
    [`1${KEY.slice(0, 39)}`, '‹redacted›'],
    [`x=1${KEY.slice(0, 41)}== y`, 'x=‹redacted› y'],
    [`${'a'.repeat(39)}1`, `${'a'.repeat(39)}1`],
    [`SHA256:1${KEY}`, `SHA256:1${KEY}`],
    [
      'plain/path/of/words/that/goes/on/and/on/and/on',
      'plain/path/of/words/that/goes/on/and/on/and/on',
    ],
    [`path/aB3dE5gH7jK9mN1p/rest`, 'path/‹redacted›/rest'],
  ];
  for (const [text, shown] of cases) test(text, () => assert.equal(redactRandomRuns(text), shown));
});

test('a text without long words is not looked through', () => {
  assert.equal(mayHoldRandomRun('Names of Machines, and no more'), false);
  assert.equal(mayHoldRandomRun('small letters and digits 0123456789012345678901234567'), true);
  assert.equal(mayHoldRandomRun('small letters and digits 012345678901234567890123456'), false);
  assert.equal(mayHoldRandomRun('A capital and 0123456789012345'), true);
  assert.equal(mayHoldRandomRun('A capital and 012345678901234'), false);
});
