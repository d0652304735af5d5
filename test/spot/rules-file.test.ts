import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_RULES, means } from '../../src/capacity/spot/rules.ts';
import { readSpotRules } from '../../src/readers/spot/rules-file.ts';

function faultsOf(text: string): readonly string[] {
  const read = readSpotRules(text);
  return read.ok ? [] : read.faults.map(({ line, why }) => `${line}: ${why}`);
}

describe('a rules file', () => {
  test('changes what it names and leaves the rest', () => {
    const read = readSpotRules(
      'never: [t3, "*.metal"]\nprefer:\n  - m7g\nbudget: 2.5\nmaxSharePerPool: 30%\n',
    );
    assert.deepEqual(read, {
      ok: true,
      rules: {
        ...DEFAULT_RULES,
        never: ['t3', '*.metal'],
        prefer: ['m7g'],
        budget: 2.5,
        maxSharePerPool: 0.3,
      },
    });
  });

  for (const text of ['', '# nothing\n', '---\n'])
    test(`may be empty: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readSpotRules(text), { ok: true, rules: DEFAULT_RULES });
    });

  for (const [text, fault] of [
    [
      'never: []\nregionsAllowed: 2\n',
      /^2: unknown rule "regionsAllowed"; use never, prefer, budget/,
    ],
    ['maxSharePerPol: 1\n', /^1: unknown rule "maxSharePerPol"; did you mean maxSharePerPool\?/],
    ['never: []\nbudget: much\n', /^2: budget must be a number from 0\.0001 to 1000000 dollars/],
    ['maxSharePerPool: 140%\n', /^1: maxSharePerPool must be a share above 0, at most 1/],
    ['maxSharePerZone: 0\n', /^1: maxSharePerZone must be a share/],
    ['never:\n  - t3\n  - m5 large\n', /^3: never must be a list of types/],
    ['prefer: m7g\n', /^1: prefer must be a list/],
    ['never: [t3\n', /^2: /],
    ['never: [t3]\nnever: [m5]\n', /^2: .*duplicate/i],
    ['- never\n', /^1: a rules file is a mapping/],
  ] as const)
    test(`is refused with its line: ${JSON.stringify(text)}`, () => {
      assert.match(faultsOf(text).at(-1) ?? '', fault);
    });

  for (const [text, sentence] of [
    [
      'never: [m7g]\nprefer: [m7g.large]\n',
      '2: prefer has m7g.large, and never excludes all of it',
    ],
    ['prefer: [m7g]\nnever: ["m7*"]\n', '1: prefer has m7g, and never excludes all of it'],
    ['budget: 1\nnever: ["*"]\n', '2: never excludes every type, so that no mix is possible'],
    [
      'maxSharePerPool: 0.5\nmaxSharePerZone: 0.4\n',
      '2: maxSharePerZone 40 % is less than maxSharePerPool 50 %, which could never be reached',
    ],
  ] as const)
    test(`contradicts itself: ${sentence}`, () => {
      assert.deepEqual(faultsOf(text), [sentence]);
    });

  test('may exclude a part of a preferred family', () => {
    assert.deepEqual(faultsOf('never: ["*.metal"]\nprefer: [m7g]\n'), []);
  });
});

test('a pattern means types by their whole name', () => {
  const meant = (pattern: string) =>
    ['m5.large', 'm5a.large', 'm5.metal', 'c5.xlarge'].filter((type) => means(pattern, type));
  assert.deepEqual(meant('m5'), ['m5.large', 'm5.metal']);
  assert.deepEqual(meant('m5*'), ['m5.large', 'm5a.large', 'm5.metal']);
  assert.deepEqual(meant('*.metal'), ['m5.metal']);
  assert.deepEqual(meant('*5*.*large'), ['m5.large', 'm5a.large', 'c5.xlarge']);
  assert.deepEqual(meant('.large'), []);
});
