/**
 * `node FLAGS compile.ts PIECES COMPILED EVIDENCE…`: runs what has to start fast and writes what V8
 * compiled of each piece on the way into the folder COMPILED.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { setEngineFlags } from '../../src/adapters/system/engine-flags.ts';
import type { begin } from '../../src/apps/cli/begin.ts';
import { Pieces } from '../../src/apps/executable/pieces.ts';
import { COMPILE_FLAGS } from './compile-flags.ts';

const [from = '', to = '', ...evidence] = process.argv.slice(2);
const WAYS = [['--version'], ['join', '--help'], ...evidence.map((path) => ['diagnose', path])];

setEngineFlags();
const pieces = new Pieces(
  { source: (name) => readFileSync(join(from, name)), compiled: () => undefined },
  createRequire(import.meta.url),
);
const program = pieces.load('begin.js') as { readonly begin: typeof begin };
for (const way of WAYS) await program.begin(way, () => undefined);

// V8 notes its flags beside the code and refuses it under others.
for (const { ordinary } of COMPILE_FLAGS) setFlagsFromString(ordinary);
for (const [name, script] of pieces.scripts())
  writeFileSync(join(to, name), script.createCachedData());
process.exitCode = 0;
