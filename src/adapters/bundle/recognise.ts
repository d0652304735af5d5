import { hasTarMagic, isTarHeader } from './tar-header.ts';

export type CodecName = 'gzip' | 'zstd' | 'xz';
export type UnsupportedName = 'bzip2' | '7-Zip' | 'RAR' | 'LZ4' | 'compress';

/** What the first bytes of an input are; `plain` is everything that is no container. */
export type Format =
  | { readonly kind: 'plain' }
  | { readonly kind: 'archive'; readonly name: 'tar' | 'zip' }
  | { readonly kind: 'compression'; readonly name: CodecName }
  | { readonly kind: 'unsupported'; readonly name: UnsupportedName };

/** How many bytes `recognise` wants to see: one tar header. */
export const SNIFF_BYTES = 512;

const ZIP: Format = { kind: 'archive', name: 'zip' };
const ZSTD: Format = { kind: 'compression', name: 'zstd' };

/** First bytes, in hexadecimal, from the format descriptions of each program. */
const MAGICS: ReadonlyArray<readonly [RegExp, Format]> = [
  [/^1f8b08/, { kind: 'compression', name: 'gzip' }],
  [/^28b52ffd/, ZSTD],
  [/^5[0-9a-f]2a4d18/, ZSTD],
  [/^fd377a585a00/, { kind: 'compression', name: 'xz' }],
  [/^504b0304/, ZIP],
  [/^504b0506/, ZIP],
  [/^504b0708/, ZIP],
  [/^425a683[1-9]314159265359/, { kind: 'unsupported', name: 'bzip2' }],
  [/^377abcaf271c/, { kind: 'unsupported', name: '7-Zip' }],
  [/^526172211a07/, { kind: 'unsupported', name: 'RAR' }],
  [/^04224d18/, { kind: 'unsupported', name: 'LZ4' }],
  [/^1f9d/, { kind: 'unsupported', name: 'compress' }],
];

/** Recognises a container by its content; names and extensions are never looked at. */
export function recognise(start: Uint8Array): Format {
  const hex = Buffer.from(start.subarray(0, 16)).toString('hex');
  const known = MAGICS.find(([magic]) => magic.test(hex));
  if (known !== undefined) return known[1];
  const isTar = isTarHeader(start) || hasTarMagic(start);
  return isTar ? { kind: 'archive', name: 'tar' } : { kind: 'plain' };
}
