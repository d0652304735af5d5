/** Puts moto, the AWS double, into a Python environment of its own. */
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, say } from './command.ts';
import { pythonFolder } from './places.ts';
import { type PythonPart, recipeFolder } from './recipes.ts';

const SYSTEM_PYTHON = 'python3';
const PIP = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];

/**
 * @param room a folder of this run's own, on the file system of the cache
 * @throws Error with the end of what pip said
 */
export async function buildPythonPart(
  cache: string,
  part: PythonPart,
  room: string,
): Promise<void> {
  const folder = join(room, part.name);
  const requirements = join(recipeFolder(part), 'requirements.txt');
  try {
    await virtualEnvironment(folder, requirements);
  } catch (error) {
    say(`${part.name}: no virtual environment, so a plain folder is used (${firstLine(error)})`);
    rmSync(folder, { recursive: true, force: true });
    await plainFolder(folder, requirements);
  }
  await runCommand({
    program: join(folder, 'bin/python3'),
    args: ['-c', 'import boto3, moto.server'],
  });
  rmSync(pythonFolder(cache), { recursive: true, force: true });
  renameSync(folder, pythonFolder(cache));
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';
}

async function virtualEnvironment(folder: string, requirements: string): Promise<void> {
  await runCommand({ program: SYSTEM_PYTHON, args: ['-m', 'venv', folder] });
  const program = join(folder, 'bin/python3');
  await runCommand({ program, args: [...PIP, '-r', requirements] });
}

/** Debian's python3 comes without what `venv` needs; pip alone can fill a folder. */
async function plainFolder(folder: string, requirements: string): Promise<void> {
  const packages = join(folder, 'packages');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const args = [...PIP, '--target', packages, '-r', requirements];
  await runCommand({ program: SYSTEM_PYTHON, args });
  const python = join(folder, 'bin/python3');
  writeFileSync(python, launcher(await systemPythonPath()));
  chmodSync(python, 0o755);
}

/** The launcher is itself called `python3` and may be first on PATH. */
async function systemPythonPath(): Promise<string> {
  let path = '';
  const args = ['-c', 'import sys; print(sys.executable)'];
  await runCommand({
    program: SYSTEM_PYTHON,
    args,
    onLine: (line) => {
      path = line;
    },
  });
  return path;
}

function launcher(python: string): string {
  const packages = '"$(dirname "$0")/../packages"';
  return `#!/bin/sh\nPYTHONPATH=${packages} exec '${python}' "$@"\n`;
}
