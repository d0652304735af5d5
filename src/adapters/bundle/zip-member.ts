import type { RandomAccess } from './byte-source.ts';
import type { SkippedKind } from './skipped.ts';

/** One entry of a zip archive. */
export interface ZipMember {
  /** The raw name, as untrusted as the archive. */
  readonly name: string;
  readonly kind: 'file' | 'nothing' | SkippedKind;
  /** Compression method number of the zip format: 0 stored, 8 DEFLATE, 93 zstd, 95 xz. */
  readonly method: number;
  /** CRC-32 of the content; null when the archive does not tell in time. */
  readonly crc32: number | null;
  readonly packedBytes: number;
  readonly modifiedMs: number | null;
  /** Finds where the packed content starts. Throws ZipDamage when that is nowhere. */
  start(): Promise<number>;
}

/** A zip archive whose structure cannot be followed (further). */
export class ZipDamage extends Error {
  override readonly name = 'ZipDamage';
}

/** Kinds by the file type bits of a Unix mode, as zip stores it in the external attributes. */
const UNIX_KINDS: Readonly<Record<number, SkippedKind>> = {
  0o010000: 'fifo',
  0o020000: 'device',
  0o060000: 'device',
  0o120000: 'symbolic-link',
  0o140000: 'socket',
};
const UNIX_HOST = 3;
const READABLE_METHODS: ReadonlySet<number> = new Set([0, 8, 93, 95]);

/** What an entry is, from its name, flags, method and attributes in the central directory. */
export function zipKind(entry: {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly madeBy: number;
  readonly attributes: number;
}): ZipMember['kind'] {
  if (/[\\/]$/.test(entry.name)) return 'nothing';
  const mode = entry.madeBy >>> 8 === UNIX_HOST ? entry.attributes >>> 16 : 0;
  const special = UNIX_KINDS[mode & 0o170000];
  if (special !== undefined) return special;
  if ((entry.flags & 1) !== 0) return 'encrypted';
  return READABLE_METHODS.has(entry.method) ? 'file' : 'method';
}

/** MS-DOS date and time, which have no zone and are taken as UTC, in ms since the epoch. */
export function dosTimeMs(date: number, time: number): number | null {
  const year = (date >>> 9) + 1980;
  const day = [year, ((date >>> 5) & 15) - 1, date & 31] as const;
  return date === 0 ? null : Date.UTC(...day, time >>> 11, (time >>> 5) & 63, (time & 31) * 2);
}

/** Reads small pieces through one window, as a directory is read from front to back. */
export class WindowedAccess implements RandomAccess {
  readonly sizeBytes: number;
  readonly #access: RandomAccess;
  #start = 0;
  #window: Uint8Array = new Uint8Array(0);

  constructor(access: RandomAccess) {
    this.#access = access;
    this.sizeBytes = access.sizeBytes;
  }

  async readAt(position: number, bytes: number): Promise<Uint8Array> {
    if (!this.#covers(position, bytes)) {
      this.#start = position;
      this.#window = await this.#access.readAt(position, Math.max(bytes, WINDOW_BYTES));
    }
    return this.#window.subarray(position - this.#start, position - this.#start + bytes);
  }

  #covers(position: number, bytes: number): boolean {
    const end = this.#start + this.#window.length;
    return position >= this.#start && position + bytes <= end;
  }
}

const WINDOW_BYTES = 64 * 1024;
