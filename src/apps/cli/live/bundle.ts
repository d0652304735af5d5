import { createWriteStream } from 'node:fs';
import { access, constants, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type TarText, tarOf } from '../../../adapters/bundle/tar-writer.ts';
import type { CollectedDocument } from '../../../collection/document.ts';
import { type Json, listAt, textAt } from '../../../evidence/json.ts';
import { redact } from '../../../evidence/redact.ts';
import type { Anonymizer } from '../../../readers/anonymous/anonymizer.ts';
import { savedContent } from '../../../readers/saved/content.ts';
import { countLeftOut, type LeftOut } from '../../../readers/saved/keep.ts';
import type { SignTable } from '../../../readers/sign-table.ts';
import { UsageError } from '../context.ts';

/** Evidence names machines and accounts; it is its collector's to share. */
const FILE_MODE = 0o600;

/** Throws `UsageError` where a bundle could not be written, before anybody waits for its evidence. */
export async function mustBeWritable(path: string): Promise<void> {
  const folder = dirname(path);
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true;
  if (isFolder) throw new UsageError(`--save needs a file; ${path} is a folder.`);
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw unwritten(path, error);
  });
}

function unwritten(path: string, error: unknown): UsageError {
  const { code } = error as NodeJS.ErrnoException;
  const why =
    code === 'ENOENT'
      ? `no such folder: ${dirname(path)}; create it: mkdir -p ${dirname(path)}`
      : `cannot write there (${code ?? 'unknown error'}); choose another file`;
  return new UsageError(`Cannot save the evidence as ${path}: ${why}`);
}

/** What a bundle holds, and what was left out of it. */
export interface BundleContents {
  /** Objects and answers by kind: `Node`, `ec2:DescribeInstances`; other texts by file. */
  readonly kinds: ReadonlyMap<string, number>;
  readonly left: LeftOut;
}

interface SavedDocument {
  readonly content: Json | string;
  readonly left: LeftOut;
}

/** Evidence that is kept until it is written: of each document what causes read, without secrets. */
export interface Bundle {
  /** A document of the same name takes the place of the one before. */
  add(document: CollectedDocument, table: SignTable): void;
  /**
   * Writes a tar.gz that `rollcall diagnose FILE` reads, with other names where they are hidden.
   * Throws `UsageError` where the file cannot be written.
   */
  write(path: string, hidden?: Anonymizer | null): Promise<BundleContents>;
}

export function createBundle(): Bundle {
  const documents = new Map<string, SavedDocument>();
  return {
    add({ name, content }, table) {
      const left: LeftOut = new Map();
      documents.set(name, { content: savedContent(content, table, left), left });
    },
    async write(path, hidden = null) {
      await writeTexts(path, textsOf(documents, hidden));
      return contentsOf(documents);
    },
  };
}

function* textsOf(
  documents: ReadonlyMap<string, SavedDocument>,
  hidden: Anonymizer | null,
): Generator<TarText> {
  for (const [given, { content }] of documents) {
    const name = redact(given);
    const shown = hidden === null ? content : hidden.value(content);
    const text = typeof shown === 'string' ? shown : `${JSON.stringify(shown, null, 1)}\n`;
    yield { name: `rollcall/${hidden === null ? name : hidden.text(name)}`, text };
  }
}

function contentsOf(documents: ReadonlyMap<string, SavedDocument>): BundleContents {
  const [kinds, left] = [new Map<string, number>(), new Map<string, number>()];
  for (const [name, document] of documents) {
    const { kind, count } = kindOf(name, document.content);
    kinds.set(kind, (kinds.get(kind) ?? 0) + count);
    for (const [what, times] of document.left) countLeftOut(left, what, times);
  }
  return { kinds, left };
}

/** Of a list its items count. */
function kindOf(name: string, content: Json | string): { kind: string; count: number } {
  const kind = typeof content === 'string' ? null : textAt(content, 'kind');
  if (typeof content === 'string' || kind === null) return { kind: name, count: 1 };
  if (kind === 'AwsAnswer') return { kind: textAt(content, 'call') ?? kind, count: 1 };
  if (!kind.endsWith('List')) return { kind, count: 1 };
  return { kind: kind.slice(0, -'List'.length), count: listAt(content, 'items').length };
}

/** A device or a pipe is written as it is; a file appears whole, and nobody else's before. */
async function isDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile();
}

async function writeTexts(path: string, texts: Iterable<TarText>): Promise<void> {
  const isWhole = !(await isDevice(path));
  const target = isWhole ? `${path}.${process.pid}.part` : path;
  const file = createWriteStream(target, { mode: FILE_MODE, flags: isWhole ? 'wx' : 'w' });
  try {
    await pipeline(Readable.from(tarOf(texts)), createGzip(), file);
    if (isWhole) await rename(target, path);
  } catch (error) {
    if (isWhole) await rm(target, { force: true });
    if (error instanceof Error && 'code' in error) throw unwritten(path, error);
    throw error;
  }
}
