import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { ByteSource, RandomAccess } from './byte-source.ts';
import { CHUNK_BYTES, FIRST_CHUNK_BYTES } from './byte-source.ts';
import type { Session } from './session.ts';
import { sized, systemReason } from './words.ts';

/** A read under way, and where in the file. */
interface ReadAhead {
  readonly position: number;
  readonly chunk: Promise<Uint8Array>;
}

/** A regular file on disk, read from its beginning in large pieces. */
export class FileSource implements ByteSource, RandomAccess {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  cut = false;
  readonly #file: FileHandle;
  readonly #locator: string;
  readonly #session: Session;
  #position = 0;
  #ahead: ReadAhead | null = null;
  #closed = false;

  constructor(opened: OpenedFile, locator: string, session: Session) {
    this.#file = opened.file;
    this.sizeBytes = opened.sizeBytes;
    this.modifiedMs = opened.modifiedMs;
    this.#locator = locator;
    this.#session = session;
  }

  async next(): Promise<Uint8Array | null> {
    if (this.#closed || this.cut) return null;
    const chunk = await this.#read();
    if (chunk === null || chunk.length === 0) return null;
    this.#position += chunk.length;
    this.cut = !this.#session.countRead(chunk.length);
    if (this.cut) return null;
    this.#startAhead();
    return chunk;
  }

  async skip(bytes: number): Promise<number> {
    const skipped = Math.min(bytes, Math.max(this.sizeBytes - this.#position, 0));
    this.#position += skipped;
    return skipped;
  }

  async readAt(position: number, bytes: number): Promise<Uint8Array> {
    const buffer = Buffer.allocUnsafe(bytes);
    let filled = 0;
    while (filled < bytes) {
      const { bytesRead } = await this.#file.read(
        buffer,
        filled,
        bytes - filled,
        position + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#file.close();
  }

  async #read(): Promise<Uint8Array | null> {
    const ahead = this.#ahead?.position === this.#position ? this.#ahead : null;
    this.#ahead = null;
    try {
      return await (ahead ?? this.#start()).chunk;
    } catch (error) {
      return this.#broken(error);
    }
  }

  /** Reads on while the last chunk is unpacked, once it is clear that more than a look is wanted. */
  #startAhead(): void {
    const isWanted = this.#position > FIRST_CHUNK_BYTES && this.#position < this.sizeBytes;
    if (!isWanted) return;
    this.#ahead = this.#start();
    // Told by the call that asks for these bytes, if one does.
    this.#ahead.chunk.catch(() => {});
  }

  #start(): ReadAhead {
    const position = this.#position;
    const aim = position === 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
    // Files of /proc and /sys tell size 0 and have content, so the size only ever lowers the aim.
    const left = this.sizeBytes - position;
    const buffer = Buffer.allocUnsafe(left > 0 ? Math.min(aim, left) : FIRST_CHUNK_BYTES);
    return { position, chunk: this.#fill(buffer, position) };
  }

  async #fill(buffer: Buffer, position: number): Promise<Uint8Array> {
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, position);
    return buffer.subarray(0, bytesRead);
  }

  #broken(error: unknown): null {
    if (this.#closed) return null;
    this.cut = true;
    this.#session.say(
      this.#locator,
      `Reading ${this.#locator} stopped after ${sized(this.#position)}: ${systemReason(error)}.`,
    );
    return null;
  }
}

interface OpenedFile {
  readonly file: FileHandle;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/**
 * Opens a regular file. Without blocking, should the path have become a named pipe since it was
 * looked at; null when it is no regular file (any more). Throws what the system says.
 *
 * @param follow whether a symbolic link at the end of the path is followed
 */
export async function openRegular(
  path: string | Buffer,
  follow: boolean,
): Promise<OpenedFile | null> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW);
  const file = await open(path, flags);
  try {
    const stats = await file.stat();
    if (stats.isFile()) return { file, sizeBytes: stats.size, modifiedMs: stats.mtimeMs };
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return null;
}
