import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { listNames, readTail } from './files.ts';
import { failsWith } from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function text(path: string, bytesMax: number): Promise<string> {
  return new TextDecoder().decode(await readTail(path, bytesMax));
}

describe('the end of a file', () => {
  test('is the whole of a short one', async () => {
    const digits = file('digits', '0123456789');
    assert.equal(await text(digits, 100), '0123456789');
    assert.equal(await text(digits, 10), '0123456789');
    assert.equal(await text(digits, 9), '123456789');
    assert.equal(await text(file('empty', ''), 9), '');
  });

  test('is read in several chunks', async () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);
    const path = file('long', bytes);
    assert.deepEqual(await readTail(path, 150_000), bytes.slice(50_000));
    assert.deepEqual(await readTail(path, 131_072), bytes.slice(-131_072));
    assert.deepEqual(await readTail(path, 1_000_000), bytes);
  });

  test('is read behind a link', async () => {
    symlinkSync(file('target', 'abc'), join(folder, 'link'));
    assert.equal(await text(join(folder, 'link'), 2), 'bc');
  });

  test('is read of a file that has no size', async () => {
    const whole = await text('/proc/self/status', 100_000);
    assert.match(whole, /^Name:\t/);
    assert.equal((await text('/proc/self/status', 5)).length, 5);
  });

  test('is read of a regular file alone', async () => {
    const words = (path: string) => `${path} is not a regular file and was not read.`;
    for (const path of [folder, '/dev/null'])
      await assert.rejects(readTail(path, 9), failsWith('invalid', words(path)));
  });

  test('is not read of what is not there', async () => {
    const path = join(folder, 'no');
    await assert.rejects(readTail(path, 9), failsWith('not-found', `${path} is not there.`));
  });
});

test('names of a folder are in the order of their code units', async () => {
  mkdirSync(join(folder, 'sub'));
  for (const name of ['b', 'B', 'a', '10', '9']) file(`sub/${name}`, '');
  assert.deepEqual(await listNames(join(folder, 'sub')), ['10', '9', 'B', 'a', 'b']);
  const path = join(folder, 'none');
  await assert.rejects(listNames(path), failsWith('not-found', `${path} is not there.`));
});
