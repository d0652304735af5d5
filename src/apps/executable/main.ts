/** Begins the single executable, and each thread in it: docs/decisions/0025-single-executable.md. */
import { createRequire } from 'node:module';
import { getAsset, getRawAsset } from 'node:sea';
import { isMainThread } from 'node:worker_threads';
import { setEngineFlags } from '../../adapters/system/engine-flags.ts';
import type { begin } from '../cli/begin.ts';
import { type PieceIndex, Pieces } from './pieces.ts';

const index = JSON.parse(getAsset('index.json', 'utf8')) as PieceIndex;
const bytes = getRawAsset('pieces.bin');

function part(place: readonly [from: number, length: number]): Uint8Array {
  return new Uint8Array(bytes, ...place);
}

// V8 takes compiled code only under the flags with which it was compiled.
setEngineFlags();
const pieces = new Pieces(
  {
    source: (name) => part(index[name]?.source ?? [0, 0]),
    compiled: (name) => {
      const place = index[name]?.compiled;
      return place === undefined ? undefined : part(place);
    },
  },
  createRequire(process.execPath),
);

if (isMainThread) {
  const program = pieces.load('begin.js') as { readonly begin: typeof begin };
  void program.begin(process.argv.slice(2), () => undefined);
} else pieces.load('scan-worker.js');
