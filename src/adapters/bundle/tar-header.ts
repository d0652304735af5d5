import type { SkippedKind } from './skipped.ts';

/** One 512-byte tar header, read as POSIX ustar and GNU write it. */
export interface TarHeader {
  readonly name: string;
  readonly linkName: string;
  readonly sizeBytes: number;
  /** Seconds since the epoch. */
  readonly modifiedS: number;
  /** The type flag as one character; NUL (very old archives) is given as `0`. */
  readonly type: string;
  /** Whether blocks of an old GNU sparse map follow the header. */
  readonly hasMapBlocks: boolean;
}

/** The values of a pax header that change how an entry is read. */
export type PaxValues = ReadonlyMap<string, string>;

const PAX_KEYS: ReadonlySet<string> = new Set([
  'path',
  'size',
  'mtime',
  'GNU.sparse.name',
  'GNU.sparse.major',
]);

export const TAR_BLOCK_BYTES = 512;
const SPARSE_FLAG = 'S'.charCodeAt(0);

/** `ustar\0` (POSIX) or `ustar  \0` (GNU) at byte 257, as tar(5) gives it. */
export function hasTarMagic(block: Uint8Array): boolean {
  const magic = text(block, 257, 8, 'latin1');
  return magic.startsWith('ustar\0') || magic === 'ustar  \0';
}

/**
 * A tar header of any age: its checksum is the sum of its 512 bytes with the checksum field taken
 * as spaces. Old writers summed signed bytes, so both sums count. All-zero blocks are no headers.
 */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < TAR_BLOCK_BYTES || block[0] === 0) return false;
  const told = octal(text(block, 148, 8, 'latin1'));
  if (!(told > 0)) return false;
  let sum = 8 * 32;
  let negatives = 0;
  for (let index = 0; index < TAR_BLOCK_BYTES; index += 1) {
    if (index === 148) index = 156;
    const byte = block[index] ?? 0;
    sum += byte;
    if (byte > 127) negatives += 1;
  }
  return told === sum || told === sum - negatives * 256;
}

/** Reads a header block; null when it is none, or its size is no number an entry can have. */
export function tarHeader(block: Uint8Array): TarHeader | null {
  if (!isTarHeader(block)) return null;
  const sizeBytes = numeric(block, 124, 12);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) return null;
  const name = textField(block, 0, 100);
  const isPosix = text(block, 257, 6, 'latin1') === 'ustar\0';
  const prefix = isPosix ? textField(block, 345, 155) : '';
  const flag = block[156] ?? 0;
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    linkName: textField(block, 157, 100),
    sizeBytes,
    modifiedS: numeric(block, 136, 12),
    type: flag === 0 ? '0' : String.fromCharCode(flag),
    hasMapBlocks: flag === SPARSE_FLAG && block[482] !== 0,
  };
}

const SKIPPED_TYPES: Readonly<Record<string, SkippedKind>> = {
  1: 'hard-link',
  2: 'symbolic-link',
  3: 'device',
  4: 'device',
  6: 'fifo',
};

/** What an entry is. POSIX has every type that is not known read as a regular file. */
export function tarKind(header: TarHeader, name: string): 'file' | 'nothing' | SkippedKind {
  const skipped = SKIPPED_TYPES[header.type];
  if (skipped !== undefined) return skipped;
  if (['5', 'D', 'V'].includes(header.type)) return 'nothing';
  return name.endsWith('/') ? 'nothing' : 'file';
}

/**
 * How many bytes of content follow the header. Links, devices and folders have none, whatever
 * their size field says, except that a pax archive may store content with a hard link.
 *
 * @param pax the pax header of this entry alone; null when it has none
 */
export function tarBodyBytes(header: TarHeader, pax: PaxValues | null): number {
  const isBare = ['2', '3', '4', '5', '6', 'V'].includes(header.type);
  if (isBare || (header.type === '1' && pax === null)) return 0;
  const told = Number(pax?.get('size') ?? header.sizeBytes);
  return Number.isSafeInteger(told) && told >= 0 ? told : header.sizeBytes;
}

/** Modification time in ms since the epoch; null where a writer left it at 0, or out of range. */
export function tarModifiedMs(header: TarHeader, pax: PaxValues): number | null {
  const ms = Math.round(Number(pax.get('mtime') ?? header.modifiedS) * 1000);
  return ms > 0 && ms <= 8.64e15 ? ms : null;
}

/** Reads the records `length key=value\n` of a pax header; stops at the first that is broken. */
export function paxValues(block: Uint8Array): Map<string, string> {
  const values = new Map<string, string>();
  let start = 0;
  while (start < block.length) {
    const space = block.indexOf(0x20, start);
    if (space < 0 || space - start > 10) break;
    const length = Number(text(block, start, space - start, 'latin1'));
    if (!Number.isSafeInteger(length) || length <= space - start + 1) break;
    const record = text(block, space + 1, start + length - space - 2, 'utf8');
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    if (PAX_KEYS.has(key)) values.set(key, record.slice(equals + 1));
    start += length;
  }
  return values;
}

/** Text up to the first NUL, as the long names of GNU tar and all names in headers are stored. */
export function textField(block: Uint8Array, start: number, bytes: number): string {
  const end = block.subarray(start, start + bytes).indexOf(0);
  return text(block, start, end < 0 ? bytes : end, 'utf8');
}

function text(block: Uint8Array, start: number, bytes: number, encoding: BufferEncoding): string {
  const view = block.subarray(start, start + Math.max(bytes, 0));
  return Buffer.from(view.buffer, view.byteOffset, view.length).toString(encoding);
}

/** Octal digits, or, for what does not fit, a big-endian number marked by the highest bit. */
function numeric(block: Uint8Array, start: number, bytes: number): number {
  const first = block[start] ?? 0;
  if (first < 128) return octal(text(block, start, bytes, 'latin1'));
  if (first === 255) return -1;
  let value = first & 127;
  for (const byte of block.subarray(start + 1, start + bytes)) value = value * 256 + byte;
  return value;
}

function octal(digits: string): number {
  const trimmed = digits.replace(/^[\0 ]+/, '').replace(/[\0 ].*$/s, '');
  if (trimmed === '') return 0;
  return /^[0-7]+$/.test(trimmed) ? Number.parseInt(trimmed, 8) : Number.NaN;
}
