import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SpentBuffers } from './spent-buffers.ts';

const SIZE = 8;

function chunk(bytes = SIZE): Uint8Array {
  return new Uint8Array(new ArrayBuffer(bytes)).fill(1);
}

describe('buffers without a reader', () => {
  it('are freed once three later ones are on their way', () => {
    const spent = new SpentBuffers(SIZE);
    const chunks = Array.from({ length: 5 }, () => chunk());
    for (const one of chunks) spent.passed(one);
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [0, 0, SIZE, SIZE, SIZE],
    );
  });

  it('are counted once, whatever number of chunks lies in them', () => {
    const spent = new SpentBuffers(SIZE);
    const buffer = new ArrayBuffer(SIZE);
    const chunks = Array.from({ length: SIZE }, (_, at) => new Uint8Array(buffer, at, 1));
    for (const one of chunks) spent.passed(one);
    assert.deepEqual(new Set(chunks.map(({ length }) => length)), new Set([1]));
  });

  it('stay when they are not the decoder’s own', () => {
    const spent = new SpentBuffers(SIZE);
    const shared = chunk(SIZE * 2);
    spent.passed(shared);
    for (let rank = 0; rank < 4; rank++) spent.passed(chunk());
    assert.equal(shared.length, SIZE * 2);
  });
});
