import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import type { Header } from 'tar-stream';
import tarStream from 'tar-stream';
import type { EvidenceDocument, InputLoss } from './contract.ts';
import type { BundleLimits } from './limits.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { openEvidence } from './open.ts';

/** One document as a test sees it. */
export interface ReadDocument {
  readonly locator: string;
  readonly container: string | null;
  readonly modifiedMs: number | null;
  readonly text: string;
}

export interface Reading {
  readonly documents: readonly ReadDocument[];
  readonly losses: readonly InputLoss[];
}

/** Everything in the given paths, read to its end. */
export async function readAll(
  paths: readonly string[],
  limits: Partial<BundleLimits> = {},
  stdin?: AsyncIterable<Uint8Array>,
): Promise<Reading> {
  const losses: InputLoss[] = [];
  const documents: ReadDocument[] = [];
  const onLoss = (loss: InputLoss): void => void losses.push(loss);
  const all = openEvidence(paths, onLoss, { ...DEFAULT_LIMITS, ...limits }, stdin);
  for await (const document of all) documents.push(await read(document));
  return { documents, losses };
}

/** Everything in some bytes that come through standard input in pieces of the given size. */
export function readBytes(
  bytes: Uint8Array,
  limits: Partial<BundleLimits> = {},
  pieceBytes = 64 * 1024,
): Promise<Reading> {
  return readAll(['-'], limits, inPieces(bytes, pieceBytes));
}

async function read(document: EvidenceDocument): Promise<ReadDocument> {
  const { locator, container, modifiedMs, chunks } = document;
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(new Uint8Array(chunk));
  return { locator, container, modifiedMs, text: Buffer.concat(parts).toString('latin1') };
}

export async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    yield bytes.subarray(start, start + pieceBytes);
  }
}

export function locators(reading: Reading): readonly string[] {
  return reading.documents.map(({ locator }) => locator);
}

export function sentences(reading: Reading): string {
  return reading.losses.map(({ what }) => what).join('\n');
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bundle-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Skips the test, saying so, where the program is missing. */
export function hasProgram(t: TestContext, program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    t.skip(`the program ${program} is not installed here`);
    return false;
  }
}

export interface TarEntry extends Partial<Header> {
  readonly name: string;
  readonly content?: string | Uint8Array;
}

/** A tar archive as tar-stream writes it. */
export async function packTar(entries: readonly TarEntry[]): Promise<Buffer> {
  const pack = tarStream.pack();
  for (const { content, ...header } of entries) {
    const mtime = new Date('2026-11-12T10:00:00Z');
    if (content === undefined) pack.entry({ mtime, ...header });
    else pack.entry({ mtime, ...header }, Buffer.from(content));
  }
  pack.finalize();
  const parts: Uint8Array[] = [];
  for await (const part of pack) parts.push(part as Uint8Array);
  return Buffer.concat(parts);
}

/** Puts the right checksum into a tar header block that was changed by hand. */
export function signTarHeader(block: Buffer): Buffer {
  block.write('        ', 148, 'latin1');
  const sum = block.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

export interface ZipEntry {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly method?: number;
  /** The packed bytes, where they are not to be made from the content. */
  readonly packed?: Uint8Array;
  readonly flags?: number;
  /** Unix mode with file type bits. */
  readonly mode?: number;
  readonly crc?: number;
  /** Whether sizes and CRC stand behind the content instead of before it. */
  readonly isStreamed?: boolean;
}

interface PackedEntry {
  readonly local: Buffer;
  readonly central: Buffer;
}

/** A zip archive made field by field, so that it can be wrong in any way. */
export function packZip(entries: readonly ZipEntry[]): Buffer {
  const packed: PackedEntry[] = [];
  let offset = 0;
  for (const entry of entries) {
    packed.push(packZipEntry(entry, offset));
    offset += packed.at(-1)?.local.length ?? 0;
  }
  const central = Buffer.concat(packed.map((entry) => entry.central));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...packed.map((entry) => entry.local), central, end]);
}

function packZipEntry(entry: ZipEntry, offset: number): PackedEntry {
  const content = Buffer.from(entry.content ?? '');
  const method = entry.method ?? 8;
  const body = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
  const name = Buffer.from(entry.name);
  const flags = (entry.flags ?? 0x800) | (entry.isStreamed === true ? 8 : 0);
  const sums = [entry.crc ?? crc32(content), body.length, content.length] as const;
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(flags, 2);
  shared.writeUInt16LE(method, 4);
  shared.writeUInt16LE(10 << 11, 6);
  shared.writeUInt16LE(((2026 - 1980) << 9) | (11 << 5) | 12, 8);
  shared.writeUInt16LE(name.length, 22);
  const told = Buffer.from(shared);
  for (const [index, sum] of sums.entries()) told.writeUInt32LE(sum >>> 0, 10 + index * 4);
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  for (const [index, sum] of sums.entries()) descriptor.writeUInt32LE(sum >>> 0, 4 + index * 4);
  const isStreamed = entry.isStreamed === true;
  const before = [Buffer.from('PK\x03\x04'), isStreamed ? shared : told, name, body];
  const centralEnd = Buffer.alloc(14);
  centralEnd.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
  centralEnd.writeUInt32LE(offset, 10);
  const madeByUnix = Buffer.from([20, 3]);
  const central = [Buffer.from('PK\x01\x02'), madeByUnix, told, centralEnd, name];
  return {
    local: Buffer.concat(isStreamed ? [...before, descriptor] : before),
    central: Buffer.concat(central),
  };
}
