import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unpasted } from './paste.ts';

function linesOf(text: string): readonly string[] {
  return unpasted(text.split('\n')).lines;
}

/** As an editor breaks a text: before the word that goes beyond the column. */
function broken(text: string, columns: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.pop();
    if (last === undefined) lines.push(word);
    else if (last.length + 1 + word.length > columns) lines.push(last, word);
    else lines.push(`${last} ${word}`);
  }
  return lines.join('\n');
}

const TOLD =
  'Since Monday none of our new machines becomes a node. It is not the case that the role lacks a policy, and we did not change anything in the VPC. IMDS answers on all of them.';

describe('sentences that were broken over lines', () => {
  for (const columns of [48, 60, 72, 76, 80, 100])
    test(`are put together at ${columns} columns`, () => {
      assert.deepEqual(linesOf(broken(TOLD, columns)), [TOLD]);
    });

  test('are put together where the next line begins with a capital or a name in quotes', () => {
    const text = broken(
      'On the new cluster nobody of us has ever installed the `vpc-cni` add-on.',
      54,
    );
    assert.match(text, /\n`vpc-cni`/);
    assert.deepEqual(linesOf(text), [text.replaceAll('\n', ' ')]);
  });

  test('have the place of their first line', () => {
    const { numbers, lines } = unpasted(['$ date', '', ...broken(TOLD, 72).split('\n'), '', 'end']);
    assert.deepEqual(lines, ['$ date', '', TOLD, '', 'end']);
    assert.deepEqual(numbers, [1, 2, 3, 6, 7]);
  });
});

describe('what is not a broken sentence stays', () => {
  const texts = [
    'The nodes are NotReady.\nI have looked at the kubelet, and it has stopped for a reason of its own.',
    'the role of the nodes is there and has all the policies\n\nit is still refused by the server',
    '- the role of the nodes is there and it has a policy\n- the route table is right as well',
    'Name:   the-node-of-the-first\nRoles:  it-is-none',
    'error: it is the answer of a program to the one that has asked for it: the\nother: a line of the same program is not the rest of it',
  ];
  for (const text of texts)
    test(text.slice(0, 40), () => assert.deepEqual(linesOf(text), text.split('\n')));
});
