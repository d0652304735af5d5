/** The pinned Debian packages of the base: fetched by apt, checked by their digests, unpacked. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import xz from 'xz-decompress';
import { runCommand } from '../real-parts/command.ts';
import { EXECUTABLE, type Entry, file, folder, link, READABLE } from './entries.ts';

export type Architecture = 'amd64' | 'arm64';

/** A package of one architecture as the lock file pins it. */
export interface Pinned {
  readonly name: string;
  readonly version: string;
  readonly architecture: Architecture;
  readonly sha256: string;
}

export const LOCK = join(import.meta.dirname, 'base-packages.json');
/** What Node.js is linked to, their copyrights, and chroot for the agent's machine half. */
export const NAMES = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'gcc-12-base', 'coreutils'];

export function pinnedPackages(): readonly Pinned[] {
  return JSON.parse(readFileSync(LOCK, 'utf8')) as readonly Pinned[];
}

/** apt with a state of its own, so that it asks for another architecture and leaves the machine's. */
export function aptOptions(room: string, architecture: Architecture): readonly string[] {
  for (const path of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(room, path), { recursive: true });
  writeFileSync(join(room, 'status'), '');
  return [
    `Dir::State=${room}/state`,
    `Dir::State::status=${room}/status`,
    `Dir::Cache=${room}/cache`,
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    'APT::Sandbox::User=root',
  ].flatMap((one) => ['-o', one]);
}

function placeOf(cache: string, { sha256 }: Pinned): string {
  return join(cache, `${sha256}.deb`);
}

function sha256Of(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Fetches what is not in the cache. @throws Error where apt has not exactly that */
async function fetchAll(cache: string, wanted: readonly Pinned[]): Promise<void> {
  const [first] = wanted;
  if (first === undefined) return;
  const room = mkdtempSync(join(cache, '.apt-'));
  try {
    const options = aptOptions(room, first.architecture);
    await runCommand({ program: 'apt-get', args: [...options, '-qq', 'update'] });
    const download = join(room, 'download');
    mkdirSync(download);
    const names = wanted.map(({ name, version }) => `${name}=${version}`);
    const script = 'cd "$1" && shift && exec apt-get "$@"';
    const args = ['-c', script, 'sh', download, ...options, '-qq', 'download', ...names];
    await runCommand({ program: 'sh', args });
    for (const name of readdirSync(download)) keep(cache, join(download, name), wanted);
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

function keep(cache: string, path: string, wanted: readonly Pinned[]): void {
  const sha256 = sha256Of(path);
  const known = wanted.find((one) => one.sha256 === sha256);
  if (known === undefined) throw new Error(`${path} is not what base-packages.json pins`);
  renameSync(path, placeOf(cache, known));
}

/**
 * The files of the base for an architecture.
 *
 * @throws Error where a pinned package is no longer served; pin newer ones: npm run image -- --update-base
 */
export async function basePackages(
  cache: string,
  architecture: Architecture,
): Promise<readonly Entry[]> {
  mkdirSync(cache, { recursive: true });
  const own = pinnedPackages().filter((one) => one.architecture === architecture);
  await fetchAll(
    cache,
    own.filter((one) => !existsSync(placeOf(cache, one))),
  );
  const entries: Entry[] = [];
  for (const one of own) {
    const path = placeOf(cache, one);
    if (!existsSync(path) || sha256Of(path) !== one.sha256)
      throw new Error(`${one.name} ${one.version} is not what base-packages.json pins`);
    entries.push(...(await unpacked(readFileSync(path))));
  }
  return entries;
}

const HEADER_BYTES = 60;
const SIZE_AT = 48;
const SIZE_CHARS = 10;

/** The member of an ar archive whose name begins so. @throws Error */
function memberOf(archive: Buffer, name: string): Buffer {
  for (let at = '!<arch>\n'.length; at < archive.length; ) {
    const header = archive.toString('latin1', at, at + HEADER_BYTES);
    const size = Number(header.slice(SIZE_AT, SIZE_AT + SIZE_CHARS));
    const start = at + HEADER_BYTES;
    if (header.startsWith(name)) return archive.subarray(start, start + size);
    // Members begin at even places.
    at = start + size + (size % 2);
  }
  throw new Error(`no ${name} in the package`);
}

/** Libraries, the loader and chroot, with the copyrights; converters of character sets stay out. */
const WANTED =
  /^(?:(?:usr\/)?lib(?:64)?\/(?!.*\/(?:gconv|audit)\/).*|usr\/sbin\/chroot|usr\/share\/doc\/[^/]+(?:\/copyright)?)$/;

async function unpacked(deb: Buffer): Promise<readonly Entry[]> {
  const packed = new Blob([new Uint8Array(memberOf(deb, 'data.tar.xz'))]).stream();
  const tar = new xz.XzReadableStream(packed);
  const entries: Entry[] = [];
  const reader = extract();
  const done = (async () => {
    for await (const chunk of tar) reader.write(Buffer.from(chunk));
    reader.end(Buffer.alloc(0));
  })();
  for await (const entry of reader) {
    const { name, type, mode, linkname } = entry.header;
    const path = name.replace(/^\.\//, '').replace(/\/$/, '');
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    if (!WANTED.test(path)) continue;
    if (type === 'directory') entries.push(folder(path));
    else if (type === 'symlink') entries.push(link(path, linkname));
    else if (type === 'file')
      entries.push(file(path, Buffer.concat(chunks), (mode & 0o111) === 0 ? READABLE : EXECUTABLE));
  }
  await done;
  return entries;
}
