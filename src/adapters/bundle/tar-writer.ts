import { createHash } from 'node:crypto';

/** One file of an archive that is written. */
export interface TarText {
  readonly name: string;
  readonly text: string;
}

const BLOCK = 512;
const NAME_MAX = 100;
const HASH_CHARS = 12;

function octal(value: number, digits: number): string {
  return `${value.toString(8).padStart(digits, '0')}\0`;
}

/**
 * A name that every tar takes: no way out of the folder, plain signs, at most 100 of them. One that
 * is longer ends in a hash, since names of pods often differ at their end alone.
 */
function safeName(name: string): string {
  const plain = name
    .replaceAll(/[^\w./-]/g, '_')
    .replaceAll('..', '_')
    .replace(/^\/+/, '');
  if (plain.length <= NAME_MAX) return plain;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, HASH_CHARS);
  return `${plain.slice(0, NAME_MAX - HASH_CHARS - 1)}-${hash}`;
}

/** POSIX ustar header: name, mode, owner, size, time and a sum over the block with itself blank. */
function header(name: string, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const encoder = new TextEncoder();
  const put = (text: string, offset: number): void => block.set(encoder.encode(text), offset);
  put(safeName(name), 0);
  put(octal(0o600, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(0, 11), 136);
  put('        ', 148);
  put('0', 156);
  put('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)} `, 148);
  return block;
}

/** The bytes of a tar archive of texts, file by file. */
export function* tarOf(entries: Iterable<TarText>): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const { name, text } of entries) {
    const bytes = encoder.encode(text);
    yield header(name, bytes.length);
    yield bytes;
    yield new Uint8Array((BLOCK - (bytes.length % BLOCK)) % BLOCK);
  }
  yield new Uint8Array(2 * BLOCK);
}
