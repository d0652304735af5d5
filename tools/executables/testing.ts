/** Reads what `mach-o.ts` writes by the offsets of Apple's cs_blobs.h, as macOS does at a start. */
import { createHash } from 'node:crypto';

export interface Signature {
  readonly identifier: string;
  readonly flags: number;
  /** Bytes before the signature, all of them hashed. */
  readonly limit: number;
  /** Pages whose hash is another. */
  readonly changed: readonly number[];
}

/** @throws Error where there is no signature */
export function readSignature(program: Uint8Array): Signature {
  const bytes = Buffer.from(program.buffer, program.byteOffset, program.length);
  const blob = bytes.subarray(signatureAt(bytes));
  if (blob.readUInt32BE(0) !== 0xfade0cc0) throw new Error('no SuperBlob');
  const directory = blob.subarray(blob.readUInt32BE(16));
  if (directory.readUInt32BE(0) !== 0xfade0c02) throw new Error('no CodeDirectory');
  const [hashes = 0, name = 0, pages = 0, limit = 0] = [16, 20, 28, 32].map((at) =>
    directory.readUInt32BE(at),
  );
  const changed = Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const part = bytes.subarray(page * 4096, Math.min(limit, (page + 1) * 4096));
    const hash = directory.subarray(hashes + 32 * page, hashes + 32 * (page + 1));
    return !createHash('sha256').update(part).digest().equals(hash);
  });
  const identifier = directory.toString('utf8', name, directory.indexOf(0, name));
  return { identifier, flags: directory.readUInt32BE(12), limit, changed };
}

function signatureAt(bytes: Buffer): number {
  let at = 32;
  for (let left = bytes.readUInt32LE(16); left > 0; left--) {
    if (bytes.readUInt32LE(at) === 0x1d) return bytes.readUInt32LE(at + 8);
    at += bytes.readUInt32LE(at + 4);
  }
  throw new Error('no LC_CODE_SIGNATURE');
}
