/** What the scanner finds in texts so small that every step of its loops may be counted. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCandidates, findCandidates } from './find-candidates.ts';
import { mergeCandidates } from './find-middles.ts';
import { buildGramIndex } from './gram-index.ts';
import { compileAnchors, createLineScanner, LINE_BYTES_MAX } from './anchor-scanner.ts';
import { scanInPieces, scanPlainly } from './testing.ts';

/** Of every length class, some within others, one twice, one with signs that logs escape. */
const ANCHORS = [
  'kfs.',
  'Boot:',
  'canal',
  'ready!',
  'refused',
  'not ready',
  'connection refused',
  'Unauthorized',
  'Unauthorized',
  'say "no" <now> & go',
  'aaaaaaaaaaaa',
  'aaaaaaab',
  'grün im Wald',
];

const QUOTED = JSON.stringify('say "no" <now> & go');

const TEXTS: Readonly<Record<string, string>> = {
  nothing: '',
  'line ends alone': '\n\r\n\n',
  'a line without an end': 'x Unauthorized',
  'lines with and without anchors':
    'a\nUnauthorized\r\n\nb connection refused\nkfs.\ncanal Boot:\n',
  'anchors side by side': 'kfs.kfs.Boot:canalready!refusednot readyUnauthorizedUnauthorized',
  'parts of anchors':
    'kfs\nBoot\ncana\nready\nUnauthorize\nnauthorized\nnot  ready\nconnection refuse\n',
  'anchors across line ends': 'Unauth\norized\nnot\nready\nkfs\n.',
  'one letter repeated': `${'a'.repeat(11)}\n${'a'.repeat(12)}\n${'a'.repeat(30)}b\n`,
  'escaped once and twice': `${QUOTED}\n${JSON.stringify(QUOTED)}\nsay \\"no\\" \\u003cnow\\u003e \\u0026 go\nsay no`,
  'letters of several bytes': 'grün im Wald\u20ac\n\u{1f600}Unauthorized\u{1f600}\n',
  'bytes like line ends': '\u008a\u000bUnauthorized\u0009\u008b\n\u0000refused\u0000\n',
};

function assertScansAlike(text: string, sizes: readonly number[]): void {
  const bytes = new TextEncoder().encode(text);
  assert.deepEqual(scanInPieces(ANCHORS, bytes, sizes), scanPlainly(ANCHORS, bytes));
}

describe('finds what cutting and includes find', () => {
  for (const [what, text] of Object.entries(TEXTS))
    test(`in ${what}`, () => {
      for (const sizes of [[1000], [3, 1], [17]]) assertScansAlike(text, sizes);
    });

  test('at every place of a word', () => {
    const text = ANCHORS.flatMap((anchor) =>
      [0, 1, 2, 3, 4, 5].map((before) => `${'-'.repeat(before)}${anchor}.`),
    );
    assertScansAlike(text.join('\n'), [4096]);
  });

  test('beside where it divides its work', () => {
    for (const before of [4075, 4084, 4090, 4095, 4096])
      assertScansAlike(
        `${'x'.repeat(before)}Unauthorized\n\nkfs.\n${'y'.repeat(70)}refused`,
        [9000],
      );
  });

  test('in a line of the length that is kept, and in one that is longer', () => {
    const rest = LINE_BYTES_MAX - 12;
    for (const over of [-1, 0, 1])
      assertScansAlike(`a\n${'x'.repeat(rest + over)}Unauthorized\nkfs.\n`, [70_000]);
    assertScansAlike(`Unauthorized${'x'.repeat(rest)}\r\nkfs.`, [70_000]);
  });

  test('after a window is full of lines, and of one line', () => {
    const line = `${'x'.repeat(990)} canal\n`;
    assertScansAlike(`${line.repeat(290)}kfs.\n`, [100_000]);
    assertScansAlike(`canal ${'x'.repeat(300_000)} kfs.\nrefused\n`, [100_000]);
  });
});

test('counts the newlines of the words that it looks through', () => {
  const index = buildGramIndex([new TextEncoder().encode('Unauthorized')]);
  const bytes = Uint8Array.from({ length: 64 }, (_, at) => (at % 5 === 0 ? 10 : 138));
  const words = new Int32Array(bytes.buffer);
  assert.equal(findCandidates(words, 0, 16, index, createCandidates()), 13);
  assert.equal(findCandidates(words, 4, 16, index, createCandidates()), 9);
});

test('merges two ascending lists into one', () => {
  for (const [one, other] of [
    [
      [1, 4, 9],
      [2, 3, 10, 11],
    ],
    [[], [5]],
    [[5], []],
    [[7, 8], [1]],
  ] as const) {
    const [left, right, merged] = [createCandidates(), createCandidates(), createCandidates()];
    left.offsets.set(one);
    left.count = one.length;
    right.offsets.set(other);
    right.count = other.length;
    mergeCandidates(left, right, merged);
    const expected = [...one, ...other].toSorted((a, b) => a - b);
    assert.deepEqual([...merged.offsets.subarray(0, merged.count)], expected);
  }
});

test('refuses anchors that are too short or have a line end', () => {
  for (const anchor of ['abc', 'ü!', 'two\nlines', 'two\rlines'])
    assert.throws(() => compileAnchors(['fine', anchor]), /at least 4 bytes and no line end/);
  assert.deepEqual(compileAnchors(['fine', 'üü']).anchors, ['fine', 'üü']);
});

test('ends once, and lends what it worked with to the next scanner of its anchors', () => {
  const set = compileAnchors(['Unauthorized']);
  const scanners = Array.from({ length: 6 }, () => createLineScanner(set, () => undefined));
  for (const scanner of scanners) {
    scanner.push(new TextEncoder().encode('rest'));
    scanner.end();
    scanner.end();
    assert.throws(() => scanner.push(new Uint8Array(1)), /after its end/);
    assert.deepEqual([scanner.lines, scanner.bytes], [1, 4]);
  }
  assert.equal(set.spareMatchers.length, 4);
  const seen: string[] = [];
  const next = createLineScanner(set, ({ text }) => seen.push(text));
  next.push(new TextEncoder().encode(' Unauthorized'));
  next.end();
  assert.deepEqual(seen, [' Unauthorized']);
});
