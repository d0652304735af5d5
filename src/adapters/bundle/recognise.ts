import { hasTarMagic, isTarHeader } from './tar-header.ts';

/** What the first bytes of an input are. `plain` is everything that is no container. */
export type Format = 'plain' | ArchiveName | CodecName | UnsupportedName;
export type ArchiveName = 'tar' | 'zip';
export type CodecName = 'gzip' | 'zstd' | 'xz';
export type UnsupportedName = 'bzip2' | '7-Zip' | 'RAR' | 'LZ4' | 'compress';

/** How many bytes `recognise` wants to see: one tar header. */
export const SNIFF_BYTES = 512;

type Magic = readonly [Format, string];

/** First bytes, in hexadecimal, from the format descriptions of each program. */
const MAGICS: readonly Magic[] = [
  ['gzip', '1f8b08'],
  ['zstd', '28b52ffd'],
  ['xz', 'fd377a585a00'],
  ['zip', '504b0304'],
  ['zip', '504b0506'],
  ['zip', '504b0708'],
  ['bzip2', '425a68'],
  ['7-Zip', '377abcaf271c'],
  ['RAR', '526172211a07'],
  ['LZ4', '04224d18'],
  ['compress', '1f9d'],
];
const BZIP2_BLOCK = '314159265359';

/** Recognises a container by its content; names and extensions are never looked at. */
export function recognise(start: Uint8Array): Format {
  const first = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, 16));
  const hex = first.toString('hex');
  const format = MAGICS.find(([, magic]) => hex.startsWith(magic))?.[0];
  if (format === 'bzip2' && hex.slice(8, 20) !== BZIP2_BLOCK) return 'plain';
  if (format !== undefined) return format;
  if (/^5[0-9a-f]2a4d18/.test(hex)) return 'zstd';
  return isTarHeader(start) || hasTarMagic(start) ? 'tar' : 'plain';
}
