import type { ByteReader, ByteSource } from './byte-source.ts';
import type { Session } from './session.ts';
import type { SkippedKind } from './skipped.ts';
import { MemberBody, paddingBytes } from './tar-body.ts';
import type { PaxValues, TarHeader } from './tar-header.ts';
import {
  hasTarMagic,
  paxValues,
  TAR_BLOCK_BYTES,
  tarBodyBytes,
  tarHeader,
  tarKind,
  tarModifiedMs,
  textField,
} from './tar-header.ts';
import { shown, sized } from './words.ts';

/** One entry of a tar archive. Its body is readable until the next entry is asked for. */
export interface TarMember {
  /** The raw name, as untrusted as the archive. */
  readonly name: string;
  readonly kind: 'file' | 'nothing' | SkippedKind;
  readonly modifiedMs: number | null;
  readonly body: ByteSource;
}

/** A longer pax header or long name is no name any system can have; it is passed over. */
const EXTENSION_BYTES_MAX = 1024 * 1024;

/**
 * Reads a tar archive: ustar, pax (local and global), GNU long names, sparse files and base-256
 * sizes, and the headers before POSIX. Archives put one behind the other are one. At a damaged
 * header the loss is told and reading goes on at the next header that is sound.
 */
export async function* tarMembers(
  reader: ByteReader,
  locator: string,
  session: Session,
): AsyncGenerator<TarMember, void> {
  const walk = new TarWalk(reader, locator, session);
  for (let header = await walk.header(); header !== null; header = await walk.header()) {
    if (await walk.isExtension(header)) continue;
    const member = await walk.member(header);
    yield member;
    await member.body.leave();
    if (member.body.cut) return;
  }
}

/** Where the reading of one archive stands, with the extensions meant for its next entry. */
class TarWalk {
  readonly #reader: ByteReader;
  readonly #locator: string;
  readonly #session: Session;
  #globalPax: PaxValues = new Map();
  #pax: PaxValues | null = null;
  #longName: string | null = null;
  #zeroBlocks = 0;
  #isDamageTold = false;

  constructor(reader: ByteReader, locator: string, session: Session) {
    this.#reader = reader;
    this.#locator = locator;
    this.#session = session;
  }

  /** The next sound header, or null at the end, which is told when it comes too early. */
  async header(): Promise<TarHeader | null> {
    for (;;) {
      const block = this.#reader.peekNow(TAR_BLOCK_BYTES) ?? (await this.#peekBlock());
      if (block.length < TAR_BLOCK_BYTES) return this.#atEnd(block.length);
      if (isZero(block)) this.#zeroBlocks += 1;
      else {
        const header = tarHeader(block);
        if (header === null && this.#zeroBlocks > 1) return null;
        if (header !== null) return this.#accept(header);
        await this.#findHeader();
        continue;
      }
      await this.#reader.skip(TAR_BLOCK_BYTES);
    }
  }

  /** Reads a header that only tells about the next entry; false when it is an entry. */
  async isExtension({ type, sizeBytes }: TarHeader): Promise<boolean> {
    if (!['x', 'X', 'g', 'L', 'K'].includes(type)) return false;
    const content = await this.#content(sizeBytes);
    if (content === null) return true;
    if (type === 'L') this.#longName = textField(content, 0, content.length);
    if (type === 'g') this.#globalPax = new Map([...this.#globalPax, ...paxValues(content)]);
    if (type === 'x' || type === 'X') this.#pax = paxValues(content);
    return true;
  }

  async member(header: TarHeader): Promise<TarMember & { readonly body: MemberBody }> {
    const pax = new Map([...this.#globalPax, ...(this.#pax ?? [])]);
    const name = pax.get('GNU.sparse.name') ?? pax.get('path') ?? this.#longName ?? header.name;
    const bytes = tarBodyBytes(header, this.#pax);
    this.#pax = null;
    this.#longName = null;
    if (header.hasMapBlocks) await this.#passMapBlocks();
    const body = new MemberBody(this.#reader, bytes, (left) => this.#sayCut(name, bytes, left));
    if (pax.get('GNU.sparse.major') === '1') await body.passSparseMap();
    return { name, kind: tarKind(header, name), modifiedMs: tarModifiedMs(header, pax), body };
  }

  #peekBlock(): Promise<Uint8Array> {
    return this.#reader.peek(TAR_BLOCK_BYTES);
  }

  async #accept(header: TarHeader): Promise<TarHeader | null> {
    this.#zeroBlocks = 0;
    await this.#reader.skip(TAR_BLOCK_BYTES);
    return this.#session.countEntry() ? header : null;
  }

  #atEnd(leftBytes: number): null {
    const isComplete = this.#zeroBlocks > 1 || (this.#zeroBlocks === 1 && leftBytes === 0);
    if (!isComplete && !this.#isDamageTold && !this.#reader.cut) {
      const what =
        `${this.#locator} ends without the mark that closes a tar archive; it may have been ` +
        'cut off. Copy the original again if entries are missing.';
      this.#session.say(this.#locator, what);
    }
    return null;
  }

  /** Moves to the next block that is a header beyond doubt, and tells what was passed over. */
  async #findHeader(): Promise<void> {
    let passedBytes = 0;
    for (;;) {
      passedBytes += await this.#reader.skip(TAR_BLOCK_BYTES);
      const block = this.#reader.peekNow(TAR_BLOCK_BYTES) ?? (await this.#peekBlock());
      if (block.length < TAR_BLOCK_BYTES) break;
      if (hasTarMagic(block) && tarHeader(block) !== null) break;
    }
    this.#isDamageTold = true;
    this.#session.say(
      this.#locator,
      `${this.#locator} is damaged: ${sized(passedBytes)} are not part of the tar archive and ` +
        'were skipped. Copy the original again for all entries.',
    );
  }

  /** The content of an extension header; null when it is too long to be one, or cut. */
  async #content(bytes: number): Promise<Uint8Array | null> {
    const isSane = bytes <= EXTENSION_BYTES_MAX;
    const content = isSane ? await this.#reader.read(bytes) : null;
    await this.#reader.skip((isSane ? 0 : bytes) + paddingBytes(bytes));
    return content?.length === bytes ? content : null;
  }

  async #passMapBlocks(): Promise<void> {
    for (let isMore = true; isMore; ) {
      const block = await this.#peekBlock();
      await this.#reader.skip(TAR_BLOCK_BYTES);
      isMore = (block[504] ?? 0) !== 0;
    }
  }

  #sayCut(name: string, bytes: number, leftBytes: number): void {
    if (this.#reader.cut) return;
    const what =
      `${this.#locator} was cut: it ends ${sized(leftBytes)} before the end of '${shown(name)}' ` +
      `(${sized(bytes)}). What comes before was read; copy it again for the rest.`;
    this.#session.say(this.#locator, what);
  }
}

function isZero(block: Uint8Array): boolean {
  return block[0] === 0 && ZERO_BLOCK.equals(block);
}

const ZERO_BLOCK = Buffer.alloc(TAR_BLOCK_BYTES);
