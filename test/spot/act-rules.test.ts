/** Files of rules that act: what is read, and what is refused with its line. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type ActRule, actContradictions } from '../../src/capacity/spot/act-rules.ts';
import { means } from '../../src/capacity/spot/rules.ts';
import { readActRules } from '../../src/readers/spot/act-rules-file.ts';

const BUDGET = 'budget: {perHour: 3, share: 20%}';

function faults(text: string): readonly string[] {
  const read = readActRules(text);
  return read.ok ? [] : read.faults.map(({ line, why }) => `${line}: ${why}`);
}

test('a whole file is read', () => {
  const read = readActRules(`
rules:
- name: leave-early
  on: rebalance
  when: {types: [m5, "c6*.large"], zones: [eu-west-1a]}
  do: replace
  ${BUDGET}
- {name: end, on: interruption, do: drain, budget: {perHour: 100, share: 1}}
- {name: dear, on: price, when: {above: 0.12}, do: cordon, budget: {perHour: 1, share: 0.5}}
`);
  assert.ok(read.ok);
  assert.deepEqual(read.rules[0], {
    name: 'leave-early',
    on: 'rebalance',
    when: { types: ['m5', 'c6*.large'], zones: ['eu-west-1a'], above: null },
    do: 'replace',
    budget: { perHour: 3, share: 0.2 },
  });
  assert.equal(read.rules.length, 3);
});

describe('refused with its line and reason', () => {
  const one = (fields: string): string =>
    `rules:\n- name: a\n  on: rebalance\n  do: drain\n  ${fields}`;
  for (const [name, text, said] of [
    ['an unknown field', one(`${BUDGET}\n  dos: 1`), '6: unknown field "dos"; did you mean do?'],
    ['a budget of nothing', one('budget: {perHour: 0, share: 1}'), /^5: perHour must be a whole/],
    ['a share above all', one('budget: {perHour: 1, share: 2}'), /^5: share must be a share/],
    ['no budget', one('when: {}'), '2: the rule lacks budget.perHour, budget.share'],
    ['a zone that is none', one(`${BUDGET}\n  when: {zones: [here]}`), /^6: zones must be/],
    ['a list in place of a mapping', one('budget: [1]'), /^5: budget must have perHour, share/],
    ['another key', `${one(BUDGET)}\nmore: 1`, /^1: a file of rules has one key/],
    ['no rules', 'rules: []', /^1: a file of rules/],
    ['what is no rule', 'rules: [3]', /^1: a rule is a mapping/],
    [
      'a price without a limit',
      `rules:\n- {name: a, do: drain, ${BUDGET}, on: price}`,
      '2: rule a acts on the price and has no when.above',
    ],
    [
      'a limit without a price',
      one(`${BUDGET}\n  when: {above: 0.1}`),
      '6: rule a: when.above belongs to on: price, not to rebalance',
    ],
    [
      'a replacement at an interruption',
      `rules:\n- name: a\n  on: interruption\n  do: replace\n  ${BUDGET}`,
      /^4: rule a: EC2 takes the instance within two minutes/,
    ],
  ] as const)
    test(name, () => {
      const [first = ''] = faults(text);
      if (typeof said === 'string') assert.equal(first, said);
      else assert.match(first, said);
    });

  test('two rules about the same nodes', () => {
    const text = `${one(`${BUDGET}\n  when: {types: ["*.large"]}`)}\n- name: b\n  on: rebalance\n  do: cordon\n  when: {types: [m5]}\n  ${BUDGET}`;
    assert.deepEqual(faults(text), [
      '9: rules a and b both act on rebalance of the same nodes, one by drain, one by cordon',
    ]);
  });

  test('two rules with one name', () => {
    const text = `${one(`${BUDGET}\n  when: {types: [m5]}`)}\n- name: a\n  on: price\n  when: {above: 1}\n  do: drain\n  ${BUDGET}`;
    assert.deepEqual(faults(text), ['7: two rules are called a']);
  });
});

function ruleOf(name: string, types: readonly string[]): ActRule {
  const when = { types, zones: [], above: null };
  return { name, on: 'rebalance', when, do: 'drain', budget: { perHour: 1, share: 1 } };
}

test('rules of one trigger contradict exactly when one type fits both', () => {
  const part = fc.stringMatching(/^[ab*]{1,4}$/);
  const pattern = fc.oneof(
    part,
    fc.tuple(part, part).map((both) => both.join('.')),
  );
  // All texts that short patterns can need.
  const words = ['a', 'b'].flatMap((x) => [x, ...['a', 'b'].map((y) => x + y)]);
  const longer = words.flatMap((x) =>
    ['', ...words].flatMap((y) => ['', ...words].map((z) => x + y + z)),
  );
  const halves = [...new Set(longer)].filter(({ length }) => length <= 5);
  fc.assert(
    fc.property(pattern, pattern, (one, other) => {
      const found = actContradictions([ruleOf('x', [one]), ruleOf('y', [other])]).length > 0;
      const isShared = halves.some((x) =>
        halves.some((y) => means(one, `${x}.${y}`) && means(other, `${x}.${y}`)),
      );
      if (isShared) assert.ok(found, `${one} ${other}`);
      else if (found) assert.ok(`${one}${other}`.includes('*'), `${one} ${other}`);
    }),
    { numRuns: 300 },
  );
});
