import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHUNK_BYTES, FIRST_CHUNK_BYTES } from './byte-source.ts';
import { FileSource, openRegular } from './file.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { Session } from './session.ts';

const CONTENT = Buffer.alloc(4 * CHUNK_BYTES, 'eleven bytes');

async function withSource(use: (source: FileSource) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-file-'));
  const path = join(folder, 'node.log');
  writeFileSync(path, CONTENT);
  const opened = await openRegular(path, false);
  assert.ok(opened !== null);
  const session = new Session(path, DEFAULT_LIMITS, ({ what }) => assert.fail(what));
  const source = new FileSource(opened, path, session);
  try {
    await use(source);
  } finally {
    await source.close();
    rmSync(folder, { recursive: true });
  }
}

test('does not mistake bytes read ahead for bytes after a skip', () =>
  withSource(async (source) => {
    let position = 0;
    for (const bytes of [FIRST_CHUNK_BYTES, CHUNK_BYTES]) {
      assert.deepEqual(await source.next(), CONTENT.subarray(position, position + bytes));
      position += bytes;
    }
    assert.equal(await source.skip(1001), 1001);
    position += 1001;
    const rest: Uint8Array[] = [];
    for (let chunk = await source.next(); chunk !== null; chunk = await source.next())
      rest.push(chunk);
    assert.deepEqual(Buffer.concat(rest), CONTENT.subarray(position));
  }));

test('a file can be closed while it is read ahead', () =>
  withSource(async (source) => {
    await source.next();
    await source.next();
    await source.close();
    assert.equal(await source.next(), null);
  }));
