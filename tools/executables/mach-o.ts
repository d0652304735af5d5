/**
 * Signs a program for macOS without an identity, as its linker does: macOS on Apple silicon starts
 * no program without a signature, and asks of this one only that its pages have the hashes in it.
 *
 * The layout is of Apple's cs_blobs.h and loader.h; numbers in a signature are big-endian.
 */
import { createHash } from 'node:crypto';

const MAGIC_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const COMMAND = { segment: 0x19, signature: 0x1d } as const;
const COMMAND_BYTES = 16;
const SEGMENT_BYTES = 72;
const SECTION_BYTES = 80;

const SUPER_BLOB = { magic: 0xfade0cc0, bytes: 20 } as const;
const DIRECTORY = { magic: 0xfade0c02, version: 0x20400, bytes: 88 } as const;
/** Without an identity, and made by a linker, so that `codesign` replaces it without asking. */
const FLAGS = 0x2 | 0x20000;
const SHA_256 = { type: 2, bytes: 32 } as const;
const PAGE_SHIFT = 12;
const PAGE = 1 << PAGE_SHIFT;
const MAIN_BINARY = 1n;
/** Of memory on Apple silicon. */
const MEMORY_PAGE = 16_384;

interface Segment {
  /** Where its command is. */
  readonly at: number;
  readonly name: string;
  readonly offset: number;
  readonly bytes: number;
}

interface Layout {
  readonly text: Segment;
  readonly links: Segment;
  /** Behind the last command. */
  readonly end: number;
}

/**
 * @param program for macOS, unsigned, with one processor's code
 * @param identifier what the signature calls it
 * @throws Error for what is no such program, or has no room for a signature
 */
export function signed(program: Uint8Array, identifier: string): Uint8Array {
  const start = aligned(program.length, COMMAND_BYTES);
  const name = Buffer.from(`${identifier}\0`);
  const pages = Math.ceil(start / PAGE);
  const directoryBytes = DIRECTORY.bytes + name.length + pages * SHA_256.bytes;
  const bytes = Buffer.alloc(start + SUPER_BLOB.bytes + directoryBytes);
  bytes.set(program);
  const layout = layoutOf(bytes, program.length);
  announce(bytes, layout, start);
  writeSuperBlob(bytes.subarray(start));
  const directory = bytes.subarray(start + SUPER_BLOB.bytes);
  writeDirectory(directory, { name, pages, limit: start, text: layout.text });
  for (let page = 0; page < pages; page++) {
    const hashed = bytes.subarray(page * PAGE, Math.min(start, (page + 1) * PAGE));
    const at = DIRECTORY.bytes + name.length + page * SHA_256.bytes;
    directory.set(createHash('sha256').update(hashed).digest(), at);
  }
  return bytes;
}

function aligned(bytes: number, to: number): number {
  return Math.ceil(bytes / to) * to;
}

function layoutOf(bytes: Buffer, length: number): Layout {
  if (length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC_64)
    throw new Error('not a 64-bit Mach-O program');
  const segments = new Map<string, Segment>();
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt32LE(16); left > 0; left--) {
    const command = bytes.readUInt32LE(at);
    if (command === COMMAND.signature) throw new Error('the program has a signature');
    if (command === COMMAND.segment) {
      const segment = segmentAt(bytes, at);
      segments.set(segment.name, segment);
    }
    at += bytes.readUInt32LE(at + 4);
  }
  const [text, links] = [segments.get('__TEXT'), segments.get('__LINKEDIT')];
  if (text === undefined || links === undefined) throw new Error('the program lacks a segment');
  if (links.offset + links.bytes !== length) throw new Error('__LINKEDIT is not at the end');
  if (at + COMMAND_BYTES > codeStart(bytes, text)) throw new Error('no room for a command');
  return { text, links, end: at };
}

function segmentAt(bytes: Buffer, at: number): Segment {
  const name = bytes.toString('latin1', at + 8, at + 24).replace(/\0+$/, '');
  const [offset, length] = [40, 48].map((from) => Number(bytes.readBigUInt64LE(at + from)));
  return { at, name, offset: offset ?? 0, bytes: length ?? 0 };
}

/** Where the first section of the segment is in the file. */
function codeStart(bytes: Buffer, { at }: Segment): number {
  const sections = Array.from({ length: bytes.readUInt32LE(at + 64) }, (_, index) =>
    bytes.readUInt32LE(at + SEGMENT_BYTES + index * SECTION_BYTES + 48),
  );
  return Math.min(...sections);
}

/** Has the program say where its signature is. */
function announce(bytes: Buffer, { links, end }: Layout, start: number): void {
  bytes.writeUInt32LE(bytes.readUInt32LE(16) + 1, 16);
  bytes.writeUInt32LE(bytes.readUInt32LE(20) + COMMAND_BYTES, 20);
  const words = [COMMAND.signature, COMMAND_BYTES, start, bytes.length - start];
  for (const [index, word] of words.entries()) bytes.writeUInt32LE(word, end + 4 * index);
  const inFile = bytes.length - links.offset;
  bytes.writeBigUInt64LE(BigInt(aligned(inFile, MEMORY_PAGE)), links.at + 32);
  bytes.writeBigUInt64LE(BigInt(inFile), links.at + 48);
}

function writeSuperBlob(blob: Buffer): void {
  const [count, directorySlot] = [1, 0];
  const words = [SUPER_BLOB.magic, blob.length, count, directorySlot, SUPER_BLOB.bytes];
  for (const [index, word] of words.entries()) blob.writeUInt32BE(word, 4 * index);
}

interface Directory {
  readonly name: Uint8Array;
  readonly pages: number;
  /** Bytes that are hashed. */
  readonly limit: number;
  readonly text: Segment;
}

function writeDirectory(blob: Buffer, { name, pages, limit, text }: Directory): void {
  const { magic, version, bytes } = DIRECTORY;
  const specialSlots = 0;
  const words = [
    magic,
    blob.length,
    version,
    FLAGS,
    bytes + name.length,
    bytes,
    specialSlots,
    pages,
    limit,
  ];
  for (const [index, word] of words.entries()) blob.writeUInt32BE(word, 4 * index);
  blob.set([SHA_256.bytes, SHA_256.type, 0, PAGE_SHIFT], 36);
  blob.writeBigUInt64BE(BigInt(text.offset), 64);
  blob.writeBigUInt64BE(BigInt(text.bytes), 72);
  blob.writeBigUInt64BE(MAIN_BINARY, 80);
  blob.set(name, bytes);
}
