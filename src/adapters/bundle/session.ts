import type { OnLoss } from './contract.ts';
import type { BundleLimits } from './limits.ts';
import { counted, shown, sized } from './words.ts';

/** What reading one path given by the user has cost so far, and what was lost on the way. */
export class Session {
  readonly limits: BundleLimits;
  readonly #path: string;
  readonly #onLoss: OnLoss;
  #entries = 0;
  #bytes = 0;
  #losses = 0;
  #fileReadBytes = 0;
  #fileUnpackedBytes = 0;
  #areEntriesSpent = false;
  #areBytesSpent = false;
  #isFileSpent = false;

  constructor(path: string, limits: BundleLimits, onLoss: OnLoss) {
    this.#path = shown(path);
    this.limits = limits;
    this.#onLoss = onLoss;
  }

  /** True once nothing more can be read: every loop over entries ends then, without a word. */
  get spent(): boolean {
    return this.#areBytesSpent || this.#isFileSpent;
  }

  /** Closes the account of one file on disk: a bomb in it must not hide the others. */
  endFile(): void {
    this.#fileReadBytes = 0;
    this.#fileUnpackedBytes = 0;
    this.#isFileSpent = false;
  }

  say(locator: string, what: string): void {
    this.#losses += 1;
    if (this.#losses <= this.limits.lossesMax) this.#onLoss({ locator, what });
  }

  /** Counts one entry of a folder or an archive; false when it is one too many. */
  countEntry(): boolean {
    if (this.#areEntriesSpent || this.spent) return false;
    this.#entries += 1;
    if (this.#entries <= this.limits.entriesMax) return true;
    this.#areEntriesSpent = true;
    this.say(
      this.#path,
      `${this.#path} holds more than ${this.limits.entriesMax} entries; the rest was not read. ` +
        'Give the folder or file inside it that matters.',
    );
    return false;
  }

  /** Counts bytes read from disk or standard input; false when they are too many. */
  countRead(bytes: number): boolean {
    this.#fileReadBytes += bytes;
    return this.#countBytes(bytes);
  }

  /** Takes a whole file as read for the ratio, however often its parts are: zip entries overlap. */
  expectRead(bytes: number): void {
    this.#fileReadBytes = Math.max(this.#fileReadBytes, bytes);
  }

  /** Counts bytes unpacked from `locator`; false when they are too many, or look like a bomb. */
  countUnpacked(locator: string, bytes: number): boolean {
    this.#fileUnpackedBytes += bytes;
    if (!this.#countBytes(bytes)) return false;
    if (!this.isBomb(this.#fileUnpackedBytes, this.#fileReadBytes)) return true;
    if (!this.#isFileSpent) this.sayBomb(locator, this.#fileUnpackedBytes);
    this.#isFileSpent = true;
    return false;
  }

  isBomb(unpackedBytes: number, packedBytes: number): boolean {
    const { ratioFloorBytes, ratioMax } = this.limits;
    return unpackedBytes > ratioFloorBytes && unpackedBytes > packedBytes * ratioMax;
  }

  sayBomb(locator: string, unpackedBytes: number): void {
    this.say(
      locator,
      `${locator} unpacks to more than ${this.limits.ratioMax} times its size, as a ` +
        `decompression bomb does; reading it stopped after ${sized(unpackedBytes)}.`,
    );
  }

  /** Says how many losses were not told one by one. */
  end(): void {
    const untold = this.#losses - this.limits.lossesMax;
    if (untold <= 0) return;
    const parts = counted(untold, 'more part', 'more parts');
    this.#onLoss({ locator: this.#path, what: `${parts} of ${this.#path} could not be read.` });
  }

  #countBytes(bytes: number): boolean {
    if (this.#areBytesSpent) return false;
    this.#bytes += bytes;
    if (this.#bytes <= this.limits.bytesMax) return true;
    this.#areBytesSpent = true;
    this.say(
      this.#path,
      `${this.#path} holds more than ${sized(this.limits.bytesMax)} of content; the rest was not ` +
        'read. Give the folder or file inside it that matters.',
    );
    return false;
  }
}
