import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, parse, relative, resolve, sep } from 'node:path';
import { excerptOf } from '../../evidence/redact.ts';
import { UsageError } from '../cli/context.ts';

const PATH_SHOWN_MAX = 200;

/** The folders whose files may be read, and what is in them. */
export interface AllowedFolders {
  /**
   * The same paths without symbolic links, relative to the working directory where they are in it.
   * Throws `UsageError` for a path that leads out of the folders, is missing, or is no file or folder.
   */
  readonly pathsIn: (paths: readonly string[]) => Promise<readonly string[]>;
}

/** The real path, null where nothing is there. */
async function realPath(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    // Whatever the reason, nothing can be read there.
    return null;
  }
}

async function isEvidence(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && (found.isFile() || found.isDirectory());
}

function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** A name of its own begins with nothing that has a meaning, as `-` has. */
function shortened(base: string, real: string): string {
  return isIn(base, real) ? `.${sep}${relative(base, real)}` : real;
}

function outside(path: string, folders: readonly string[]): UsageError {
  const where =
    folders.length === 0
      ? 'no folder is allowed'
      : `only files below ${folders.map((one) => excerptOf(one, PATH_SHOWN_MAX)).join(' and ')} are`;
  const shown = JSON.stringify(excerptOf(path, PATH_SHOWN_MAX));
  return new UsageError(
    `${shown} cannot be read: ${where}; the person can allow its folder: rollcall mcp --allow FOLDER`,
  );
}

function missing(path: string): UsageError {
  const shown = JSON.stringify(excerptOf(path, PATH_SHOWN_MAX));
  return new UsageError(`no such file or folder: ${shown}; give the path of one that exists`);
}

/**
 * Folders to read from.
 *
 * @param given the working directory alone when there are none, unless that is the root of the
 *     machine, where programs with windows start what they start
 * @throws UsageError where one of them is no folder
 */
export async function allowFolders(
  given: readonly string[],
  workingDirectory: string,
): Promise<AllowedFolders> {
  const base = await realpath(workingDirectory);
  const isRoot = base === parse(base).root;
  const wanted = given.length > 0 ? given : isRoot ? [] : [base];
  const folders = await Promise.all(wanted.map(async (one) => folderOf(resolve(base, one))));
  const pathIn = async (path: string): Promise<string> => {
    const resolved = resolve(base, path);
    // What is outside is refused alike whether it is there or not.
    if (path.includes('\0') || !folders.some((folder) => isIn(folder, resolved)))
      throw outside(path, folders);
    const real = await realPath(resolved);
    if (real === null || !(await isEvidence(real))) throw missing(path);
    if (!folders.some((folder) => isIn(folder, real))) throw outside(path, folders);
    return shortened(base, real);
  };
  return { pathsIn: async (paths) => Promise.all(paths.map(pathIn)) };
}

async function folderOf(path: string): Promise<string> {
  const real = await realPath(path);
  const found = real === null ? null : await stat(real).catch(() => null);
  if (real === null || found?.isDirectory() !== true)
    throw new UsageError(`--allow needs a folder that exists, not ${JSON.stringify(path)}`);
  return real;
}
