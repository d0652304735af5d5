import type { Dirent } from 'node:fs';
import { opendir, readlink } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Session } from './session.ts';
import type { SkippedKind } from './skipped.ts';
import { Skipped } from './skipped.ts';
import { quoted, shown, systemReason } from './words.ts';

/** A regular file below a folder. */
export interface FoundFile {
  /** The exact path: names on Linux are bytes and need not be UTF-8. */
  readonly path: Buffer;
  readonly locator: string;
}

/**
 * A path below the folder whose characters stand for its bytes (Latin-1), so that every name
 * survives, and sorting by character is sorting by byte.
 */
type BytePath = string;

interface Found {
  readonly path: BytePath;
  readonly kind: 'file' | 'folder' | SkippedKind;
}

/**
 * Lists the regular files below a folder in the byte order of their paths. Symbolic links are never
 * followed: what they point at inside the folder is found by itself, and what is outside was not
 * given. Memory is bounded by the entries a session may count.
 */
export async function* filesBelow(root: string, session: Session): AsyncGenerator<FoundFile, void> {
  const folder = new Folder(root, session);
  const pending: Found[] = [{ path: '', kind: 'folder' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, kind } = next;
    if (kind === 'file') yield { path: folder.exact(path), locator: folder.locator(path) };
    else if (kind === 'folder') for (const found of await folder.list(path)) pending.push(found);
    else await folder.leaveOut(path, kind);
  }
  folder.sayLeftOut();
}

/** One folder given by the user: names and content of what is below, and what was left out. */
class Folder {
  readonly #root: string;
  readonly #base: BytePath;
  readonly #session: Session;
  readonly #skipped = new Skipped();

  constructor(root: string, session: Session) {
    this.#root = root;
    this.#base = bytePath(posix.resolve(root));
    this.#session = session;
  }

  exact(path: BytePath): Buffer {
    return Buffer.from(posix.join(this.#base, path), 'latin1');
  }

  locator(path: BytePath): string {
    return shown(posix.join(this.#root, Buffer.from(path, 'latin1').toString('utf8')));
  }

  /** What is directly in a folder, last first, as a stack wants it. */
  async list(path: BytePath): Promise<readonly Found[]> {
    const found: Found[] = [];
    try {
      for await (const entry of await opendir(this.exact(path), BYTE_NAMES)) {
        if (!this.#session.countEntry()) break;
        const name = Buffer.from(entry.name).toString('latin1');
        found.push({ path: path === '' ? name : `${path}/${name}`, kind: kindOf(entry) });
      }
    } catch (error) {
      this.#sayUnlisted(path, error);
    }
    return found.toSorted((left, right) => (sortKey(left) < sortKey(right) ? 1 : -1));
  }

  /** Notes what is not read; a link to something that is found anyway is no loss. */
  async leaveOut(path: BytePath, kind: SkippedKind): Promise<void> {
    if (kind === 'symbolic-link' && (await this.#pointsInside(path))) return;
    this.#skipped.add(kind, Buffer.from(path, 'latin1').toString('utf8'));
  }

  sayLeftOut(): void {
    this.#skipped.say(this.#session, shown(this.#root));
  }

  /** By its text alone: following the link to find out could wait for a dead file server. */
  async #pointsInside(path: BytePath): Promise<boolean> {
    const link = posix.join(this.#base, path);
    try {
      const target = await readlink(this.exact(path), { encoding: 'latin1' });
      const relative = posix.relative(this.#base, posix.resolve(posix.dirname(link), target));
      return relative !== '..' && !relative.startsWith('../');
    } catch {
      return false;
    }
  }

  #sayUnlisted(path: BytePath, error: unknown): void {
    const locator = this.locator(path);
    this.#session.say(
      locator,
      `The folder ${locator} cannot be listed: ${systemReason(error)}. Run ` +
        `\`sudo rollcall diagnose ${quoted(this.#root)}\` to include it.`,
    );
  }
}

/**
 * Names as bytes. The type only knows text encodings, so `entry.name` is typed as text; both are
 * taken by Buffer.from.
 */
const BYTE_NAMES = { encoding: 'buffer' as BufferEncoding };

function bytePath(path: string): BytePath {
  return Buffer.from(path).toString('latin1');
}

function sortKey({ path, kind }: Found): string {
  return kind === 'folder' ? `${path}/` : path;
}

function kindOf(entry: Dirent): Found['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'symbolic-link';
  if (entry.isFIFO()) return 'fifo';
  return entry.isSocket() ? 'socket' : 'device';
}
