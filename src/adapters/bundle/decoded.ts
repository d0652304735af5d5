import type { ByteReader, ByteSource } from './byte-source.ts';
import type { Decoder, Fault, Slices } from './decoder.ts';
import { DecodeError } from './decoder.ts';
import { Replay } from './replay.ts';
import type { Session } from './session.ts';
import { SpentBuffers } from './spent-buffers.ts';
import { quoted, shown, sized } from './words.ts';
import { xzDecoder } from './xz-decoder.ts';
import { OUTPUT_BYTES, zlibDecoder } from './zlib-decoder.ts';
import { ZstdDecoder } from './zstd-decoder.ts';

export type Method = 'gzip' | 'zstd' | 'xz' | 'deflate';

/** Input of one call: more saves turns of the event loop, and loses more before late damage. */
const SLICE_BYTES = 128 * 1024;
const SMALL_INPUT_BYTES = 4096;
/** Input kept to unpack it once more, in small steps, should it turn out damaged. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;

/** The unpacked bytes of a compressed reader, counted, and cut off where they look like a bomb. */
export class DecodedSource implements ByteSource {
  cut = false;
  readonly #method: Method;
  readonly #packed: ByteReader;
  readonly #locator: string;
  readonly #session: Session;
  /** Whether so little input is expected that large buffers would be a waste. */
  readonly #isSmall: boolean;
  readonly #spent = new SpentBuffers(OUTPUT_BYTES);
  #decoder: Decoder | null = null;
  #kept: Uint8Array[] | null = [];
  #packedBytes = 0;
  #unpackedBytes = 0;
  #ended = false;

  /** @param expectedBytes about how much packed input there is */
  constructor(
    method: Method,
    packed: ByteReader,
    locator: string,
    session: Session,
    expectedBytes: number = packed.readyBytes,
  ) {
    this.#method = method;
    this.#packed = packed;
    this.#locator = locator;
    this.#session = session;
    this.#isSmall = expectedBytes < SMALL_INPUT_BYTES;
  }

  async next(): Promise<Uint8Array | null> {
    if (this.#ended) return null;
    const chunk = await this.#pull();
    if (chunk !== null && this.#count(chunk.length)) {
      this.#spent.passed(chunk);
      return chunk;
    }
    this.#ended = true;
    await this.close();
    return null;
  }

  async close(): Promise<void> {
    this.#ended = true;
    this.#kept = null;
    await this.#decoder?.close();
  }

  async #pull(): Promise<Uint8Array | null> {
    try {
      this.#decoder ??= await this.#open(this.#slices);
      return await this.#decoder.next();
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      if (this.#kept !== null && error.dropsOutput) return this.#again(this.#kept);
      this.#tell(error);
      return null;
    }
  }

  async #again(kept: readonly Uint8Array[]): Promise<Uint8Array | null> {
    this.#kept = null;
    await this.#decoder?.close();
    this.#decoder = new Replay((slices) => this.#open(slices), kept, this.#unpackedBytes);
    return this.#pull();
  }

  readonly #slices: Slices = async () => {
    const slice = await this.#packed.take(SLICE_BYTES);
    this.#packedBytes += slice?.length ?? 0;
    if (this.#packedBytes > KEPT_BYTES_MAX) this.#kept = null;
    // A copy, since what is unpacked from another decoder is soon given back.
    if (slice !== null) this.#kept?.push(new Uint8Array(slice));
    return slice;
  };

  async #open(slices: Slices): Promise<Decoder> {
    if (this.#method === 'xz') return xzDecoder(slices);
    if (this.#method === 'zstd') return new ZstdDecoder(slices, this.#isSmall);
    return zlibDecoder(this.#method, slices, this.#isSmall);
  }

  #count(bytes: number): boolean {
    this.#unpackedBytes += bytes;
    const isAllowed = this.#session.countUnpacked(this.#locator, bytes);
    const isBomb = isAllowed && this.#session.isBomb(this.#unpackedBytes, this.#packedBytes);
    if (isBomb) this.#session.sayBomb(this.#locator, this.#unpackedBytes);
    this.cut = isBomb || !isAllowed;
    return !this.cut;
  }

  #tell(error: DecodeError): void {
    // Foreign bytes behind nothing at all are not behind anything.
    const isBehind = error.fault === 'trailing' && this.#unpackedBytes > 0;
    const fault = error.fault === 'trailing' && !isBehind ? 'damaged' : error.fault;
    this.cut = !isBehind;
    if (this.#packed.cut) return;
    const subject = { name: this.#locator, method: this.#method, bytes: this.#unpackedBytes };
    this.#session.say(this.#locator, SENTENCES[fault](subject, shown(error.message)));
  }
}

interface Subject {
  readonly name: string;
  readonly method: Method;
  readonly bytes: number;
}

/** The command that has another program unpack a file, where there is a file. */
function elsewhere({ name, method }: Subject): string {
  if (name.includes('!')) return 'Unpack the archive and give the folder.';
  const command = `${method} -dc${method === 'zstd' ? ' --long=31 --memory=2048MB' : ''}`;
  return name === '-'
    ? `Send it through \`${command}\` first.`
    : `Run \`${command} ${quoted(name)} | rollcall diagnose -\`.`;
}

const SENTENCES: Readonly<Record<Fault, (subject: Subject, detail: string) => string>> = {
  early: ({ name, method, bytes }) =>
    `${name} is cut off: its ${method} content ends early. The ${sized(bytes)} before that were ` +
    'read; copy the original again for the rest.',
  trailing: ({ name, method }) =>
    `${name} has other bytes behind its ${method} content; Rollcall ignored them.`,
  damaged: ({ name, method, bytes }, detail) =>
    `The ${method} content of ${name} is damaged after ${sized(bytes)} (${detail}); what comes ` +
    'before was read. Copy the original again for the rest.',
  options: (subject, detail) =>
    `${subject.name} uses packing options that Rollcall does not support (${detail}). ` +
    elsewhere(subject),
  memory: (subject, detail) =>
    `${subject.name} needs more memory to unpack than Rollcall allows (${detail}). ` +
    elsewhere(subject),
  nested: (subject, detail) => `${subject.name} was not read: ${detail}. ${elsewhere(subject)}`,
};
