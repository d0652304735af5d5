import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import type { ByteSource } from './byte-source.ts';
import { ByteReader } from './byte-source.ts';
import type { EvidenceDocument, OnLoss } from './contract.ts';
import { EvidenceError } from './contract.ts';
import { FileSource, openRegular } from './file.ts';
import { documentsIn } from './layers.ts';
import type { BundleLimits } from './limits.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { Session } from './session.ts';
import { StreamSource } from './stream.ts';
import { quoted, shown, systemReason } from './words.ts';

export type { EvidenceDocument, InputLoss, OnLoss } from './contract.ts';
export { EvidenceError } from './contract.ts';
export type { BundleLimits } from './limits.ts';
export { DEFAULT_LIMITS } from './limits.ts';

const STDIN_PATH = '-';

type Stdin = AsyncIterable<Uint8Array | string>;
type Documents = AsyncGenerator<EvidenceDocument, void>;
type PathKind = 'stdin' | 'file' | 'folder' | 'pipe';

/**
 * Opens any pile of evidence: plain files, folders, tar and zip archives, gzip, zstd and xz, in any
 * combination, one archive in another included. Containers are recognised by content. Documents
 * come in the order of `paths`; in folders by path, in archives as they are stored. Nothing is
 * written to disk, no link is followed, and memory does not grow with the input.
 *
 * @param paths files, folders, named pipes, or `-` for standard input
 * @param onLoss told about everything that could not be read, while documents are asked for
 * @param stdin what `-` stands for; the standard input of this program when not given
 * @throws EvidenceError (from iteration) when one of the paths cannot be opened at all
 */
export function openEvidence(
  paths: readonly string[],
  onLoss: OnLoss,
  limits: BundleLimits = DEFAULT_LIMITS,
  stdin?: Stdin,
): AsyncIterable<EvidenceDocument> {
  return {
    [Symbol.asyncIterator]() {
      const run = new Run(onLoss, limits, stdin);
      const documents = run.documents(paths);
      return {
        next: () => documents.next(),
        return: () => {
          run.stop();
          return documents.return();
        },
      };
    },
  };
}

class Run {
  readonly #onLoss: OnLoss;
  readonly #limits: BundleLimits;
  readonly #stdin: Stdin | undefined;
  #current: ByteSource | null = null;

  constructor(onLoss: OnLoss, limits: BundleLimits, stdin: Stdin | undefined) {
    this.#onLoss = onLoss;
    this.#limits = limits;
    this.#stdin = stdin;
  }

  async *documents(paths: readonly string[]): Documents {
    const given = [...new Set(paths)];
    const kinds: PathKind[] = [];
    for (const path of given) kinds.push(await kindOf(path));
    for (const [index, path] of given.entries()) {
      const session = new Session(path, this.#limits, this.#onLoss);
      yield* this.#documentsOf(path, kinds[index] ?? 'file', session);
      session.end();
    }
  }

  /** Ends the reading under way, which may wait for a silent pipe otherwise. */
  stop(): void {
    void this.#current?.close();
  }

  #documentsOf(path: string, kind: PathKind, session: Session): Documents {
    if (kind === 'folder') return this.#fromFolder(path, session);
    if (kind === 'file') return this.#fromGivenFile(path, session);
    const stream = kind === 'pipe' ? createReadStream(path) : (this.#stdin ?? process.stdin);
    return this.#fromStream(stream, displayed(path), session);
  }

  async *#fromGivenFile(path: string, session: Session): Documents {
    const source = await openGiven(path, session);
    yield* this.#fromFile(source, displayed(path), session);
  }

  async *#fromFolder(path: string, session: Session): Documents {
    const { filesBelow } = await import('./folder.ts');
    for await (const found of filesBelow(posix.normalize(path), session)) {
      if (session.spent) return;
      const source = await openFound(found.path, found.locator, session);
      if (source !== null) yield* this.#fromFile(source, found.locator, session);
    }
  }

  async *#fromFile(source: FileSource, locator: string, session: Session): Documents {
    const { modifiedMs } = source;
    yield* this.#from(source, { locator, modifiedMs, access: source, session });
  }

  async *#fromStream(stream: Stdin, locator: string, session: Session): Documents {
    const source = new StreamSource(stream, locator, session);
    yield* this.#from(source, { locator, modifiedMs: null, access: null, session });
  }

  async *#from(source: ByteSource, place: Origin): Documents {
    this.#current = source;
    try {
      const outermost = { ...place, container: null, archives: 0, codecs: 0 };
      yield* documentsIn(new ByteReader(source), outermost);
    } finally {
      place.session.endFile();
      await source.close();
    }
  }
}

interface Origin {
  readonly locator: string;
  readonly modifiedMs: number | null;
  readonly access: FileSource | null;
  readonly session: Session;
}

function displayed(path: string): string {
  return shown(posix.normalize(path));
}

/** Looks at every path before the first is read: a mistyped second one must not cost minutes. */
async function kindOf(path: string): Promise<PathKind> {
  if (path === STDIN_PATH) return 'stdin';
  try {
    const stats = await stat(path);
    const isFolder = stats.isDirectory();
    await access(path, isFolder ? constants.R_OK | constants.X_OK : constants.R_OK);
    if (isFolder) return 'folder';
    if (stats.isFile()) return 'file';
    if (stats.isFIFO() || stats.isCharacterDevice()) return 'pipe';
  } catch (error) {
    throw unopened(path, error);
  }
  const what = 'is a socket or a disk, not evidence. Give a file or a folder.';
  throw new EvidenceError(path, `${displayed(path)} ${what}`);
}

async function openGiven(path: string, session: Session): Promise<FileSource> {
  try {
    const opened = await openRegular(path, true);
    if (opened !== null) return new FileSource(opened, displayed(path), session);
  } catch (error) {
    throw unopened(path, error);
  }
  throw new EvidenceError(
    path,
    `${displayed(path)} no longer exists as a file. Give its new path.`,
  );
}

async function openFound(
  path: Buffer,
  locator: string,
  session: Session,
): Promise<FileSource | null> {
  try {
    const opened = await openRegular(path, false);
    if (opened !== null) return new FileSource(opened, locator, session);
    session.say(locator, `${locator} was not read: it was replaced while the folder was listed.`);
  } catch (error) {
    session.say(locator, `${locator} was not read: ${systemReason(error)}. ${remedyFor(error)}`);
  }
  return null;
}

function unopened(path: string, error: unknown): EvidenceError {
  const name = displayed(path);
  const remedy = isRefusal(error)
    ? `Run \`sudo rollcall diagnose ${quoted(name)}\`.`
    : `Run \`ls -ld ${quoted(name)}\` to see what is there.`;
  const message = `${name} cannot be opened: ${systemReason(error)}. ${remedy}`;
  return new EvidenceError(path, message, { cause: error });
}

function remedyFor(error: unknown): string {
  return isRefusal(error) ? 'Run the same command with `sudo` to include it.' : '';
}

function isRefusal(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'EACCES' || code === 'EPERM';
}
