import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { tarOf } from '../../../adapters/bundle/tar-writer.ts';
import type { CollectedDocument } from '../../../adapters/collection/document.ts';
import { redactValue } from '../../../evidence/redact.ts';

/** Evidence names machines and accounts; it is its collector's to share. */
const FILE_MODE = 0o600;

/** Writes collected evidence as a tar.gz that `rollcall diagnose FILE` reads; secrets are cut out. */
export async function writeBundle(
  path: string,
  documents: readonly CollectedDocument[],
): Promise<void> {
  const entries = documents.map(({ name, content }) => {
    const clean = redactValue(content);
    return {
      name: `rollcall/${name}`,
      text: typeof clean === 'string' ? clean : `${JSON.stringify(clean, null, 1)}\n`,
    };
  });
  const file = createWriteStream(path, { mode: FILE_MODE });
  await pipeline(Readable.from(tarOf(entries)), createGzip(), file);
}
