import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAnchors, createLineScanner, LINE_BYTES_MAX } from './anchor-scanner.ts';
import { scanInPieces, scanPlainly } from './testing.ts';

const ANCHORS = ['Unauthorized', 'not ready', 'kfs.', 'canal', 'reboot'];
const PIECES = [[1_000_000], [65_536], [4096, 1, 70_001]];
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function assertScansAlike(bytes: Uint8Array): void {
  const expected = scanPlainly(ANCHORS, bytes);
  for (const sizes of PIECES) assert.deepEqual(scanInPieces(ANCHORS, bytes, sizes), expected);
}

test('the first 64 KiB of a line are searched, and no more', () => {
  for (const over of [-3, -2, -1, 0, 1, 2, 13, 70_000, 300_000]) {
    const before = 'x'.repeat(LINE_BYTES_MAX - 'Unauthorized'.length + over);
    assertScansAlike(encode(`a\n${before}Unauthorized\nUnauthorized`));
    assertScansAlike(encode(`not ready ${before}Unauthorized\r\nnot ready\n`));
    assertScansAlike(encode(`kfs.${before}Unauthorized`));
  }
});

test('a line of exactly 64 KiB is whole, one byte more is cut', () => {
  const whole = `Unauthorized${'x'.repeat(LINE_BYTES_MAX - 12)}`;
  for (const end of ['', '\n', '\r\n', 'y', 'y\n']) assertScansAlike(encode(whole + end));
});

test('a character that the cut goes through is left out', () => {
  const text = `Unauthorized${'x'.repeat(LINE_BYTES_MAX - 14)}\u20ac and more\n`;
  const [hit] = scanInPieces(ANCHORS, encode(text), [1000]).hits;
  assert.equal(hit?.cut, true);
  assert.equal(hit.text, text.slice(0, LINE_BYTES_MAX - 2));
});

test('anchors are found wherever the scanner divides its work', () => {
  const filler = 'y'.repeat(99);
  for (let shift = 0; shift < 48; shift++) {
    const lines = Array.from({ length: 700 }, (_, rank) =>
      rank % 3 === 0 ? `${filler.slice(rank % 90)} Unauthorized kfs.` : `${filler} ready`,
    );
    assertScansAlike(encode('z'.repeat(shift * 5 + 1) + lines.join('\n').repeat(6)));
  }
});

test('lines are numbered rightly when an anchor ends one wherever work is divided', () => {
  for (const anchor of ANCHORS) {
    for (let before = 4096 - 20; before < 4096 + 4; before++) {
      assertScansAlike(encode(`${'x'.repeat(before)}${anchor}\n\n${anchor}\r\n${anchor}`));
    }
  }
});

test('a line without an end is passed over in bounded memory', () => {
  const chunk = new Uint8Array(1 << 20).fill(120);
  const hits: unknown[] = [];
  const set = compileAnchors(ANCHORS);
  const scanner = createLineScanner(set, (hit) => hits.push(hit.lineNumber));
  scanner.push(encode('first\nnot ready '));
  const before = process.memoryUsage().arrayBuffers;
  for (let rank = 0; rank < 256; rank++) scanner.push(chunk);
  assert.ok(process.memoryUsage().arrayBuffers - before < chunk.length);
  scanner.push(encode('\nUnauthorized'));
  scanner.end();
  assert.deepEqual(hits, [2, 3]);
  assert.equal(scanner.lines, 3);
  assert.equal(scanner.bytes, 256 * chunk.length + 29);
});
