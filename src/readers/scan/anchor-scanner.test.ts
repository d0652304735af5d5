import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileAnchors, createLineScanner } from './anchor-scanner.ts';
import { scanInPieces, scanPlainly } from './testing.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const size = fc.integer({ min: 1, max: 90 });
const pieceSizes = fc.array(size, { minLength: 1, maxLength: 6 });

/** Anchors over few letters overlap, contain and repeat each other. */
const fewLetters = fc.string({
  unit: fc.constantFrom('a', 'a', 'b', '"', '\\', '<', 'é'),
  minLength: 4,
  maxLength: 14,
});
const anyAnchor = fc
  .string({ unit: 'grapheme', minLength: 4, maxLength: 20 })
  .filter((text) => !/[\r\n]/.test(text) && text.isWellFormed());
const anchorSets = fc.array(fc.oneof(fewLetters, anyAnchor), { minLength: 1, maxLength: 12 });

/** Texts of whole anchors, pieces of them, their escaped forms, noise and line ends. */
function textsWith(anchors: readonly string[]): fc.Arbitrary<string> {
  const anchor = fc.constantFrom(...anchors);
  const part = fc
    .tuple(anchor, fc.nat(8), fc.nat(20))
    .map(([text, from, length]) => text.slice(from, from + length));
  const piece = fc.oneof(
    anchor,
    part,
    anchor.map((text) => JSON.stringify(text)),
    anchor.map((text) => JSON.stringify(JSON.stringify(text))),
    fc.constantFrom('\n', '\r\n', '\n\n', 'a', 'aaaa', ' ', '\r', '\t', 'é', '\u{1f600}'),
    fc.string({ maxLength: 9 }),
  );
  return fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
}

test('scanning finds what cutting and includes find, however the text is cut', () => {
  const input = anchorSets.chain((anchors) =>
    fc.record({ anchors: fc.constant(anchors), text: textsWith(anchors), sizes: pieceSizes }),
  );
  fc.assert(
    fc.property(input, ({ anchors, text, sizes }) => {
      const bytes = encode(text);
      assert.deepEqual(scanInPieces(anchors, bytes, sizes), scanPlainly(anchors, bytes));
    }),
    { numRuns: 1500 },
  );
});

test('so does scanning a text of many blocks', () => {
  const input = anchorSets.chain((anchors) =>
    fc.record({ anchors: fc.constant(anchors), text: textsWith(anchors), pieces: pieceSizes }),
  );
  fc.assert(
    fc.property(input, fc.nat(64), ({ anchors, text, pieces }, shift) => {
      const times = Math.ceil(20_000 / (text.length + 1));
      const bytes = encode('-'.repeat(shift) + `${text}.`.repeat(times));
      const sizes = pieces.map((piece) => piece * 97);
      assert.deepEqual(scanInPieces(anchors, bytes, sizes), scanPlainly(anchors, bytes));
    }),
    { numRuns: 60 },
  );
});

test('bytes that are not UTF-8 are scanned like any other', () => {
  const anyBytes = fc.uint8Array({ maxLength: 400 });
  const fewBytes = fc
    .array(fc.constantFrom(9, 10, 11, 13, 97, 98, 138, 139, 255), { maxLength: 400 })
    .map((bytes) => Uint8Array.from(bytes));
  const texts = fc.oneof(anyBytes, fewBytes);
  fc.assert(
    fc.property(texts, anchorSets, pieceSizes, (bytes, more, sizes) => {
      const anchors = ['aabb', 'abab', 'bbaab', 'aaaaaa', 'abbabab', ...more];
      assert.deepEqual(scanInPieces(anchors, bytes, sizes), scanPlainly(anchors, bytes));
    }),
  );
});

test('an anchor of any length is found at any place of a word, beside any byte', () => {
  for (const anchor of ['kfs.', 'Boot:', '_PROXY', 'refused', 'not ready', 'Unauthorized']) {
    for (let before = 0; before < 9; before++) {
      for (const around of ['\0', '\n', '.', 'ÿ', 'k']) {
        const bytes = encode(around.repeat(before) + anchor + around);
        const scan = scanInPieces([anchor], bytes, [bytes.length]);
        assert.deepEqual(scan, scanPlainly([anchor], bytes), `${anchor} after ${before}`);
        assert.equal(scan.hits.length, 1);
      }
    }
  }
});

test('one line reports every anchor once, in ascending order', () => {
  const anchors = ['connection refused', 'refused', 'dial tcp', 'connection', 'ction ref'];
  const line = 'dial tcp 10.0.0.1:443: connect: connection refused, refused';
  const { hits } = scanInPieces(anchors, encode(`x\n${line}\r\ny`), [7]);
  assert.deepEqual(hits, [
    {
      lineNumber: 2,
      byteOffset: 2,
      text: line,
      cut: false,
      anchors: [0, 1, 2, 3, 4],
    },
  ]);
});

test('equal anchors are reported under each of their indexes', () => {
  const { hits } = scanInPieces(
    ['Unauthorized', 'other one', 'Unauthorized'],
    encode('Unauthorized'),
    [1],
  );
  assert.deepEqual(hits[0]?.anchors, [0, 2]);
});

test('an anchor with quotation marks is found in quoted and twice quoted text', () => {
  const anchor = 'pods "web" not found -> <none>';
  const quoted = JSON.stringify(anchor);
  const goQuoted = quoted.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
  const text = [anchor, quoted, JSON.stringify(quoted), goQuoted, 'pods web'].join('\n');
  const { hits } = scanInPieces([anchor], encode(text), [5]);
  assert.deepEqual(
    hits.map((hit) => [hit.lineNumber, hit.anchors]),
    [1, 2, 3, 4].map((line) => [line, [0]]),
  );
});

test('every line of a log may hit', () => {
  const line = 'E1120 kubelet.go:2421] Unable to register node: Unauthorized\n';
  const bytes = encode(line.repeat(20_000));
  const scan = scanInPieces(['Unauthorized', 'register node', 'forbidden'], bytes, [65_537]);
  assert.equal(scan.hits.length, 20_000);
  assert.equal(scan.lines, 20_000);
  assert.ok(scan.hits.every((hit, rank) => hit.byteOffset === rank * line.length));
  assert.ok(scan.hits.every((hit) => hit.anchors.join() === '0,1'));
});

test('a text of one repeated byte matches anchors of that byte', () => {
  const anchors = ['aaaa', 'aaaaa', 'aaaaaaaa', 'aaaaaaaaaaaaaaaa', 'aaaaaaab'];
  for (let length = 0; length < 40; length++) {
    const bytes = encode('a'.repeat(length));
    assert.deepEqual(scanInPieces(anchors, bytes, [3]), scanPlainly(anchors, bytes));
  }
});

test('a log without anchors, an empty log and an empty set give no hits but count lines', () => {
  assert.deepEqual(scanInPieces(['Unauthorized'], encode('a\n\nb'), [1]), {
    hits: [],
    lines: 3,
    bytes: 4,
  });
  assert.deepEqual(scanInPieces(['Unauthorized'], encode(''), [1]), {
    hits: [],
    lines: 0,
    bytes: 0,
  });
  assert.deepEqual(scanInPieces([], encode('a\nb\n'), [4]), { hits: [], lines: 2, bytes: 4 });
});

test('a chunk may be a view into a larger buffer and may be reused after push', () => {
  const hits: string[] = [];
  const set = compileAnchors(['Unauthorized']);
  const scanner = createLineScanner(set, (hit) => hits.push(hit.text));
  const shared = encode('xxxfirst Unauthorized\nsec');
  scanner.push(shared.subarray(3));
  shared.fill(0);
  scanner.push(encode('ond Unauthorized'));
  scanner.end();
  assert.deepEqual(hits, ['first Unauthorized', 'second Unauthorized']);
});

test('scanners of one set do not disturb each other, in turns or one after another', () => {
  const set = compileAnchors(['Unauthorized']);
  const seen: string[] = [];
  const open = (name: string) =>
    createLineScanner(set, (hit) => seen.push(`${name} ${hit.lineNumber} ${hit.text}`));
  const [first, second] = [open('first'), open('second')];
  first.push(encode('\nUnauth'));
  second.push(encode('Unauthorized to'));
  first.push(encode('orized one'));
  first.end();
  const third = open('third');
  third.push(encode('x\nUnauthorized three'));
  second.push(encode('o'));
  third.end();
  second.end();
  assert.deepEqual(seen, [
    'first 2 Unauthorized one',
    'third 2 Unauthorized three',
    'second 1 Unauthorized too',
  ]);
  assert.deepEqual([first.bytes, second.bytes, third.bytes], [17, 16, 20]);
});

test('an anchor that is too short or has a line end is refused by name', () => {
  assert.throws(() => compileAnchors(['fine one', 'abc']), /"abc".*at least 4 bytes/);
  assert.throws(() => compileAnchors(['two\nlines']), RangeError);
  assert.throws(() => compileAnchors(['two\rlines']), RangeError);
});

test('an ended scanner takes no more text, and ends once', () => {
  const hits: number[] = [];
  const set = compileAnchors(['Unauthorized']);
  const scanner = createLineScanner(set, (hit) => hits.push(hit.lineNumber));
  scanner.push(encode('Unauthorized'));
  scanner.end();
  scanner.end();
  assert.deepEqual(hits, [1]);
  assert.throws(() => scanner.push(encode('more')), /after its end/);
});
