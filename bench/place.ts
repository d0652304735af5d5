import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SIGNS } from '../src/causes/index.generated.ts';

export const ROOT = join(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules/.cache/bench');
const GENERATOR = [
  'corpus.ts',
  'log-lines.ts',
  'seeded.ts',
  'bundle.ts',
  'busy-node.ts',
  'program-logs.ts',
];

/** The anchors that `rollcall diagnose` scans for. */
export const ANCHORS: readonly string[] = [...new Set(SIGNS.flatMap((sign) => sign.anchors))];

function fingerprint(): string {
  const hash = createHash('sha256').update(JSON.stringify(ANCHORS));
  for (const file of GENERATOR) hash.update(readFileSync(join(import.meta.dirname, file)));
  return hash.digest('hex').slice(0, 12);
}

/** A corpus of other anchors is of no more use, and large. */
function removeOthers(name: string): void {
  for (const file of readdirSync(CACHE)) {
    if (file.endsWith(`-${name}`) || file.endsWith('.part')) rmSync(join(CACHE, file));
  }
}

/** The path of a generated file, made by `write` unless an earlier run has made the same one. */
export async function generated(
  name: string,
  write: (path: string) => Promise<void>,
): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const path = join(CACHE, `${fingerprint()}-${name}`);
  if (existsSync(path)) return path;
  removeOthers(name);
  await write(`${path}.part`);
  renameSync(`${path}.part`, path);
  return path;
}
