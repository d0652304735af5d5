/** Where the real parts are: the cache outside the checkout, and the programs in it. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Part, PARTS, recipeStamp } from './recipes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that keeps what was built; `ROLLCALL_REAL_PARTS` names another one. */
export function cacheFolder(env: Environment = process.env): string {
  const own = env['ROLLCALL_REAL_PARTS'] ?? '';
  if (own !== '') return resolve(own);
  const caches = env['XDG_CACHE_HOME'] ?? '';
  return join(caches === '' ? join(homedir(), '.cache') : resolve(caches), 'rollcall/real-parts');
}

/** A folder that holds nothing but programs under their usual names. */
export function programFolder(cache: string): string {
  return join(cache, 'bin');
}

/** The folder of the Python environment; put its `bin` first on PATH to run what is in it. */
export function pythonFolder(cache: string): string {
  return join(cache, 'python');
}

/** What a part leaves under the cache, as paths. */
export function artefacts(cache: string, part: Part): readonly string[] {
  if (part.kind === 'python') return [join(pythonFolder(cache), 'bin/python3')];
  return part.programs.map((program) => join(programFolder(cache), program));
}

/** The file that says by which recipe a part was made. */
export function stampPath(cache: string, part: Part): string {
  return join(cache, 'stamps', part.name);
}

/** Whether the part is there, whole, and made by the recipe of this checkout. */
export function isBuilt(cache: string, part: Part): boolean {
  if (!artefacts(cache, part).every((path) => existsSync(path))) return false;
  const path = stampPath(cache, part);
  return existsSync(path) && readFileSync(path, 'utf8').trim() === recipeStamp(part);
}

/** The program in the folder that `KUBEBUILDER_ASSETS` names, or null. */
export function providedProgram(program: string, env: Environment = process.env): string | null {
  const assets = env['KUBEBUILDER_ASSETS'] ?? '';
  const path = join(resolve(assets), program);
  return assets !== '' && existsSync(path) ? path : null;
}

/**
 * @param program a name such as `kube-apiserver`
 * @returns the path of the program, provided or built, or null when it is neither
 */
export function findProgram(program: string, env: Environment = process.env): string | null {
  const provided = providedProgram(program, env);
  if (provided !== null) return provided;
  const cache = cacheFolder(env);
  const part = PARTS.find((one) => one.kind !== 'python' && one.programs.includes(program));
  return part !== undefined && isBuilt(cache, part) ? join(programFolder(cache), program) : null;
}

/** @returns the interpreter that can import moto and boto3, or null */
export function findPython(env: Environment = process.env): string | null {
  const cache = cacheFolder(env);
  const part = PARTS.find(({ kind }) => kind === 'python');
  if (part === undefined || !isBuilt(cache, part)) return null;
  return artefacts(cache, part)[0] ?? null;
}
