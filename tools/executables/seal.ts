/** Puts the program into a Node.js, as one file. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PieceIndex } from '../../src/apps/executable/pieces.ts';
import { runCommand } from '../real-parts/command.ts';
import { COMPILE_FLAGS } from './compile-flags.ts';
import { signed } from './mach-o.ts';
import { isHere, type Platform } from './platforms.ts';
import { withoutLibatomic } from './without-libatomic.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Files as people have them, with a cause and without: what is compiled for them starts fast. */
const EVIDENCE = [
  'examples/3-said-it-was-ready',
  'src/causes/networked/address-limit-per-eni-exceeded/examples/unknown-sandbox-only.txt',
];
const MAIN = 'executable.js';

export interface Program {
  readonly main: string;
  readonly pieces: ReadonlyMap<string, string>;
}

/** @param node a Node.js of the platform, the same version as the one that runs this */
export async function seal(
  platform: Platform,
  { main, pieces }: Program,
  node: Uint8Array,
): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-executable-'));
  try {
    for (const name of ['pieces', 'compiled']) mkdirSync(join(folder, name));
    for (const [name, text] of pieces) writeFileSync(join(folder, 'pieces', name), text);
    writeFileSync(join(folder, MAIN), main);
    const isElf = platform.os === 'linux';
    writeFileSync(join(folder, 'node'), isElf ? withoutLibatomic(node) : node);
    // What V8 compiles is for one platform, and only that platform can compile it.
    if (isHere(platform)) await compile(folder);
    pack(folder, pieces);
    writeFileSync(join(folder, 'sea.json'), JSON.stringify(CONFIGURATION));
    await runCommand({ program: process.execPath, args: ['--build-sea', 'sea.json'], cwd: folder });
    const sealed = readFileSync(join(folder, 'rollcall'));
    return isElf ? sealed : signed(sealed, 'rollcall');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const COMPILE_TRIES = 5;

/** Compiles until two runs write the same: on a busy machine V8 has written other bytes once. */
async function compile(folder: string): Promise<void> {
  let before = await compiledOnce(folder);
  for (let tries = 1; tries < COMPILE_TRIES; tries++) {
    const now = await compiledOnce(folder);
    if (now === before) {
      await runTool('check-compiled.ts', folder, []);
      return;
    }
    before = now;
  }
  throw new Error(`V8 compiled other bytes in each of ${COMPILE_TRIES} runs`);
}

/** @returns a hash of everything that was compiled */
async function compiledOnce(folder: string): Promise<string> {
  const compiled = join(folder, 'compiled');
  rmSync(compiled, { recursive: true });
  mkdirSync(compiled);
  const evidence = EVIDENCE.map((path) => join(ROOT, path));
  await runTool('compile.ts', folder, evidence);
  const hash = createHash('sha256');
  for (const name of readdirSync(compiled).toSorted())
    hash.update(name).update(readFileSync(join(compiled, name)));
  return hash.digest('hex');
}

async function runTool(name: string, folder: string, more: readonly string[]): Promise<void> {
  const flags = name === 'compile.ts' ? COMPILE_FLAGS.map(({ flag }) => flag) : [];
  const places = ['pieces', 'compiled'].map((place) => join(folder, place));
  const args = [...flags, join(import.meta.dirname, name), ...places, ...more];
  await runCommand({ program: process.execPath, args });
}

/** Compiled code is read by words of this many bytes. */
const WORD = 8;

/**
 * Writes all pieces as one file, and where they are in it. Node.js reads a little of each asset at
 * each start, so there are few; what starts often lies together, as memory is filled page by page.
 */
function pack(folder: string, pieces: ReadonlyMap<string, string>): void {
  const compiled = readdirSync(join(folder, 'compiled'));
  const often = new Set(compiled);
  const parts: Uint8Array[] = [];
  let end = 0;
  const add = (bytes: Uint8Array): readonly [number, number] => {
    const from = end;
    const rest = new Uint8Array((WORD - (bytes.length % WORD)) % WORD);
    parts.push(bytes, rest);
    end += bytes.length + rest.length;
    return [from, bytes.length];
  };
  const names = [...pieces.keys()].toSorted();
  const ordered = [
    ...names.filter((one) => often.has(one)),
    ...names.filter((one) => !often.has(one)),
  ];
  const index: Record<string, PieceIndex[string]> = {};
  for (const name of ordered) {
    const source = add(Buffer.from(pieces.get(name) ?? ''));
    const path = join(folder, 'compiled', name);
    index[name] = often.has(name) ? { source, compiled: add(readFileSync(path)) } : { source };
  }
  writeFileSync(join(folder, 'pieces.bin'), Buffer.concat(parts));
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index));
}

/** Paths in it are relative, as some of them are kept in the executable. */
const CONFIGURATION = {
  main: MAIN,
  executable: 'node',
  output: 'rollcall',
  disableExperimentalSEAWarning: true,
  // Options for another Node.js of the machine are not for this one.
  execArgvExtension: 'none',
  assets: Object.fromEntries([MAIN, 'index.json', 'pieces.bin'].map((name) => [name, name])),
} as const;
