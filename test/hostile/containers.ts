import { execFileSync } from 'node:child_process';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { packTar, packZip } from '../../src/adapters/bundle/testing.ts';

/** An archive or a compression with one named file in it. */
export type Pack = (name: string, content: string) => Buffer | Promise<Buffer>;

/** Every container that is opened, by the name under which it is recognised. */
export const CONTAINERS: Readonly<Record<string, Pack>> = {
  gzip: (_, content) => gzipSync(content),
  zstd: (_, content) => zstdCompressSync(content),
  xz: (_, content) => execFileSync('xz', ['-c'], { input: content }),
  tar: (name, content) => packTar([{ name, content }]),
  zip: (name, content) => packZip([{ name, content }]),
  'zip that skips': (name, content) =>
    packZip([
      { name: `../${name}`, content: 'x' },
      { name, content },
    ]),
  'tar.gz in tar': async (name, content) =>
    packTar([
      { name: `${name}.tgz`, content: gzipSync(await packTar([{ name, content }])) },
      { name: `link-${name}`, type: 'symlink', linkname: name },
    ]),
};

function utf16(text: string, isBig: boolean): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
}

/** Texts as other programs store them. */
export const ENCODINGS: Readonly<Record<string, (text: string) => Uint8Array>> = {
  'UTF-16, little end first': (text) => utf16(text, false),
  'UTF-16, big end first': (text) => utf16(text, true),
  'UTF-16 without a mark': (text) => Buffer.from(text, 'utf16le'),
  'broken UTF-8 around it': (text) =>
    Buffer.concat([Buffer.from([0xff, 0xc3]), Buffer.from(text), Buffer.from([0xe2, 0x28])]),
};
