import { createWriteStream } from 'node:fs';
import { access, constants, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { cleanContent } from '../../../adapters/bundle/clean-content.ts';
import { type TarText, tarOf } from '../../../adapters/bundle/tar-writer.ts';
import type { CollectedDocument } from '../../../adapters/collection/document.ts';
import { UsageError } from '../context.ts';

/** Evidence names machines and accounts; it is its collector's to share. */
const FILE_MODE = 0o600;

/** Throws `UsageError` where a bundle could not be written, before anybody waits for its evidence. */
export async function mustBeWritable(path: string): Promise<void> {
  const folder = dirname(path);
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true;
  if (isFolder) throw new UsageError(`--save takes a file to write; ${path} is a folder.`);
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw unwritten(path, error);
  });
}

function unwritten(path: string, error: unknown): UsageError {
  const { code } = error as NodeJS.ErrnoException;
  const why =
    code === 'ENOENT'
      ? `there is no folder ${dirname(path)}; make it: mkdir -p ${dirname(path)}`
      : `writing there ended with ${code ?? 'an error'}; give --save another file`;
  return new UsageError(`The evidence cannot be saved as ${path}: ${why}`);
}

function* cleanTexts(documents: readonly CollectedDocument[]): Generator<TarText> {
  for (const { name, content } of documents) {
    const clean = cleanContent(content);
    const text = typeof clean === 'string' ? clean : `${JSON.stringify(clean, null, 1)}\n`;
    yield { name: `rollcall/${name}`, text };
  }
}

/** A device or a pipe is written as it is; a file appears whole, and nobody else's before. */
async function isDevice(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile();
}

/**
 * Writes collected evidence as a tar.gz that `rollcall diagnose FILE` reads; secrets are cut out.
 * Throws `UsageError` where the file cannot be written.
 */
export async function writeBundle(
  path: string,
  documents: readonly CollectedDocument[],
): Promise<void> {
  const isWhole = !(await isDevice(path));
  const target = isWhole ? `${path}.${process.pid}.part` : path;
  const file = createWriteStream(target, { mode: FILE_MODE, flags: isWhole ? 'wx' : 'w' });
  try {
    await pipeline(Readable.from(tarOf(cleanTexts(documents))), createGzip(), file);
    if (isWhole) await rename(target, path);
  } catch (error) {
    if (isWhole) await rm(target, { force: true });
    if (error instanceof Error && 'code' in error) throw unwritten(path, error);
    throw error;
  }
}
