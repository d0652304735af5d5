import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SignRow } from '../../evidence/sign-row.ts';
import { matchOf } from './denial.ts';

function row(pattern: RegExp, isTold = true): SignRow {
  const made = {
    owner: 'a',
    name: 'a',
    in: ['unknown'],
    anchors: ['leaked ENIs'],
    per: [],
  } as const;
  return { ...made, pattern, strict: false, ...(isTold ? { isTold } : {}) };
}

const LEAKED = row(/\b[Ll]eaked ENIs\b/);
const UNMAPPED = row(/\broles?\b.{0,60}\bnodes?\b.{0,40}\b(?:is|are) not mapped\b/);
const WRONG = row(/\b[Nn]odes?\b.{0,60}\bregister\b.{0,40}\bwrong address\b/);
const CURED = row(/\b[Ss]topping firewalld\b.{0,60}\b(?:works|helps)\b/);

function isHeard(one: SignRow, text: string): boolean {
  return matchOf(one, text) !== null;
}

describe('what a person tells is heard', () => {
  const told: readonly (readonly [SignRow, string])[] = [
    [LEAKED, 'There are leaked ENIs in the subnet.'],
    [LEAKED, 'The pods do not start because leaked ENIs fill the subnet.'],
    [LEAKED, 'Nothing helps, leaked ENIs come back every day.'],
    [LEAKED, 'Why are there leaked ENIs?'],
    [LEAKED, 'Leaked ENIs are never deleted.'],
    [LEAKED, 'There were no leaked ENIs yesterday. Today there are leaked ENIs again.'],
    [LEAKED, 'Leaked ENIs everywhere. No pod starts.'],
    [UNMAPPED, 'The role of the nodes is not mapped.'],
    [UNMAPPED, 'Nodes do not join, the role of the nodes is not mapped. Any ideas?'],
    [CURED, 'Stopping firewalld on both machines helps.'],
    [WRONG, 'The nodes register with the wrong address.'],
    [LEAKED, 'If I list the interfaces, there are leaked ENIs.'],
    [LEAKED, 'Even if I drain the nodes there are leaked ENIs.'],
    [UNMAPPED, 'We checked that the role of the nodes is not mapped.'],
  ];
  for (const [one, text] of told)
    test(text, () => {
      assert.equal(isHeard(one, text), true);
    });
});

describe('what a person denies, doubts or asks is not', () => {
  const denied: readonly (readonly [SignRow, string])[] = [
    [LEAKED, 'There are no leaked ENIs.'],
    [LEAKED, 'We have never had any leaked ENIs.'],
    [LEAKED, 'It is not the case that the subnet is full of leaked ENIs.'],
    [LEAKED, 'We ruled out leaked ENIs.'],
    [LEAKED, 'Leaked ENIs were ruled out.'],
    [LEAKED, "Leaked ENIs aren't the cause."],
    [LEAKED, 'Leaked ENIs are not it.'],
    [LEAKED, 'Could it be that leaked ENIs fill the subnet?'],
    [LEAKED, 'Are there leaked ENIs?'],
    [LEAKED, 'Leaked ENIs?'],
    [LEAKED, 'Leaked ENIs? No.'],
    [LEAKED, 'We thought of leaked ENIs. That was not it.'],
    [LEAKED, 'I wonder whether leaked ENIs matter.'],
    [LEAKED, 'We found no signs of leaked ENIs.'],
    [UNMAPPED, 'Is it possible that the role of the nodes is not mapped?'],
    [UNMAPPED, 'It is not true that the role of the nodes is not mapped.'],
    [WRONG, 'The nodes do not register with the wrong address.'],
    [WRONG, 'The nodes no longer register with the wrong address.'],
    [CURED, 'Stopping firewalld did not help, so nothing works.'],
    [LEAKED, 'Pods stay pending if leaked ENIs fill the subnet.'],
    [LEAKED, 'This works unless leaked ENIs fill the subnet.'],
    [LEAKED, 'Maybe leaked ENIs fill the subnet.'],
    [LEAKED, 'Should I delete leaked ENIs?'],
    [LEAKED, 'Make sure that leaked ENIs are deleted.'],
    [LEAKED, 'The number of leaked ENIs is fine.'],
    [LEAKED, 'Someone suggested that leaked ENIs fill the subnet.'],
    [LEAKED, 'According to the docs leaked ENIs fill subnets.'],
    [LEAKED, 'Common causes are leaked ENIs and small subnets.'],
    [LEAKED, 'We solved the earlier problem with leaked ENIs.'],
    [LEAKED, '2. Leaked ENIs fill the subnet'],
    [UNMAPPED, 'The role of the nodes is not mapped, they say, but ours is.'],
    [UNMAPPED, 'That the role of the nodes is not mapped is one of the known reasons.'],
    [UNMAPPED, 'The role of the nodes is not mapped on purpose.'],
    [UNMAPPED, 'The role of the nodes is not mapped, somebody writes.'],
    [UNMAPPED, 'Somebody wrote that the role of the nodes is not mapped.'],
    [LEAKED, 'Leaked ENIs fill the subnet in another cluster.'],
    [LEAKED, 'Leaked ENIs fill a subnet in the staging cluster, in this one there are none.'],
    [WRONG, 'Nodes register with the wrong address, seen from my laptop.'],
    [UNMAPPED, 'It might be that the role of the nodes is not mapped.'],
    [UNMAPPED, 'I suspect the role of the nodes is not mapped.'],
  ];
  for (const [one, text] of denied)
    test(text, () => {
      assert.equal(isHeard(one, text), false);
    });
});

describe('a message that a person names', () => {
  const CODE = row(/InsufficientCidrBlocks/, false);

  const foreseen = [
    'Or do we risk fragmentation (InsufficientCidrBlocks) in a /22?',
    'Would we run into InsufficientCidrBlocks with forty nodes?',
    'We might hit InsufficientCidrBlocks later.',
    'Could this lead to InsufficientCidrBlocks?',
    'What happens when EC2 answers InsufficientCidrBlocks?',
    'How do I alert on InsufficientCidrBlocks?',
  ];
  for (const text of foreseen)
    test(`is foreseen: ${text}`, () => {
      assert.equal(isHeard(CODE, text), false);
    });

  const present = [
    'Why do I get InsufficientCidrBlocks?',
    'Why does it end up in InsufficientCidrBlocks?',
    'How often do you get InsufficientCidrBlocks?',
    'We get InsufficientCidrBlocks, could we use another subnet?',
    'We might hit InsufficientCidrBlocks later. Today ipamd prints InsufficientCidrBlocks.',
    'ipamd may print InsufficientCidrBlocks.',
    'How do we get rid of InsufficientCidrBlocks?',
    'What does InsufficientCidrBlocks mean?',
  ];
  for (const text of present)
    test(`is there: ${text}`, () => {
      assert.equal(isHeard(CODE, text), true);
    });
});

test('what a program prints is taken as it is', () => {
  assert.equal(isHeard(row(/leaked ENIs/, false), 'Found no leaked ENIs.'), true);
});

test('ends on a long line of the same words', () => {
  isHeard(LEAKED, 'no leaked ENIs, '.repeat(2000));
  isHeard(LEAKED, `${'is it '.repeat(5000)}leaked ENIs?`);
});
