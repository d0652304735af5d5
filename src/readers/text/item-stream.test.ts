import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createItemStream } from './item-stream.ts';

/** The elements of a text that comes in pieces of this length. */
function items(text: string, pieceLength = text.length): readonly (readonly unknown[])[] {
  const found: (readonly unknown[])[] = [];
  const stream = createItemStream(({ key, text: element }) => found.push([key, element]));
  for (let at = 0; at < text.length; at += pieceLength)
    stream.push(text.slice(at, at + pieceLength));
  assert.equal(stream.skipped, 0);
  return found;
}

const TEXTS: readonly (readonly [string, string, readonly (readonly unknown[])[]])[] = [
  [
    'a bare list',
    '[{"a":1}, \n {"b":2}]',
    [
      [null, '{"a":1}'],
      [null, '{"b":2}'],
    ],
  ],
  [
    'a list by its key',
    '{"kind":"NodeList","items":[{"a":1},{"b":{"c":[{}]}}]}',
    [
      ['items', '{"a":1}'],
      ['items', '{"b":{"c":[{}]}}'],
    ],
  ],
  [
    'each list by its own key',
    '{"Reservations": [{"kind":"x"}], "NextToken": null, "Other": [{"y":[1,2]}]}',
    [
      ['Reservations', '{"kind":"x"}'],
      ['Other', '{"y":[1,2]}'],
    ],
  ],
  [
    'brackets, quotes and escapes within texts',
    String.raw`{"items":[{"a":"}]\"[{,"},{"b":"\\"}]}`,
    [
      ['items', String.raw`{"a":"}]\"[{,"}`],
      ['items', String.raw`{"b":"\\"}`],
    ],
  ],
  ['objects alone of a mixed list', '[1,"x",{"a":1},null]', [[null, '{"a":1}']]],
  [
    'lists in a list',
    '[[{"a":1}],[]]',
    [
      [null, '[{"a":1}]'],
      [null, '[]'],
    ],
  ],
  [
    'no list that is deeper',
    '{"metadata":{"list":[{"a":1}]},"items":[{"b":1}],"more":{"list":[{"c":1}]}}',
    [['items', '{"b":1}']],
  ],
  ['no key that is not a word', '{"a-b":[{"x":1}]}', [[null, '{"x":1}']]],
  ['nothing of an empty list', '{"items":[]}', []],
];

for (const [title, text, found] of TEXTS)
  test(`takes ${title}`, () => {
    for (const pieceLength of [text.length, 1, 3])
      assert.deepEqual(items(text, pieceLength), found);
  });
