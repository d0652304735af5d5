/** Reads and changes the parts of a 64-bit little-endian ELF file that its loader looks at. */

/** As the file numbers the parts of its table of segments and of its dynamic section. */
const LOADED = 1;
const DYNAMIC = 2;
const EXECUTABLE_BIT = 1;
const TAG = { end: 0, needed: 1, strings: 5, symbols: 6, jumps: 23, jumpBytes: 2 } as const;
const VERSIONS = { ofSymbols: 0x6ffffff0, needed: 0x6ffffffe, neededCount: 0x6fffffff } as const;

const SEGMENT_BYTES = 56;
const ENTRY_BYTES = 16;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 24;
const ANY_VERSION = 1;

interface Segment {
  /** Where its header is. */
  readonly at: number;
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly bytes: number;
}

/** A program that is linked to shared libraries. */
export class ElfProgram {
  readonly bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes);
    if (this.bytes.readUInt32BE(0) !== 0x7f454c46 || this.bytes[4] !== 2 || this.bytes[5] !== 1)
      throw new Error('not a 64-bit little-endian ELF file');
  }

  /** As ELF numbers processors. */
  get machine(): number {
    return this.bytes.readUInt16LE(18);
  }

  /** The shared libraries that its loader looks for. */
  libraries(): readonly string[] {
    return this.#dynamic()
      .filter(({ tag }) => tag === TAG.needed)
      .map(({ value }) => this.#string(value));
  }

  /**
   * Puts code behind the program's own, in the rest of its last page.
   *
   * @returns its address
   * @throws Error when there is no room
   */
  addCode(code: Uint8Array): number {
    const text = this.#segments().find(
      ({ type, flags }) => type === LOADED && (flags & EXECUTABLE_BIT) !== 0,
    );
    if (text === undefined) throw new Error('the program has no code');
    const start = Math.ceil((text.offset + text.bytes) / ENTRY_BYTES) * ENTRY_BYTES;
    const rest = this.bytes.subarray(text.offset + text.bytes, start + code.length);
    const isFree = this.#segments().every(
      ({ offset }) => offset < text.offset + text.bytes || offset >= start + code.length,
    );
    if (!isFree || rest.some((byte) => byte !== 0)) throw new Error('no room behind the code');
    this.bytes.set(code, start);
    const bytes = BigInt(start + code.length - text.offset);
    this.bytes.writeBigUInt64LE(bytes, text.at + 32);
    this.bytes.writeBigUInt64LE(bytes, text.at + 40);
    return text.address + start - text.offset;
  }

  /**
   * Has the loader put an address where calls of a function look, instead of asking libraries.
   *
   * @param relative the number of the processor's relocation that does this
   * @throws Error unless the function is called through exactly one place
   */
  bind(name: string, address: number, relative: number): void {
    const symbol = this.#symbol(name);
    const found = this.#jumps().filter((at) => this.bytes.readUInt32LE(at + 12) === symbol);
    const [at] = found;
    if (at === undefined || found.length > 1) throw new Error(`${name} is not called in one way`);
    this.bytes.writeBigUInt64LE(BigInt(relative), at + 8);
    this.bytes.writeBigInt64LE(BigInt(address), at + 16);
    const versions = this.#offsetOf(this.#value(VERSIONS.ofSymbols));
    this.bytes.writeUInt16LE(ANY_VERSION, versions + 2 * symbol);
  }

  /** Takes a library from those that the loader looks for, with the versions asked of it. */
  dropLibrary(name: string): void {
    const entries = this.#dynamic();
    const dropped = entries.findIndex(
      ({ tag, value }) => tag === TAG.needed && this.#string(value) === name,
    );
    const entry = entries[dropped];
    const last = entries.at(-1);
    if (entry === undefined || last === undefined) throw new Error(`not linked to ${name}`);
    this.#dropVersions(name);
    this.bytes.copyWithin(entry.at, entry.at + ENTRY_BYTES, last.at + ENTRY_BYTES);
  }

  #dropVersions(name: string): void {
    const count = this.#entry(VERSIONS.neededCount);
    const first = this.#entry(VERSIONS.needed);
    let before: number | null = null;
    let at = this.#offsetOf(first.value);
    for (let left = count.value; left > 0; left--) {
      const next = this.bytes.readUInt32LE(at + 12);
      if (this.#string(this.bytes.readUInt32LE(at + 4)) === name) {
        if (before === null) this.bytes.writeBigUInt64LE(BigInt(first.value + next), first.at + 8);
        else this.bytes.writeUInt32LE(next === 0 ? 0 : at + next - before, before + 12);
        this.bytes.writeBigUInt64LE(BigInt(count.value - 1), count.at + 8);
        return;
      }
      before = at;
      at += next;
    }
  }

  #segments(): readonly Segment[] {
    const [table, count] = [Number(this.bytes.readBigUInt64LE(32)), this.bytes.readUInt16LE(56)];
    return Array.from({ length: count }, (_, index) => {
      const at = table + index * SEGMENT_BYTES;
      const number = (offset: number): number => Number(this.bytes.readBigUInt64LE(at + offset));
      const [type, flags] = [this.bytes.readUInt32LE(at), this.bytes.readUInt32LE(at + 4)];
      return { at, type, flags, offset: number(8), address: number(16), bytes: number(32) };
    });
  }

  #offsetOf(address: number): number {
    const found = this.#segments().find(
      (one) => one.type === LOADED && address >= one.address && address < one.address + one.bytes,
    );
    if (found === undefined) throw new Error(`nothing is loaded at ${address}`);
    return found.offset + address - found.address;
  }

  /** With the one that ends them. */
  #dynamic(): readonly { readonly at: number; readonly tag: number; readonly value: number }[] {
    const section = this.#segments().find(({ type }) => type === DYNAMIC);
    if (section === undefined) throw new Error('the program is linked to nothing');
    const entries = Array.from({ length: section.bytes / ENTRY_BYTES }, (_, index) => {
      const at = section.offset + index * ENTRY_BYTES;
      const [tag, value] = [this.bytes.readBigUInt64LE(at), this.bytes.readBigUInt64LE(at + 8)];
      return { at, tag: Number(tag), value: Number(value) };
    });
    return entries.slice(0, entries.findIndex(({ tag }) => tag === TAG.end) + 1);
  }

  #entry(tag: number): { readonly at: number; readonly value: number } {
    const found = this.#dynamic().find((entry) => entry.tag === tag);
    if (found === undefined) throw new Error(`the dynamic section has no entry ${tag}`);
    return found;
  }

  #value(tag: number): number {
    return this.#entry(tag).value;
  }

  #string(index: number): string {
    const at = this.#offsetOf(this.#value(TAG.strings)) + index;
    return this.bytes.toString('latin1', at, this.bytes.indexOf(0, at));
  }

  /** Where relocations of calls are. */
  #jumps(): readonly number[] {
    const start = this.#offsetOf(this.#value(TAG.jumps));
    const count = this.#value(TAG.jumpBytes) / RELOCATION_BYTES;
    return Array.from({ length: count }, (_, index) => start + index * RELOCATION_BYTES);
  }

  /** The index of a function that calls ask libraries for. */
  #symbol(name: string): number {
    const symbols = this.#offsetOf(this.#value(TAG.symbols));
    for (const at of this.#jumps()) {
      const index = this.bytes.readUInt32LE(at + 12);
      const text = this.#string(this.bytes.readUInt32LE(symbols + index * SYMBOL_BYTES));
      if (text === name) return index;
    }
    throw new Error(`${name} is not called`);
  }
}
