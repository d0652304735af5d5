import type { RandomAccess } from './byte-source.ts';
import type { ZipMember } from './zip-member.ts';
import { dosTimeMs, WindowedAccess, zipKind } from './zip-member.ts';

const LOCAL_HEADER = Buffer.from('PK\x03\x04', 'latin1');
const CENTRAL_HEADER = Buffer.from('PK\x01\x02', 'latin1');
const LOCAL_HEADER_BYTES = 30;
const SIZES_FOLLOW_FLAG = 8;
const UTF8_FLAG = 0x800;
const SEARCH_BYTES = 256 * 1024;
const DESCRIPTOR_BYTES_MAX = 24;

/**
 * Lists what a zip archive without a readable directory holds, by the header before each entry.
 * A zip that was cut has lost its directory, which is its end, but not these.
 */
export async function* salvagedMembers(access: RandomAccess): AsyncGenerator<ZipMember, void> {
  const windowed = new WindowedAccess(access);
  let position = 0;
  for (;;) {
    const header = await windowed.readAt(position, LOCAL_HEADER_BYTES);
    const fields = Buffer.from(header.buffer, header.byteOffset, header.length);
    if (fields.length < LOCAL_HEADER_BYTES || !fields.subarray(0, 4).equals(LOCAL_HEADER)) return;
    const start = position + LOCAL_HEADER_BYTES + fields.readUInt16LE(26) + fields.readUInt16LE(28);
    const nameBytes = await windowed.readAt(position + 30, fields.readUInt16LE(26));
    const extent = await extentOf(access, fields, start);
    yield member(fields, nameOf(fields, nameBytes), start, extent.packedBytes);
    position = extent.next;
  }
}

interface Extent {
  readonly packedBytes: number;
  /** Where the next header should be. */
  readonly next: number;
}

async function extentOf(access: RandomAccess, fields: Buffer, start: number): Promise<Extent> {
  const told = fields.readUInt32LE(18);
  const isTold = (fields.readUInt16LE(6) & SIZES_FOLLOW_FLAG) === 0 && told !== 0xffffffff;
  return isTold ? { packedBytes: told, next: start + told } : searchedExtent(access, start);
}

/**
 * Finds the end of content whose size is only told behind it: the next header that has, right
 * before it, a descriptor telling exactly this many bytes.
 */
async function searchedExtent(access: RandomAccess, start: number): Promise<Extent> {
  for (let at = start; at < access.sizeBytes; at += SEARCH_BYTES) {
    const from = Math.max(at - DESCRIPTOR_BYTES_MAX, start);
    const bytes = await access.readAt(from, SEARCH_BYTES + DESCRIPTOR_BYTES_MAX + 4);
    const found = headerIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), from - start);
    if (found !== null) return { packedBytes: found.packedBytes, next: start + found.next };
  }
  return { packedBytes: Math.max(access.sizeBytes - start, 0), next: access.sizeBytes };
}

/** @param offset how far the window is behind the start of the content */
function headerIn(window: Buffer, offset: number): Extent | null {
  for (let at = window.indexOf('PK'); at >= 0; at = window.indexOf('PK', at + 2)) {
    const signature = window.subarray(at, at + 4);
    if (!signature.equals(LOCAL_HEADER) && !signature.equals(CENTRAL_HEADER)) continue;
    const packedBytes = describedBytes(window.subarray(0, at), offset + at);
    if (packedBytes !== null) return { packedBytes, next: offset + at };
  }
  return null;
}

/** Descriptors are CRC, packed and plain size, of 4 or 8 bytes each, often after a signature. */
function describedBytes(before: Buffer, distance: number): number | null {
  const end = before.length;
  const small = end >= 8 ? before.readUInt32LE(end - 8) : -1;
  const large = end >= 16 ? Number(before.readBigUInt64LE(end - 16)) : -1;
  if (small === distance - 16 || small === distance - 12) return small;
  return large === distance - 24 || large === distance - 20 ? large : null;
}

function nameOf(fields: Buffer, nameBytes: Uint8Array): string {
  const isUtf8 = (fields.readUInt16LE(6) & UTF8_FLAG) !== 0;
  const name = Buffer.from(nameBytes.buffer, nameBytes.byteOffset, nameBytes.length);
  return name.toString(isUtf8 ? 'utf8' : 'latin1');
}

function member(fields: Buffer, name: string, start: number, packedBytes: number): ZipMember {
  const flags = fields.readUInt16LE(6);
  const method = fields.readUInt16LE(8);
  return {
    name,
    kind: zipKind({ name, flags, method, madeBy: 0, attributes: 0 }),
    method,
    crc32: (flags & SIZES_FOLLOW_FLAG) === 0 ? fields.readUInt32LE(14) : null,
    packedBytes,
    modifiedMs: dosTimeMs(fields.readUInt16LE(12), fields.readUInt16LE(10)),
    start: async () => start,
  };
}
