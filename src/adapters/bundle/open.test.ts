import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { EvidenceError } from './contract.ts';
import type { InputLoss } from './contract.ts';
import { openEvidence } from './open.ts';
import {
  hasProgram,
  inPieces,
  locators,
  packTar,
  packZip,
  readAll,
  readBytes,
  sentences,
  temporaryFolder,
} from './testing.ts';

const ignoreLoss = (): void => {};

async function folderWith(
  t: TestContext,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

test('a plain file is one document with its modification time and no container', async (t) => {
  const folder = await folderWith(t, { 'kubelet.log': 'Unauthorized\n' });
  const path = join(folder, 'kubelet.log');
  await utimes(path, 1_700_000_000, 1_700_000_000);
  const { documents, losses } = await readAll([path]);
  assert.deepEqual(losses, []);
  assert.deepEqual(documents, [
    { locator: path, container: null, modifiedMs: 1_700_000_000_000, text: 'Unauthorized\n' },
  ]);
});

test('a file larger than a chunk comes whole, in chunks of at most 1 MiB', async (t) => {
  const content = 'node i-0abc is gone\n'.repeat(200_000);
  const folder = await folderWith(t, { big: content });
  const sizes: number[] = [];
  const parts: Uint8Array[] = [];
  for await (const document of openEvidence([join(folder, 'big')], ignoreLoss)) {
    for await (const chunk of document.chunks) {
      sizes.push(chunk.length);
      parts.push(chunk);
    }
  }
  assert.ok(sizes.length <= 6, `${sizes.length} chunks for ${content.length} bytes`);
  assert.ok(Math.max(...sizes) <= 1024 * 1024);
  assert.equal(Buffer.concat(parts).toString(), content);
});

test('standard input is one document without a time, and may be an archive', async () => {
  const plain = await readBytes(Buffer.from('pasted text'));
  assert.deepEqual(plain.documents, [
    { locator: '-', container: null, modifiedMs: null, text: 'pasted text' },
  ]);
  const archive = gzipSync(await packTar([{ name: './var_log/messages', content: 'hello' }]));
  const packed = await readBytes(archive, {}, 7);
  assert.deepEqual(packed.losses, []);
  assert.deepEqual(packed.documents, [
    {
      locator: '-!var_log/messages',
      container: '-',
      modifiedMs: Date.parse('2026-11-12T10:00:00Z'),
      text: 'hello',
    },
  ]);
});

test('reports standard input that breaks off and reads what came before', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('the beginning');
    throw Object.assign(new Error('read EIO'), { code: 'EIO' });
  }
  const { documents, losses } = await readAll(['-'], {}, broken());
  assert.equal(documents[0]?.text, 'the beginning');
  assert.match(losses[0]?.what ?? '', /^Reading - stopped after 13 bytes: the disk reports/);
});

test('a path given twice is read once', async (t) => {
  const folder = await folderWith(t, { a: '1' });
  const path = join(folder, 'a');
  assert.deepEqual(locators(await readAll([path, '-', path, '-'], {}, inPieces(Buffer.of(), 1))), [
    path,
    '-',
  ]);
});

test('folders are read in the byte order of their paths, containers in them opened', async (t) => {
  const tar = await packTar([{ name: 'inner.log', content: 'in' }]);
  const names = ['a/z', 'a-b/x', 'a.log', 'B', 'b/deep/er/x', 'é', 'b/bundle'];
  const folder = await folderWith(t, Object.fromEntries(names.map((name) => [name, name])));
  await writeFile(join(folder, 'b/bundle'), tar);
  const expected = ['B', 'a-b/x', 'a.log', 'a/z', 'b/bundle!inner.log', 'b/deep/er/x', 'é'];
  const reading = await readAll([`${folder}/`]);
  assert.deepEqual(
    locators(reading).map((locator) => relative(folder, locator)),
    expected,
  );
  assert.deepEqual(
    reading.documents.map(({ container }) => container !== null),
    expected.map((name) => name.includes('!')),
  );
  assert.deepEqual(reading.losses, []);
});

test('paths are displayed as given, without a leading ./', async (t) => {
  const folder = await folderWith(t, { 'logs/kubelet.log': 'x' });
  const given = `./${relative(process.cwd(), join(folder, 'logs'))}`;
  const [locator] = locators(await readAll([given]));
  assert.equal(locator, join(relative(process.cwd(), folder), 'logs/kubelet.log'));
});

test('a path that does not exist is an EvidenceError, before anything is read', async (t) => {
  const folder = await folderWith(t, { 'a.log': 'x' });
  const missing = join(folder, "it's\u001b[31m.log");
  await assert.rejects(readAll([join(folder, 'a.log'), missing]), (error: unknown) => {
    assert.ok(error instanceof EvidenceError);
    assert.equal(error.path, missing);
    assert.match(error.message, /cannot be opened: it does not exist\. Run `ls -ld '/);
    assert.ok(!error.message.includes('\u001b'));
    return true;
  });
  const documents = openEvidence([join(folder, 'a.log'), missing], ignoreLoss);
  await assert.rejects(documents[Symbol.asyncIterator]().next(), EvidenceError);
});

test('a socket given by name is an EvidenceError', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'containerd.sock');
  const server = createServer().listen(path);
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  await assert.rejects(readAll([path]), { name: 'EvidenceError', message: /socket/ });
});

/** Runs as a user without rights, where the tests run as one who has all. */
async function withoutRights<Result>(run: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

test('an unreadable path is an EvidenceError, an unreadable file below it a loss', async (t) => {
  const folder = await folderWith(t, { 'logs/open.log': 'x', 'logs/shut.log': 'y', 'dir/z': 'z' });
  await chmod(folder, 0o755);
  await chmod(join(folder, 'logs/shut.log'), 0);
  await chmod(join(folder, 'dir'), 0);
  const reading = await withoutRights(() => readAll([folder]));
  assert.deepEqual(locators(reading), [join(folder, 'logs/open.log')]);
  assert.deepEqual(
    reading.losses.map(({ locator }) => locator),
    [join(folder, 'dir'), join(folder, 'logs/shut.log')],
  );
  assert.match(sentences(reading), /The folder .* cannot be listed: permission denied\. Run `sudo/);
  assert.match(sentences(reading), /shut\.log was not read: permission denied\. Run .*`sudo`/);
  await assert.rejects(
    withoutRights(() => readAll([join(folder, 'logs/shut.log')])),
    { name: 'EvidenceError', message: /permission denied\. Run `sudo rollcall diagnose / },
  );
  await chmod(join(folder, 'dir'), 0o755);
});

test('pipes and sockets in a folder are counted and never waited for', async (t) => {
  if (!hasProgram(t, 'mkfifo')) return;
  const folder = await folderWith(t, { 'z.log': 'after' });
  execFileSync('mkfifo', [join(folder, 'fifo-1'), join(folder, 'fifo-2')]);
  const server = createServer().listen(join(folder, 'sock'));
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const reading = await readAll([folder]);
  assert.deepEqual(locators(reading), [join(folder, 'z.log')]);
  assert.match(sentences(reading), /2 named pipes \(the first is 'fifo-1'\), not read/);
  assert.match(sentences(reading), /1 socket \('sock'\), not read/);
});

test('a named pipe given by name is read', async (t) => {
  if (!hasProgram(t, 'mkfifo')) return;
  const folder = await temporaryFolder(t);
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const [reading] = await Promise.all([readAll([path]), writeFile(path, 'through the pipe')]);
  assert.equal(reading.documents[0]?.text, 'through the pipe');
  assert.equal(reading.documents[0].modifiedMs, null);
});

test('reports symbolic links that lead outside a folder and follows none', async (t) => {
  const outside = await folderWith(t, { 'secret.log': 'secret' });
  const folder = await folderWith(t, { 'pods/0.log': 'x' });
  await mkdir(join(folder, 'containers'));
  await symlink('../pods/0.log', join(folder, 'containers/0.log'));
  await symlink('.', join(folder, 'loop'));
  assert.deepEqual((await readAll([folder])).losses, []);
  await symlink(outside, join(folder, 'folder-link'));
  await symlink(join(outside, 'secret.log'), join(folder, 'file-link'));
  await symlink('/nowhere/at/all', join(folder, 'dangling'));
  const reading = await readAll([folder]);
  assert.deepEqual(locators(reading), [join(folder, 'pods/0.log')]);
  assert.equal(reading.losses.length, 1);
  assert.match(sentences(reading), /3 symbolic links \(the first is 'dangling'\), not read/);
});

test('a symbolic link given by name is followed', async (t) => {
  const folder = await folderWith(t, { 'real/kubelet.log': 'x' });
  await symlink('real', join(folder, 'link'));
  await symlink('real/kubelet.log', join(folder, 'file'));
  const given = [join(folder, 'link'), join(folder, 'file')];
  assert.deepEqual(locators(await readAll(given)), [join(folder, 'link/kubelet.log'), given[1]]);
});

test('names with escapes, marks and broken encodings are displayed safely and read', async (t) => {
  const folder = await temporaryFolder(t);
  const names = ['a\u001b[2Jb', 'c\u202egpj.exe', 'd\ne', 'f\u0085g'];
  for (const name of names) await writeFile(join(folder, name), name);
  const latin = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.of(0xe9)]);
  await writeFile(latin, 'latin');
  const reading = await readAll([folder]);
  assert.deepEqual(reading.losses, []);
  assert.equal(reading.documents.length, 5);
  for (const locator of locators(reading))
    assert.match(locator, /^[^\p{Cc}\p{Cf}]*\uFFFD[^\p{Cc}\p{Cf}]*$/u);
  assert.ok(reading.documents.some(({ text }) => text === 'latin'));
});

test('an empty file is a document without content', async (t) => {
  const folder = await folderWith(t, { 'empty.log': '' });
  const { documents, losses } = await readAll([join(folder, 'empty.log')]);
  assert.equal(documents[0]?.text, '');
  assert.deepEqual(losses, []);
  assert.deepEqual(await readBytes(Buffer.of()), {
    documents: [{ locator: '-', container: null, modifiedMs: null, text: '' }],
    losses: [],
  });
});

test('reads a folder with too many entries up to the limit and reports it', async (t) => {
  const names = Array.from({ length: 50 }, (_, index) => `f${index}`);
  const folder = await folderWith(t, Object.fromEntries(names.map((name) => [name, name])));
  const reading = await readAll([folder], { entriesMax: 20 });
  assert.equal(reading.documents.length, 20);
  assert.equal(reading.losses.length, 1);
  assert.match(sentences(reading), /holds more than 20 entries; the rest was not read/);
});

test('reads bytes up to the limit and reports the rest once', async (t) => {
  const content = 'x'.repeat(100_000);
  const folder = await folderWith(t, { a: content, b: content, c: content });
  const reading = await readAll([folder], { bytesMax: 250_000 });
  const bytes = reading.documents.reduce((sum, { text }) => sum + text.length, 0);
  assert.ok(bytes >= 150_000 && bytes <= 250_000, `${bytes} bytes`);
  assert.equal(reading.losses.length, 1);
  assert.match(sentences(reading), /holds more than 244 KiB of content/);
});

test('lists losses up to a limit and counts the rest', async (t) => {
  const names = Array.from({ length: 30 }, (_, index) => [`f${index}.gz`, '\u001f\u008b\u0008']);
  const files = names.map(([name, magic]) => [name, Buffer.from(magic ?? '', 'latin1')]);
  const folder = await folderWith(t, Object.fromEntries(files));
  const reading = await readAll([folder], { lossesMax: 5 });
  assert.equal(reading.losses.length, 6);
  assert.match(reading.losses.at(-1)?.what ?? '', /^25 more parts of .* could not be read\.$/);
});

async function openFiles(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}

test('ending early closes files, decoders and programs', async (t) => {
  if (process.platform !== 'linux') return t.skip('counts open files under /proc');
  const log = 'i-0abc Unauthorized\n'.repeat(100_000);
  const tar = await packTar([
    { name: 'a', content: log },
    { name: 'inner.gz', content: gzipSync(log) },
  ]);
  const folder = await folderWith(t, { 'a.tgz': gzipSync(tar), 'b.tar': tar, 'c.log': log });
  const before = await openFiles();
  for (const stopAfter of [1, 2, 3, 4, 5]) {
    let seen = 0;
    for await (const document of openEvidence([folder], ignoreLoss)) {
      for await (const chunk of document.chunks) if (chunk.length > 0) break;
      seen += 1;
      if (seen === stopAfter) break;
    }
    assert.equal(seen, stopAfter);
  }
  assert.equal(await openFiles(), before);
  return undefined;
});

test('ending early does not wait for a silent pipe', async () => {
  const gz = gzipSync('x'.repeat(1_000_000));
  const stdin: AsyncIterable<Uint8Array> = {
    async *[Symbol.asyncIterator]() {
      yield gz.subarray(0, 600);
      await new Promise(() => {});
    },
  };
  const losses: InputLoss[] = [];
  const documents = openEvidence(['-'], (loss) => losses.push(loss), undefined, stdin);
  const iterator = documents[Symbol.asyncIterator]();
  const first = await iterator.next();
  assert.equal(first.value?.locator, '-');
  assert.deepEqual(await iterator.return?.(), { done: true, value: undefined });
  assert.deepEqual(losses, []);
});

test('bytes can be read once, and only while their document is the current one', async (t) => {
  const folder = await folderWith(t, { a: 'x', b: 'y' });
  const iterator = openEvidence([folder], ignoreLoss)[Symbol.asyncIterator]();
  const first = await iterator.next();
  for await (const chunk of first.value.chunks) assert.equal(chunk.length, 1);
  assert.throws(() => first.value.chunks[Symbol.asyncIterator](), /were asked for twice/);
  const second = await iterator.next();
  assert.equal((await iterator.next()).done, true);
  assert.throws(() => second.value.chunks[Symbol.asyncIterator](), /after the next document/);
});

/** Twenty million bytes of which every piece differs, so that a lost one is noticed. */
function longText(): string {
  return Array.from({ length: 400_000 }, (_, rank) => `${rank} ${'log '.repeat(10)}${rank}\n`).join(
    '',
  );
}

test('a long zip in a compressed archive comes whole', async () => {
  const content = longText();
  const zip = packZip([{ name: 'long.log', content: Buffer.from(content), method: 0 }]);
  const { documents, losses } = await readBytes(
    gzipSync(await packTar([{ name: 'inner.zip', content: zip }])),
  );
  assert.deepEqual(losses, []);
  assert.ok(documents[0]?.text === content);
});

test('a compressed archive in a compressed archive comes whole', async () => {
  const content = longText();
  const inner = gzipSync(await packTar([{ name: 'long.log', content }]), { level: 0 });
  const { documents, losses } = await readBytes(
    gzipSync(await packTar([{ name: 'inner.tar.gz', content: inner }])),
  );
  assert.deepEqual(losses, []);
  assert.ok(documents[0]?.text === content);
});

test('damage late in a compressed archive within another loses nothing before it', async () => {
  const content = longText().slice(0, 6_000_000);
  const inner = gzipSync(content, { level: 0 });
  inner.fill(0xff, inner.length - 100_000);
  const { documents } = await readBytes(
    gzipSync(await packTar([{ name: 'inner.gz', content: inner }])),
  );
  const { text = '' } = documents[0] ?? {};
  assert.ok(text.length > 5_000_000 && content.startsWith(text.slice(0, 5_800_000)));
});
