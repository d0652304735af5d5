/**
 * `npm run real-parts [-- [--list] [PART…]]`: builds the real programs that `test/real` runs.
 *
 * Without names it builds all of them. They are kept outside the checkout
 * (`tools/real-parts/places.ts` says where) and made again only when their recipe changes; a run
 * that was interrupted goes on where it was. Progress is on stderr. Exit code
 * 1 when a part could not be built, 64 when an argument names none.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { say } from './real-parts/command.ts';
import { buildGoPart } from './real-parts/go.ts';
import { buildNpmPart } from './real-parts/npm.ts';
import {
  artefacts,
  cacheFolder,
  isBuilt,
  providedProgram,
  stampPath,
} from './real-parts/places.ts';
import { buildPythonPart } from './real-parts/python.ts';
import { type Part, PARTS, recipeStamp } from './real-parts/recipes.ts';

const UNFINISHED = '.building-';

/** Whether `KUBEBUILDER_ASSETS` has every program of the part. */
function isProvided(part: Part): boolean {
  return (
    part.kind !== 'python' && part.programs.every((program) => providedProgram(program) !== null)
  );
}

function stateOf(cache: string, part: Part): 'provided' | 'built' | 'missing' {
  if (isProvided(part)) return 'provided';
  return isBuilt(cache, part) ? 'built' : 'missing';
}

function list(cache: string): void {
  console.log(cache);
  for (const part of PARTS) {
    const programs = artefacts(cache, part).map((path) => path.slice(cache.length + 1));
    const state = stateOf(cache, part).padEnd(8);
    console.log(`${state}  ${part.name} ${part.version}: ${programs.join(', ')}`);
  }
}

/** Removes what runs that are over left unfinished. */
function sweep(cache: string): void {
  for (const name of readdirSync(cache).filter((one) => one.startsWith(UNFINISHED))) {
    const pid = Number(name.slice(UNFINISHED.length).split('-')[0]);
    if (!isAlive(pid)) rmSync(join(cache, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function build(cache: string, part: Part): Promise<void> {
  const room = mkdtempSync(join(cache, `${UNFINISHED}${process.pid}-`));
  const stamp = stampPath(cache, part);
  rmSync(stamp, { force: true });
  try {
    if (part.kind === 'python') await buildPythonPart(cache, part, room);
    else if (part.kind === 'npm') await buildNpmPart(cache, part, room);
    else await buildGoPart(cache, part, room);
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, `${recipeStamp(part)}\n`);
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

/** @returns whether the part is there now */
async function ensure(cache: string, part: Part): Promise<boolean> {
  const state = stateOf(cache, part);
  if (state !== 'missing') {
    say(`${part.name} ${part.version}: ${state}`);
    return true;
  }
  say(`${part.name} ${part.version}: building`);
  const begin = performance.now();
  try {
    await build(cache, part);
  } catch (error) {
    say(`${part.name} ${part.version}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
  say(`${part.name} ${part.version}: built in ${Math.round((performance.now() - begin) / 1000)} s`);
  return true;
}

async function ensureAll(cache: string, parts: readonly Part[]): Promise<number> {
  mkdirSync(cache, { recursive: true });
  sweep(cache);
  // A test or an editor beside it goes first; what it starts inherits this.
  setPriority(constants.priority.PRIORITY_LOW);
  let failed = 0;
  for (const part of parts) if (!(await ensure(cache, part))) failed += 1;
  if (failed > 0) say(`${failed} of ${parts.length} parts are missing`);
  return failed === 0 ? 0 : 1;
}

function endBySignal(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.once(signal, () => process.exit(code));
}

async function main(args: readonly string[]): Promise<number> {
  const cache = cacheFolder();
  const names = args.filter((arg) => arg !== '--list');
  const unknown = names.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) {
    say(`${unknown} is no part; the parts are ${PARTS.map(({ name }) => name).join(', ')}`);
    return 64;
  }
  if (args.includes('--list')) {
    list(cache);
    return 0;
  }
  endBySignal();
  return ensureAll(
    cache,
    PARTS.filter((part) => names.length === 0 || names.includes(part.name)),
  );
}

process.exitCode = await main(process.argv.slice(2));
