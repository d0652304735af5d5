/** Makes Node.js start where libatomic is not installed, as on Ubuntu, Debian and RHEL. */
import { ElfProgram } from './elf.ts';

const LIBRARY = 'libatomic.so.1';
/** The one function of it that Node.js calls, with values of eight bytes. */
const FUNCTION = '__atomic_compare_exchange';

interface Processor {
  /** The relocation that adds the program's address to a number. */
  readonly relative: number;
  /** The function: size, place, expected, desired → whether it was exchanged. */
  readonly code: Uint8Array;
}

/** By ELF's number of the processor. */
const PROCESSORS: Readonly<Record<number, Processor>> = {
  // x86-64
  0x3e: {
    relative: 8,
    code: bytesOf([
      '83ff08', // cmp edi, 8
      '7512', // jne to ud2
      '488b02', // mov rax, [rdx]
      '488b09', // mov rcx, [rcx]
      'f0480fb10e', // lock cmpxchg [rsi], rcx
      '488902', // mov [rdx], rax
      '0f94c0', // sete al
      'c3', // ret
      '0f0b', // ud2
    ]),
  },
  // AArch64
  0xb7: {
    relative: 1027,
    code: wordsOf([
      0xf100201f, // cmp x0, #8
      0x540001c1, // b.ne to brk
      0xf9400044, // ldr x4, [x2]
      0xf9400065, // ldr x5, [x3]
      0xc85ffc26, // ldaxr x6, [x1]
      0xeb0400df, // cmp x6, x4
      0x540000a1, // b.ne to clrex
      0xc807fc25, // stlxr w7, x5, [x1]
      0x35ffff87, // cbnz w7, to ldaxr
      0x52800020, // mov w0, #1
      0xd65f03c0, // ret
      0xd5033f5f, // clrex
      0xf9000046, // str x6, [x2]
      0x52800000, // mov w0, #0
      0xd65f03c0, // ret
      0xd4200000, // brk #0
    ]),
  },
};

function bytesOf(instructions: readonly string[]): Uint8Array {
  return Buffer.from(instructions.join(''), 'hex');
}

function wordsOf(words: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * words.length);
  for (const [index, word] of words.entries()) bytes.writeUInt32LE(word, 4 * index);
  return bytes;
}

/**
 * @param node a Node.js for Linux
 * @returns the same where it needs no libatomic
 * @throws Error when it is linked in another way than known
 */
export function withoutLibatomic(node: Uint8Array): Uint8Array {
  const program = new ElfProgram(node);
  if (!program.libraries().includes(LIBRARY)) return node;
  const processor = PROCESSORS[program.machine];
  if (processor === undefined) throw new Error(`unknown processor ${program.machine}`);
  const address = program.addCode(processor.code);
  program.bind(FUNCTION, address, processor.relative);
  program.dropLibrary(LIBRARY);
  return program.bytes;
}
