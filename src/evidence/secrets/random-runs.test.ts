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
  'A1b2c3d4A5f6g7h8',
  'A1B2C3D4e5F6e7H8',
  // Changes at 9 of 25 places, which is the least.
  'AAAbbAAbbAAbbAAbbAA1111111',
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
  'A1c2z3d4e5f6g7h8',
  'A1B2C3D4E5F6z7H8',
  'AAAbbAAbbAAbbAAbb111111111',
  'AAAAbbAAAAbbAAAAbbAAAA1AAA',
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
    ['Path/of/some/words/that/goes/on/And/on01', 'Path/of/some/words/that/goes/on/And/on01'],
    ['Ab-c1-d2-e3-f4-a5-b6-c7-d8-e9-Cd', '‹redacted›'],
    ['Ab-c1-d2-e3-f4-a5-b6-c7-d8-e-Cd', 'Ab-c1-d2-e3-f4-a5-b6-c7-d8-e-Cd'],
    ['a1z-b2y-c3x-d4w-e5v-f6u-g7t-h8s-j9k-k1m', 'a1z-b2y-c3x-d4w-e5v-f6u-g7t-h8s-j9k-k1m'],
    ['eks-Prod-NodeGroup-0a1b2c3d4e5f60718293', 'eks-Prod-NodeGroup-0a1b2c3d4e5f60718293'],
    ['AbC-dEf-GhI-JkL-MnO-PqR-0a1b2c3d', 'AbC-dEf-GhI-JkL-MnO-PqR-0a1b2c3d'],
  ];
  for (const [text, shown] of cases) test(text, () => assert.equal(redactRandomRuns(text), shown));
});

/** Base64 of so many letters of each kind; slashes keep them from being words. */
function base64Of(length: number, upper: number, lower: number, digits: number): string {
  const letters = 'B'.repeat(upper) + 'a'.repeat(lower) + '1'.repeat(digits);
  return (letters.match(/.{1,2}/g) ?? []).join('/').padEnd(length, '+');
}

type Letters = readonly [length: number, upper: number, lower: number, digits: number];

const KEYS: readonly Letters[] = [
  // The length of a secret access key, and that of a body.
  [40, 1, 1, 1],
  [200, 2, 2, 2],
  [50, 10, 10, 2],
  [44, 11, 11, 1],
  [42, 14, 14, 0],
];

const TOO_PLAIN: readonly Letters[] = [
  [40, 14, 12, 0],
  [39, 9, 9, 2],
  [41, 1, 1, 1],
  [199, 2, 2, 2],
  [200, 1, 2, 2],
  [200, 2, 1, 2],
  [50, 9, 20, 2],
  [50, 20, 9, 2],
  [44, 10, 18, 1],
  [42, 13, 14, 0],
];

describe('the longer base64 is, unless it is a key in length, the more evenly a key mixes', () => {
  for (const letters of KEYS)
    test(letters.join(', '), () => {
      assert.equal(redactRandomRuns(base64Of(...letters)), '‹redacted›');
    });
  for (const letters of TOO_PLAIN)
    test(`not ${letters.join(', ')}`, () => {
      const run = base64Of(...letters);
      assert.equal(redactRandomRuns(run), run);
    });
});

test('a text without long words is not looked through', () => {
  assert.equal(mayHoldRandomRun('Names of Machines, and no more'), false);
  assert.equal(mayHoldRandomRun('small letters and digits 0123456789012345678901234567'), true);
  assert.equal(mayHoldRandomRun('small letters and digits 012345678901234567890123456'), false);
  assert.equal(mayHoldRandomRun('A capital and 0123456789012345'), true);
  assert.equal(mayHoldRandomRun('A capital and 012345678901234'), false);
});
