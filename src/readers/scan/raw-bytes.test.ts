import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gramsOf, LineGrams } from './line-grams.ts';
import { indexOfWord, standsAlikeAt, standsAt } from './raw-bytes.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const LINE = encode('the the node, the nod');

describe('a word in a part of a line', () => {
  const place = (word: string, start = 0, end = LINE.length): number =>
    indexOfWord(LINE, { start, end }, encode(word));

  test('is found at its first place in that part', () => {
    assert.equal(place('the'), 0);
    assert.equal(place('the', 1), 4);
    assert.equal(place('the', 4), 4);
    assert.equal(place('the', 5), 14);
    assert.equal(place('the node'), 4);
    assert.equal(place('no'), 8);
  });

  test('is found up to the end of the part, and not across it', () => {
    assert.equal(place('nod', 12), 18);
    assert.equal(place('node', 0, 12), 8);
    assert.equal(place('node', 0, 11), -1);
    assert.equal(place('node', 12), -1);
    assert.equal(place('nodes'), -1);
    assert.equal(place('the the node, the node, the node'), -1);
  });

  test('differs from one that begins alike', () => {
    assert.equal(place('tha'), -1);
    assert.equal(place('nade'), -1);
    assert.equal(place('he'), 1);
    assert.equal(place('d,'), -1);
  });
});

test('bytes are at a place when each of them is', () => {
  for (const [at, these, stands] of [
    [4, 'the', true],
    [4, '', true],
    [8, 'node', true],
    [8, 'noda', false],
    [8, 'tode', false],
    [18, 'nod', true],
    [18, 'node', false],
  ] as const)
    assert.equal(standsAt(LINE, at, encode(these)), stands, these);
});

test('hexadecimal digits match one another, and nothing else does', () => {
  const stands = (line: string, these: string): boolean =>
    standsAlikeAt(encode(line), 1, encode(these));
  for (const digit of '0123456789abcdef') {
    assert.equal(stands(`x[${digit}]`, '[0]'), true, digit);
    assert.equal(stands(`x[0]`, `[${digit}]`), true, digit);
  }
  for (const other of '/:`gA ') {
    assert.equal(stands(`x[${other}]`, '[0]'), false, other);
    assert.equal(stands(`x[0]`, `[${other}]`), false, other);
    assert.equal(stands(`x[${other}]`, `[${other}]`), true, other);
  }
  assert.equal(stands('x[0]', '[0)'), false);
});

describe('three bytes behind one another in a line', () => {
  const grams = new LineGrams();
  const note = (text: string, start = 0, end = text.length): void =>
    grams.note(encode(text), { start, end });
  const may = (word: string): boolean => grams.mayHold(gramsOf(word));

  test('tell which words it may hold', () => {
    note('the kubelet is Ready');
    for (const word of ['the', 'the kubelet', 'Ready', 'ady', 'kubelet is Ready'])
      assert.equal(may(word), true, word);
    for (const word of ['eht', 'kubelot', 'roady', 'Ready.', 'xthe', 'tek', 'kubelet  is'])
      assert.equal(may(word), false, word);
  });

  test('are those of its own part, and of no line before', () => {
    note('abcdefgh', 2, 6);
    for (const word of ['cde', 'def', 'cdef']) assert.equal(may(word), true, word);
    for (const word of ['bcd', 'efg', 'abc', 'fgh', 'the']) assert.equal(may(word), false, word);
    note('ab');
    assert.equal(may('cde'), false);
  });

  test('are as many as the bytes of a word without two', () => {
    assert.equal(gramsOf('abc').length, 1);
    assert.equal(gramsOf('grün').length, 3);
    assert.equal(new Set(gramsOf('abcabd')).size, 4);
  });
});
