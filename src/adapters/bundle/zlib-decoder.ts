import type { Transform } from 'node:stream';
import { CHUNK_BYTES } from './byte-source.ts';
import type { Decoder, Slices } from './decoder.ts';
import { DecodeError, EngineDecoder } from './decoder.ts';

export type ZlibMethod = 'gzip' | 'zstd' | 'deflate';

const SMALL_OUTPUT_BYTES = 64 * 1024;
/** A slice of log seldom unpacks to more, so that one call to zlib unpacks it. */
export const OUTPUT_BYTES = 2 * CHUNK_BYTES;

/**
 * A decoder of node:zlib: gzip with any number of members, one frame of zstd, or the bare DEFLATE
 * of zip.
 *
 * @param isSmall whether little output is expected, so that no large buffer is made for it
 */
export async function zlibDecoder(
  method: ZlibMethod,
  slices: Slices,
  isSmall: boolean,
): Promise<Decoder> {
  const zlib = await import('node:zlib');
  // One write at a time, so that a failing decoder failed on the slice it was given last.
  const options = {
    chunkSize: isSmall ? SMALL_OUTPUT_BYTES : OUTPUT_BYTES,
    writableHighWaterMark: 1,
  };
  const makers = {
    gzip: () => zlib.createGunzip(options),
    zstd: () => zlib.createZstdDecompress(options),
    deflate: () => zlib.createInflateRaw(options),
  };
  return fromTransform(makers[method](), slices);
}

function fromTransform(transform: Transform, slices: Slices): Decoder {
  const engine = {
    input: transform,
    output: transform,
    verdict: async () => faultOf(transform.errored),
    destroy: () => void transform.destroy(),
  };
  return new EngineDecoder(engine, slices);
}

function faultOf(error: (Error & { readonly code?: string }) | null): DecodeError | null {
  if (error === null) return null;
  const { code, message } = error;
  if (code === 'Z_BUF_ERROR') return new DecodeError('early', message);
  if (message === 'incorrect header check') return new DecodeError('trailing', message, true);
  if (/windowTooLarge|memory/i.test(code ?? '')) return new DecodeError('memory', message);
  return new DecodeError('damaged', message, true);
}
