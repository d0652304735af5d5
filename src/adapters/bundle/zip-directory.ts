import type { Readable } from 'node:stream';
import type YauzlModule from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import type { RandomAccess } from './byte-source.ts';
import type { ZipMember } from './zip-member.ts';
import { WindowedAccess, ZipDamage, zipKind } from './zip-member.ts';

type Yauzl = typeof YauzlModule;

/**
 * Lists a zip archive by its central directory. The library parses, but reads through us only:
 * positions are checked here (it would hand numbers beyond 2^63 to the system, which throws where
 * nobody can catch), and what it throws ends the listing instead of the program.
 *
 * Throws ZipDamage: with `isOpen` false when the directory itself is not found.
 */
export class ZipDirectory {
  static async open(access: RandomAccess): Promise<ZipDirectory> {
    const { default: yauzl } = await import('yauzl');
    const guard = new Guard();
    const reader = guardedReader(yauzl, new WindowedAccess(access), guard);
    const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: false };
    const opened = yauzl.fromRandomAccessReaderPromise(reader, access.sizeBytes, {
      ...options,
      autoClose: false,
    });
    return new ZipDirectory(yauzl, await guard.over(opened), guard);
  }

  readonly #yauzl: Yauzl;
  readonly #zip: ZipFile;
  readonly #guard: Guard;

  private constructor(yauzl: Yauzl, zip: ZipFile, guard: Guard) {
    this.#yauzl = yauzl;
    this.#zip = zip;
    this.#guard = guard;
    zip.on('error', (error: Error) => guard.fail(error));
  }

  async *members(): AsyncGenerator<ZipMember, void> {
    for (;;) {
      const entry = await this.#guard.over(this.#nextEntry());
      if (entry === null) return;
      yield this.#member(entry);
    }
  }

  #nextEntry(): Promise<Entry | null> {
    return new Promise((resolve) => {
      const onEntry = (entry: Entry): void => settle(entry);
      const onEnd = (): void => settle(null);
      const settle = (entry: Entry | null): void => {
        this.#zip.off('entry', onEntry).off('end', onEnd);
        resolve(entry);
      };
      this.#zip.on('entry', onEntry).on('end', onEnd);
      this.#zip.readEntry();
    });
  }

  #member(entry: Entry): ZipMember {
    const { generalPurposeBitFlag: flags, compressionMethod: method, fileNameRaw } = entry;
    const name = this.#yauzl.getFileNameLowLevel(flags, fileNameRaw, entry.extraFields, true);
    const attributes = entry.externalFileAttributes;
    const modifiedMs = entry.getLastModDate({ timezone: 'UTC' }).getTime();
    return {
      name,
      kind: zipKind({ name, flags, method, madeBy: entry.versionMadeBy, attributes }),
      method,
      crc32: entry.crc32,
      packedBytes: entry.compressedSize,
      modifiedMs: modifiedMs > 0 ? modifiedMs : null,
      start: () => this.#start(entry),
    };
  }

  async #start(entry: Entry): Promise<number> {
    const header = this.#zip.readLocalFileHeaderPromise(entry, { minimal: true });
    return (await this.#guard.over(header)).fileDataStart;
  }
}

/** Turns whatever goes wrong inside the library into the failure of the call under way. */
class Guard {
  #fail: (error: unknown) => void = () => {};

  fail(error: unknown): void {
    this.#fail(error);
  }

  async over<Result>(call: Promise<Result>): Promise<Result> {
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    try {
      return await Promise.race([call, failed]);
    } catch (error) {
      throw new ZipDamage((error as Error).message, { cause: error });
    }
  }
}

function guardedReader(
  yauzl: Yauzl,
  access: RandomAccess,
  guard: Guard,
): InstanceType<Yauzl['RandomAccessReader']> {
  class GuardedReader extends yauzl.RandomAccessReader {
    override read(...[buffer, offset, length, position, callback]: ReadArguments): void {
      const target = buffer.subarray(offset, offset + length);
      void answer(readInto(access, target, position), callback, guard);
    }

    override _readStreamForRange(): Readable {
      throw new ZipDamage('content is read without the library');
    }
  }
  return new GuardedReader();
}

type ReadArguments = readonly [
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
  callback: ReadCallback,
];
type ReadCallback = (error: Error | null, bytes?: number) => void;

async function answer(
  reading: Promise<number>,
  callback: ReadCallback,
  guard: Guard,
): Promise<void> {
  try {
    const bytes = await reading.catch((error: unknown) => error as Error);
    if (typeof bytes === 'number') callback(null, bytes);
    else callback(bytes);
  } catch (error) {
    guard.fail(error);
  }
}

async function readInto(access: RandomAccess, target: Buffer, position: number): Promise<number> {
  const isInside = position >= 0 && position + target.length <= access.sizeBytes;
  if (!isInside) throw new ZipDamage('it points at a place outside of itself');
  const bytes = await access.readAt(position, target.length);
  if (bytes.length < target.length) throw new ZipDamage('it became shorter while it was read');
  target.set(bytes);
  return bytes.length;
}
