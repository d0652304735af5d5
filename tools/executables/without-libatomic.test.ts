import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ElfProgram } from './elf.ts';
import { withoutLibatomic } from './without-libatomic.ts';

const skip = process.platform === 'linux' ? false : 'Node.js is an ELF file on Linux only';

describe('Node.js as it is installed', { skip }, () => {
  const node = readFileSync(skip === false ? process.execPath : import.meta.filename);
  const once = skip === false ? withoutLibatomic(node) : node;

  test('loses libatomic and nothing else', () => {
    const libraries = new ElfProgram(node).libraries();
    const left = new ElfProgram(once).libraries();
    assert.ok(libraries.includes('libatomic.so.1'));
    assert.deepEqual(
      left,
      libraries.filter((name) => name !== 'libatomic.so.1'),
    );
    assert.equal(once.length, node.length);
  });

  test('stays as it is where there is nothing to do', () => {
    assert.equal(withoutLibatomic(once), once);
  });

  test('is refused where the function is called in another way, or there is no room', () => {
    const program = new ElfProgram(node);
    assert.throws(() => program.bind('no_such_function', 0, 8), /no_such_function is not called/);
    assert.throws(() => program.addCode(new Uint8Array(1 << 20)), /no room behind the code/);
    assert.throws(() => program.dropLibrary('libnone.so.1'), /not linked to libnone/);
  });
});

test('refuses what is not a program', () => {
  for (const bytes of [Buffer.alloc(64), Buffer.from('#!/bin/sh\n'.repeat(9))])
    assert.throws(() => withoutLibatomic(bytes), /not a 64-bit little-endian ELF file/);
});
