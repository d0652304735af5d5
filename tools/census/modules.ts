/** The source of Go modules, fetched by the go command into its cache outside the checkout. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type GoFile, goFile } from './go-messages.ts';
import type { GoModule } from './programs.ts';

const run = promisify(execFile);
const ANSWER_BYTES_MAX = 1 << 20;
const FILE_BYTES_MAX = 4 << 20;

/** Neither tests nor generated code print anything on a node. */
const LEFT_OUT =
  /_test\.go$|zz_generated|\.pb\.go$|(?:^|\/)(?:fake|mocks?|testing|testdata|test|testutils?|vendor)\//;

/** The go command could not bring a module; its message says why. */
export class ModuleNotServed extends Error {
  override readonly name = 'ModuleNotServed';
}

/** @throws ModuleNotServed when neither the cache nor the module proxy has the version */
export async function moduleFolder({ path, version }: GoModule): Promise<string> {
  const module = `${path}@${version}`;
  const { stdout } = await download(module);
  const folder = folderIn(stdout);
  if (folder !== null && existsSync(folder)) return folder;
  throw new ModuleNotServed(`${module} is not served; see why: go mod download ${module}`);
}

/** Where the answer of `go mod download -json` says that the source is, or null. */
export function folderIn(answer: string): string | null {
  const { Dir, Zip } = JSON.parse(answer) as Readonly<Record<string, string | undefined>>;
  // A module that asks for a newer Go than reads it has an error and its source all the same.
  return Dir ?? Zip?.replace(/cache\/download\/(.+)\/@v\/(.+)\.zip$/, '$1@$2') ?? null;
}

async function download(module: string): Promise<{ readonly stdout: string }> {
  const args = ['mod', 'download', '-json', module];
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' };
  try {
    return await run('go', args, { env, maxBuffer: ANSWER_BYTES_MAX, cwd: '/' });
  } catch (error) {
    if (isAnswer(error)) return { stdout: error.stdout };
    throw error;
  }
}

/** The go command answers in JSON and ends with 1 when the module wants another Go. */
function isAnswer(error: unknown): error is { readonly stdout: string } {
  if (!(error instanceof Error) || !('stdout' in error)) return false;
  return typeof error.stdout === 'string' && error.stdout.trimStart().startsWith('{');
}

/** The Go files of those folders, by their paths; a part that a version lacks has none. */
export function goFiles(folder: string, parts: readonly string[]): readonly GoFile[] {
  return parts
    .flatMap((part) => pathsBelow(folder, part))
    .filter((path) => path.endsWith('.go') && !LEFT_OUT.test(path))
    .filter((path) => statSync(join(folder, path)).size <= FILE_BYTES_MAX)
    .toSorted()
    .map((path) => goFile(path, readFileSync(join(folder, path), 'utf8')));
}

function pathsBelow(folder: string, part: string): readonly string[] {
  const top = join(folder, part);
  if (!existsSync(top)) return [];
  if (part.endsWith('.go')) return [part];
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
