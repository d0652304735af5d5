/** Files of an image, and layers of them that are the same each time. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** A file, folder or link; paths have no slash in front. */
export interface Entry {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  /** Permissions; of no meaning for a link. */
  readonly mode: number;
  /** null but for a file. */
  readonly content: Uint8Array | null;
  /** null but for a link. */
  readonly target: string | null;
}

export const EXECUTABLE = 0o755;
export const READABLE = 0o644;
/** Every layer is as old as that, so that two builds are one. */
const EPOCH = new Date(0);

export function file(path: string, content: string | Uint8Array, mode = READABLE): Entry {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { path, type: 'file', mode, content: bytes, target: null };
}

export function folder(path: string, mode = EXECUTABLE): Entry {
  return { path, type: 'directory', mode, content: null, target: null };
}

export function link(path: string, target: string): Entry {
  return { path, type: 'symlink', mode: 0o777, content: null, target };
}

/** What is under a folder of this machine, as it will be under another path, or `.` for none. */
export function entriesUnder(
  source: string,
  path: string,
  isWanted: (path: string) => boolean = () => true,
): readonly Entry[] {
  return readdirSync(source).flatMap((name) => {
    const [from, to] = [join(source, name), path === '.' ? name : `${path}/${name}`];
    if (!isWanted(to)) return [];
    const stat = lstatSync(from);
    if (stat.isDirectory()) return [folder(to), ...entriesUnder(from, to, isWanted)];
    if (stat.isSymbolicLink()) return [link(to, readlinkSync(from))];
    const mode = (stat.mode & 0o111) === 0 ? READABLE : EXECUTABLE;
    return stat.isFile() ? [file(to, readFileSync(from), mode)] : [];
  });
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** With every folder above, each path once, in their order. */
function ordered(entries: readonly Entry[]): readonly Entry[] {
  const above = entries.flatMap(({ path }) => foldersAbove(path)).map((path) => folder(path));
  const byPath = new Map([...above, ...entries].map((entry) => [entry.path, entry]));
  return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { path, type, mode, content, target } of ordered(entries)) {
    const header = { name: path, type, mode, mtime: EPOCH, uid: 0, gid: 0, uname: '', gname: '' };
    archive.entry(
      { ...header, ...(target === null ? {} : { linkname: target }) },
      Buffer.from(content ?? ''),
    );
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export interface Layer {
  readonly bytes: Uint8Array;
  /** Digest of the bytes. */
  readonly digest: string;
  /** Digest of what they unpack to. */
  readonly diffId: string;
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Where gzip says on what system it ran. */
const SYSTEM_AT = 9;
const ANY_SYSTEM = 255;

function zipped(tar: Uint8Array): Uint8Array {
  const bytes = gzipSync(tar, { level: 6 });
  bytes[SYSTEM_AT] = ANY_SYSTEM;
  return bytes;
}

/** A `.tar.gz` of some entries. */
export async function archiveOf(entries: readonly Entry[]): Promise<Uint8Array> {
  return zipped(await tarOf(entries));
}

/** A layer of some entries. */
export async function layerOf(entries: readonly Entry[]): Promise<Layer> {
  const tar = await tarOf(entries);
  const bytes = zipped(tar);
  return { bytes, digest: digestOf(bytes), diffId: digestOf(tar) };
}
