/** `node check-compiled.ts PIECES COMPILED`: fails for what V8 would not take in the executable. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setEngineFlags } from '../../src/adapters/system/engine-flags.ts';
import { Pieces } from '../../src/apps/executable/pieces.ts';

const [from = '', to = ''] = process.argv.slice(2);

setEngineFlags();
const pieces = new Pieces(
  {
    source: (name) => readFileSync(join(from, name)),
    compiled: (name) => readFileSync(join(to, name)),
  },
  createRequire(import.meta.url),
);
const names = readdirSync(to);
for (const name of names)
  if (pieces.script(name).cachedDataRejected !== false)
    throw new Error(`V8 refuses what it compiled of ${name}`);
if (names.length === 0) throw new Error('V8 compiled nothing');
