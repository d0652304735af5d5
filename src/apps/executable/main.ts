/** Begins the single executable, and each thread in it: docs/decisions/0025-single-executable.md. */
import { createRequire } from 'node:module';
import { getAssetKeys, getRawAsset } from 'node:sea';
import { isMainThread } from 'node:worker_threads';
import { setEngineFlags } from '../../adapters/system/engine-flags.ts';
import type { begin } from '../cli/begin.ts';
import { Pieces } from './pieces.ts';

const assets = new Set(getAssetKeys());

function asset(name: string): Uint8Array {
  return new Uint8Array(getRawAsset(name));
}

// V8 takes compiled code only under the flags with which it was compiled.
setEngineFlags();
const pieces = new Pieces(
  {
    source: asset,
    compiled: (name) => (assets.has(`${name}.compiled`) ? asset(`${name}.compiled`) : undefined),
  },
  createRequire(process.execPath),
);

if (isMainThread) {
  const program = pieces.load('begin.js') as { readonly begin: typeof begin };
  void program.begin(process.argv.slice(2), () => undefined);
} else pieces.load('scan-worker.js');
