import { createWriteStream } from 'node:fs';
import { access, constants, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type TarText, tarOf } from '../../../adapters/bundle/tar-writer.ts';
import type { CollectedDocument } from '../../../adapters/collection/document.ts';
import { markOfAuthority } from '../../../evidence/checksum.ts';
import { isObject, type Json, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { redact, redactValue } from '../../../evidence/redact.ts';
import { withRequestedUser } from '../../../readers/kube/signing-request.ts';
import { UsageError } from '../context.ts';
import { cleanUserData } from './clean-user-data.ts';

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

/** Puts back what an answer holds in base64 and is no secret, though it looks like one. */
function withPublicParts(clean: JsonObject, given: JsonObject): JsonObject {
  const entries = Object.entries(clean).map(([key, entry]): [string, Json] => {
    const was = given[key];
    if (key === 'UserData' && typeof was === 'string') return [key, cleanUserData(was)];
    const value = key === 'UserData' ? textAt(was, 'Value') : null;
    if (value !== null) return [key, { Value: cleanUserData(value) }];
    const authority = key === 'certificateAuthority' ? textAt(was, 'data') : null;
    if (authority !== null) return [key, { data: redact(markOfAuthority(authority)) }];
    if (Array.isArray(entry) && Array.isArray(was))
      return [key, entry.map((one, index) => inside(one, was[index]))];
    return [key, inside(entry, was)];
  });
  return Object.fromEntries(entries);
}

function inside(clean: Json, given: Json | undefined): Json {
  return isObject(clean) && isObject(given) ? withPublicParts(clean, given) : clean;
}

/** What a certificate is requested for is kept, of the request itself nothing. */
function withRequestedUsers(content: Json): Json {
  if (!isObject(content) || content['kind'] !== 'CertificateSigningRequestList') return content;
  const items = listAt(content, 'items').map((one) =>
    isObject(one) ? withRequestedUser(one) : one,
  );
  return { ...content, items };
}

function cleanContent(content: CollectedDocument['content']): Json {
  const clean = redactValue(withRequestedUsers(content));
  const holdsPublicParts =
    isObject(content) &&
    /Attribute|LaunchTemplate|DescribeCluster/.test(textAt(content, 'call') ?? '');
  return holdsPublicParts ? inside(clean, content) : clean;
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
