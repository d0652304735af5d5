import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shareOf, tellShare } from '../share.ts';
import { worstOf } from './steps/expressions/growth.ts';
import { collectConstructed, writtenExpressions } from './steps/expressions/known.ts';
import { stepsOfMatch } from './steps/expressions/steps.ts';
import { INPUTS } from './steps/inputs.ts';

const constructed = collectConstructed();
await import('../../src/evidence/redact.ts');
await import('../../src/readers/kube/describe.ts');
// What is written down is put together too when it is read.
const expressions = [...constructed].concat(writtenExpressions());

const CHARACTERS_MAX = 1024;
const FILES_OF = 6;

/** Files whose expressions see so much of a line and no more: there the square of it is the end. */
const LOOKED_AT: Readonly<Record<string, number>> = {
  'src/readers/line/origin.ts': 2000,
  // Digits of a count of ours.
  'src/readers/shortening.ts': 20,
};
const STEPS_PER_CHARACTER_MAX = 500;

/** Expressions that look so far ahead and no further, which is more than the baits are long. */
const BOUNDED = /ey(?:J)?\[A-Za-z0-9_-\]\{8,2000\}|chpasswd:\[\^\]\{0,400\}/;

function faultOf({ file, expression }: (typeof expressions)[number]): readonly string[] {
  if (BOUNDED.test(expression.source)) return [];
  const last = LOOKED_AT[file];
  const worst = worstOf(expression, Math.min(last ?? CHARACTERS_MAX, CHARACTERS_MAX));
  if (worst === null) return [];
  if (last !== undefined && worst.stepsPerCharacter <= STEPS_PER_CHARACTER_MAX) return [];
  const { bait, ratio, stepsPerCharacter } = worst;
  return [
    `${file}: ${String(expression).slice(0, 80)} on ${bait}: ${Math.round(stepsPerCharacter)} steps for a character, ${ratio.toFixed(1)} times for twice as many`,
  ];
}

describe('no expression of the readers goes back further when a text is longer', () => {
  const files = [...new Set(expressions.map(({ file }) => file))];
  const chosen = shareOf(files, FILES_OF);
  tellShare('files with expressions', chosen.length, files.length);
  for (const file of chosen)
    test(file, { timeout: 120_000 }, () => {
      assert.deepEqual(expressions.filter((one) => one.file === file).flatMap(faultOf), []);
    });
});

describe('the engine that counts steps', () => {
  test('finds what V8 finds', () => {
    const texts = Object.values(INPUTS)
      .filter((_, index) => index % 4 === 0)
      .map((make) => make(40));
    for (const { expression } of expressions) {
      const plain = new RegExp(expression.source, expression.flags.replaceAll(/[gy]/g, ''));
      for (const text of texts) {
        const match = plain.exec(text);
        const { index, end } = stepsOfMatch(plain, text);
        const expected = match === null ? [-1, -1] : [match.index, match.index + match[0].length];
        assert.deepEqual([index, end], expected, `${plain} on ${text}`);
      }
    }
  });

  for (const [name, planted] of Object.entries({
    'blanks at the end': /\s+$/,
    'two loops over the same letters': /^a*a*$/,
    'a loop of loops': /^(?:a+)+$/,
    'a beginning that comes again': /X.*Y/,
    'blank lines before a head': /^\s*NAME/m,
    'three loops in a row': /^\s+\s*(?:.*\s)?b/,
  }))
    test(`finds ${name} quadratic or worse`, () => {
      assert.ok((worstOf(planted, CHARACTERS_MAX)?.ratio ?? 0) > 3.5);
    });

  for (const harmless of [/^\s*a/, /(?<!\\)\\+"/, /^[^@\n]*@.*$/, /a{1,3}b/])
    test(`finds ${harmless} linear`, () => {
      assert.equal(worstOf(harmless, CHARACTERS_MAX), null);
    });
});
