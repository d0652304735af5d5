/** Pins the newest packages that apt serves, as `npm install` would do for those of npm. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '../real-parts/command.ts';
import { type Architecture, aptOptions, LOCK, NAMES, type Pinned } from './packages.ts';

const run = promisify(execFile);

function fieldOf(record: string, name: string): string {
  const found = new RegExp(`^${name}: (.*)$`, 'm').exec(record)?.[1];
  if (found === undefined) throw new Error(`apt names no ${name}`);
  return found;
}

/** The first record that apt shows of a package is the one it would install. */
async function newest(
  options: readonly string[],
  name: string,
  architecture: Architecture,
): Promise<Pinned> {
  const { stdout } = await run('apt-cache', [...options, '--no-all-versions', 'show', name]);
  return {
    name,
    version: fieldOf(stdout, 'Version'),
    architecture,
    sha256: fieldOf(stdout, 'SHA256'),
  };
}

/** Writes the lock file anew. @throws Error where apt has not all of them */
export async function updateBase(architectures: readonly Architecture[]): Promise<void> {
  const pinned: Pinned[] = [];
  for (const architecture of architectures) {
    const room = mkdtempSync(join(tmpdir(), 'rollcall-apt-'));
    try {
      const options = aptOptions(room, architecture);
      await runCommand({ program: 'apt-get', args: [...options, '-qq', 'update'] });
      for (const name of NAMES) pinned.push(await newest(options, name, architecture));
    } finally {
      rmSync(room, { recursive: true, force: true });
    }
  }
  writeFileSync(LOCK, `${JSON.stringify(pinned, null, 2)}\n`);
}
