import type { ByteSource } from './byte-source.ts';
import { ByteReader, CHUNK_BYTES, FIRST_CHUNK_BYTES } from './byte-source.ts';
import type { Method } from './decoded.ts';
import { DecodedSource } from './decoded.ts';
import { shown, sized, systemReason } from './words.ts';
import type { ZipArchive } from './zip.ts';
import type { ZipMember } from './zip-member.ts';
import { ZipDamage } from './zip-member.ts';

const STORED = 0;
const METHODS: Readonly<Record<number, Method>> = { 8: 'deflate', 93: 'zstd', 95: 'xz' };

/** The content of one entry, unpacked and checked; null when it cannot be found, which is told. */
export async function zipContent(
  archive: ZipArchive,
  member: ZipMember,
  locator: string,
): Promise<ByteSource | null> {
  try {
    const start = await member.start();
    const packed = new RangeSource(archive, locator, start, member);
    const method = METHODS[member.method];
    if (method === undefined) return await checked(packed, member, locator, archive);
    const reader = new ByteReader(packed);
    const { session } = archive;
    const unpacked = new DecodedSource(method, reader, locator, session, member.packedBytes);
    return await checked(unpacked, member, locator, archive);
  } catch (error) {
    if (!(error instanceof ZipDamage)) throw error;
    archive.session.say(locator, `${locator} was not read: ${shown(error.message)}.`);
    return null;
  }
}

async function checked(
  content: ByteSource,
  member: ZipMember,
  locator: string,
  archive: ZipArchive,
): Promise<ByteSource> {
  if (member.crc32 === null) return content;
  const { crc32 } = await import('node:zlib');
  return new CheckedSource(content, member.crc32, crc32, () => {
    const what = `${locator} does not match its checksum: parts of it may be wrong.`;
    archive.session.say(locator, what);
  });
}

/** The packed bytes of one entry. Stored ones count as unpacked: entries may overlap for ever. */
class RangeSource implements ByteSource {
  cut = false;
  readonly #archive: ZipArchive;
  readonly #locator: string;
  readonly #isStored: boolean;
  #position: number;
  #leftBytes: number;
  #chunkBytes = FIRST_CHUNK_BYTES;

  constructor(archive: ZipArchive, locator: string, start: number, member: ZipMember) {
    this.#archive = archive;
    this.#locator = locator;
    this.#position = start;
    this.#leftBytes = member.packedBytes;
    this.#isStored = member.method === STORED;
  }

  async next(): Promise<Uint8Array | null> {
    if (this.#leftBytes === 0 || this.cut) return null;
    const chunk = await this.#read(Math.min(this.#leftBytes, this.#chunkBytes));
    if (chunk.length === 0) return this.#endEarly();
    this.#chunkBytes = CHUNK_BYTES;
    this.#position += chunk.length;
    this.#leftBytes -= chunk.length;
    const { session } = this.#archive;
    this.cut = this.#isStored && !session.countUnpacked(this.#locator, chunk.length);
    return this.cut ? null : chunk;
  }

  async close(): Promise<void> {}

  async #read(bytes: number): Promise<Uint8Array> {
    try {
      return await this.#archive.access.readAt(this.#position, bytes);
    } catch (error) {
      this.cut = true;
      const what = `Reading ${this.#locator} stopped: ${systemReason(error)}.`;
      this.#archive.session.say(this.#locator, what);
      return new Uint8Array(0);
    }
  }

  /** Packed content that ends early is told by whoever unpacks it. */
  #endEarly(): null {
    if (this.cut || !this.#isStored) return null;
    this.cut = true;
    const what = `${this.#locator} was cut: its last ${sized(this.#leftBytes)} are missing.`;
    this.#archive.session.say(this.#locator, what);
    return null;
  }
}

type Crc32 = (bytes: Uint8Array, start: number) => number;

/** Content that is compared with its CRC-32 once it was read to its end. */
class CheckedSource implements ByteSource {
  readonly #content: ByteSource;
  readonly #expected: number;
  readonly #crc32: Crc32;
  readonly #onWrong: () => void;
  #sum = 0;
  #ended = false;

  constructor(content: ByteSource, expected: number, crc32: Crc32, onWrong: () => void) {
    this.#content = content;
    this.#expected = expected;
    this.#crc32 = crc32;
    this.#onWrong = onWrong;
  }

  get cut(): boolean {
    return this.#content.cut;
  }

  async next(): Promise<Uint8Array | null> {
    const chunk = await this.#content.next();
    if (chunk !== null) this.#sum = this.#crc32(chunk, this.#sum);
    else if (!this.#ended && !this.cut && this.#sum !== this.#expected) this.#onWrong();
    this.#ended ||= chunk === null;
    return chunk;
  }

  close(): Promise<void> {
    return this.#content.close();
  }
}
