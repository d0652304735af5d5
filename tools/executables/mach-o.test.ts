import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signed } from './mach-o.ts';
import { readSignature } from './testing.ts';

const CODE = 1024;
const LENGTH = 9001;

interface Shape {
  readonly codeAt?: number;
  readonly linksEnd?: number;
  readonly names?: readonly string[];
}

function segment(name: string, offset: number, bytes: number, codeAt: number | null): Buffer {
  const command = Buffer.alloc(codeAt === null ? 72 : 152);
  command.writeUInt32LE(0x19, 0);
  command.writeUInt32LE(command.length, 4);
  command.write(name, 8, 'latin1');
  command.writeBigUInt64LE(BigInt(offset), 40);
  command.writeBigUInt64LE(BigInt(bytes), 48);
  if (codeAt === null) return command;
  command.writeUInt32LE(1, 64);
  command.writeUInt32LE(codeAt, 72 + 48);
  return command;
}

/** A program with code and what its linker left, as small as there can be one. */
function programOf({
  codeAt = CODE,
  linksEnd = LENGTH,
  names = ['__TEXT', '__LINKEDIT'],
}: Shape = {}) {
  const bytes = Buffer.alloc(LENGTH, 7);
  const [text = '', links = ''] = names;
  const commands = [segment(text, 0, 8192, codeAt), segment(links, 8192, linksEnd - 8192, null)];
  bytes.fill(0, 0, CODE);
  bytes.writeUInt32LE(0xfeedfacf, 0);
  bytes.writeUInt32LE(commands.length, 16);
  bytes.writeUInt32LE(152 + 72, 20);
  bytes.set(Buffer.concat(commands), 32);
  return bytes;
}

describe('a signature without an identity', () => {
  test('has the hash of each page, of the last part of a page too', () => {
    const { identifier, flags, limit, changed } = readSignature(signed(programOf(), 'rollcall'));
    assert.deepEqual(
      { identifier, flags, limit, changed },
      { identifier: 'rollcall', flags: 0x20002, limit: 9008, changed: [] },
    );
  });

  test('does not hold for a program that was changed', () => {
    const program = Buffer.from(signed(programOf(), 'rollcall'));
    for (const [at, page] of [
      [CODE, 0],
      [4096, 1],
      [LENGTH, 2],
    ] as const) {
      const other = Buffer.from(program);
      other[at] = 1;
      assert.deepEqual(readSignature(other).changed, [page]);
    }
  });

  test('is in the last segment, and the program says where', () => {
    const program = Buffer.from(signed(programOf(), 'rollcall'));
    assert.equal(program.readUInt32LE(16), 3);
    assert.equal(program.readUInt32LE(20), 152 + 72 + 16);
    const [vm, bytes] = [32, 48].map((at) => program.readBigUInt64LE(32 + 152 + at));
    assert.equal(bytes, BigInt(program.length - 8192));
    assert.equal(vm, 16_384n);
  });
});

test('refuses what it cannot sign', () => {
  const refused: readonly (readonly [Uint8Array, RegExp])[] = [
    [Buffer.alloc(8), /not a 64-bit Mach-O program/],
    [Buffer.from('#!/bin/sh\n'.repeat(9)), /not a 64-bit Mach-O program/],
    [signed(programOf(), 'rollcall'), /has a signature/],
    [programOf({ names: ['__TEXT', '__DATA'] }), /lacks a segment/],
    [programOf({ linksEnd: LENGTH - 1 }), /__LINKEDIT is not at the end/],
    [programOf({ codeAt: 32 + 152 + 72 + 8 }), /no room for a command/],
  ];
  for (const [bytes, why] of refused) assert.throws(() => signed(bytes, 'rollcall'), why);
});
