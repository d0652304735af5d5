import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { constants, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Reading, ZipEntry } from './testing.ts';
import {
  hasProgram,
  locators,
  packTar,
  packZip,
  readAll,
  readBytes,
  sentences,
  temporaryFolder,
} from './testing.ts';

const CONTENT = Array.from({ length: 5000 }, (_, index) => `${index} ${Math.sin(index)}`).join(
  '\n',
);

async function readZipFile(t: TestContext, zip: Uint8Array): Promise<Reading> {
  const path = join(await temporaryFolder(t), 'a.zip');
  await writeFile(path, zip);
  const { documents, losses } = await readAll([path]);
  const local = (text: string): string => text.replaceAll(path, 'a.zip');
  return {
    documents: documents.map((document) => ({
      ...document,
      locator: local(document.locator),
      container: document.container === null ? null : local(document.container),
    })),
    losses: losses.map(({ locator, what }) => ({ locator: local(locator), what: local(what) })),
  };
}

test('entries come in the order of the directory, stored, deflated or zstd', async (t) => {
  const zip = packZip([
    { name: 'logs/', content: '' },
    { name: './logs/a.log', content: CONTENT },
    { name: 'logs/ж', content: 'stored', method: 0 },
    { name: 'logs/z', content: 'zstd', method: 93, packed: zstdCompressSync('zstd') },
    { name: 'logs/streamed', content: 'streamed', isStreamed: true },
    { name: 'empty', content: '' },
  ]);
  const reading = await readZipFile(t, zip);
  assert.deepEqual(reading.losses, []);
  assert.deepEqual(
    locators(reading),
    ['logs/a.log', 'logs/ж', 'logs/z', 'logs/streamed', 'empty'].map((name) => `a.zip!${name}`),
  );
  assert.deepEqual(
    reading.documents.map(({ text }) => text),
    [CONTENT, 'stored', 'zstd', 'streamed', ''],
  );
  assert.equal(reading.documents[0]?.container, 'a.zip');
  assert.equal(reading.documents[0].modifiedMs, Date.parse('2026-11-12T10:00:00Z'));
});

test('what the zip program writes is read', async (t) => {
  if (!hasProgram(t, 'zip')) return;
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'logs'));
  await writeFile(join(folder, 'logs/kubelet.log'), CONTENT);
  await utimes(join(folder, 'logs/kubelet.log'), 1_700_000_000, 1_700_000_000);
  await symlink('kubelet.log', join(folder, 'logs/link'));
  execFileSync('zip', ['-qry', 'a.zip', 'logs'], { cwd: folder });
  const reading = await readAll([join(folder, 'a.zip')]);
  assert.deepEqual(locators(reading), [join(folder, 'a.zip!logs/kubelet.log')]);
  assert.ok(reading.documents[0]?.text === CONTENT);
  assert.equal(reading.documents[0].modifiedMs, 1_700_000_000_000);
  assert.match(sentences(reading), /1 symbolic link \('logs\/link'\), not read/);
});

test('a zip from standard input or inside another archive is held in memory', async () => {
  const zip = packZip([{ name: 'a', content: CONTENT }]);
  assert.equal((await readBytes(zip)).documents[0]?.text, CONTENT);
  const nested = await readBytes(gzipSync(await packTar([{ name: 'in.zip', content: zip }])));
  assert.deepEqual(locators(nested), ['-!in.zip!a']);
  assert.ok(nested.documents[0]?.text === CONTENT);
  assert.equal(nested.documents[0].container, '-');
  const tooBig = await readBytes(zip, { nestedBytesMax: 1000 });
  assert.deepEqual(tooBig.documents, []);
  assert.match(sentences(tooBig), /more than 1000 bytes that comes as a stream; save it in a file/);
});

test('names that climb out or are absolute, links and devices are left out', async (t) => {
  const entries: readonly ZipEntry[] = [
    { name: '../evil', content: 'x' },
    { name: 'a\\..\\..\\evil', content: 'x' },
    { name: '/etc/passwd', content: 'x' },
    { name: 'C:\\windows\\x', content: 'x' },
    { name: 'link', content: '/etc/passwd', mode: 0o120777 },
    { name: 'tty', content: '', mode: 0o020666 },
    { name: 'systemd-fsck@dev\\x2dsda.log', content: 'fine' },
  ];
  const reading = await readZipFile(t, packZip(entries));
  assert.deepEqual(locators(reading), ['a.zip!systemd-fsck@dev\\x2dsda.log']);
  assert.deepEqual(
    reading.losses.map(({ what }) => what.replace(/, not read.*/, '')),
    [
      "a.zip has 2 entries whose names climb out with '..' (the first is '../evil')",
      "a.zip has 2 entries with absolute names (the first is '/etc/passwd')",
      "a.zip has 1 symbolic link ('link')",
      "a.zip has 1 device file ('tty')",
    ],
  );
});

test('encrypted entries and unknown methods are left out, the rest is read', async (t) => {
  const entries: readonly ZipEntry[] = [
    { name: 'secret', content: 'x', flags: 1 },
    { name: 'secret2', content: 'x', flags: 1 },
    { name: 'deflate64', content: 'x', method: 9 },
    { name: 'open', content: 'read' },
  ];
  const reading = await readZipFile(t, packZip(entries));
  assert.deepEqual(locators(reading), ['a.zip!open']);
  assert.match(sentences(reading), /2 encrypted entries .* Run `unzip a\.zip -d unpacked`/);
  assert.match(sentences(reading), /1 entry packed with an unsupported method/);
});

test('entries of one name are both delivered, control characters are not', async (t) => {
  const entries = ['a\u001b[31m', 'a\u001b[31m'].map((name) => ({ name, content: 'x' }));
  const reading = await readZipFile(t, packZip(entries));
  assert.deepEqual(locators(reading), ['a.zip!a\uFFFD[31m', 'a.zip!a\uFFFD[31m']);
});

test('delivers content that does not match its checksum and reports it', async (t) => {
  const reading = await readZipFile(t, packZip([{ name: 'a', content: CONTENT, crc: 7 }]));
  assert.ok(reading.documents[0]?.text === CONTENT);
  assert.match(sentences(reading), /a\.zip!a does not match its checksum/);
});

test('damaged entries are delivered up to the damage, and the others whole', async (t) => {
  // A block of the type 3, which DEFLATE does not have, behind sound ones.
  const sound = deflateRawSync(CONTENT, { finishFlush: constants.Z_FULL_FLUSH });
  const packed = Buffer.concat([sound, Buffer.of(0x07), Buffer.alloc(50)]);
  const zip = packZip([
    { name: 'bad', content: CONTENT, packed },
    { name: 'good', content: CONTENT },
  ]);
  const reading = await readZipFile(t, zip);
  assert.deepEqual(locators(reading), ['a.zip!bad', 'a.zip!good']);
  assert.ok(reading.documents[0]?.text === CONTENT);
  assert.ok(reading.documents[1]?.text === CONTENT);
  assert.equal(reading.losses.length, 1);
  assert.match(sentences(reading), /The deflate content of a\.zip!bad is damaged/);
});

for (const isStreamed of [false, true]) {
  const how = isStreamed ? 'behind' : 'before';
  test(`a cut zip with sizes ${how} the content is read by its entries' headers`, async (t) => {
    const zip = packZip(
      ['a', 'b', 'c'].map((name) => ({ name, content: `${name}\n${CONTENT}`, isStreamed })),
    );
    const cut = zip.subarray(0, Math.floor(zip.length * 0.8));
    const reading = await readZipFile(t, cut);
    assert.deepEqual(locators(reading), ['a.zip!a', 'a.zip!b', 'a.zip!c']);
    assert.equal(reading.documents[0]?.text, `a\n${CONTENT}`);
    assert.equal(reading.documents[1]?.text, `b\n${CONTENT}`);
    const last = reading.documents[2]?.text ?? '';
    assert.ok(last.length > 1000 && `c\n${CONTENT}`.startsWith(last));
    assert.match(sentences(reading), /^a\.zip has no readable directory at its end/);
    assert.match(sentences(reading), /a\.zip!c is cut off: its deflate content ends early/);
  });
}

test('a cut stored entry is delivered as far as it goes', async (t) => {
  const zip = packZip([{ name: 'a', content: CONTENT, method: 0 }]);
  const reading = await readZipFile(t, zip.subarray(0, 2000));
  assert.equal(reading.documents[0]?.text, CONTENT.slice(0, 2000 - 31));
  assert.match(sentences(reading), /a\.zip!a was cut: its last .* are missing/);
});

test('reports a damaged directory, which ends the list', async (t) => {
  const zip = packZip(['a', 'b', 'c'].map((name) => ({ name, content: name })));
  const third = zip.lastIndexOf('PK\u0001\u0002');
  zip.write('XX', third);
  const reading = await readZipFile(t, zip);
  assert.deepEqual(locators(reading), ['a.zip!a', 'a.zip!b']);
  assert.match(sentences(reading), /The directory of a\.zip is damaged .* Run `zip -FF a\.zip/);
});

test('places outside of the file, however large, do not stop the program', async (t) => {
  const zip = packZip([{ name: 'a', content: 'x' }]);
  const locator64 = Buffer.alloc(20);
  locator64.writeUInt32LE(0x07064b50, 0);
  locator64.fill(0xff, 8, 16);
  const end = zip.length - 22;
  const far = await readZipFile(
    t,
    Buffer.concat([zip.subarray(0, end), locator64, zip.subarray(end)]),
  );
  assert.deepEqual(locators(far), ['a.zip!a']);
  assert.match(sentences(far), /it points at a place outside of itself/);
  const entry = Buffer.from(zip);
  entry.writeUInt32LE(0x7fffffff, entry.lastIndexOf('PK\u0001\u0002') + 42);
  const lost = await readZipFile(t, entry);
  assert.deepEqual(lost.documents, []);
  assert.match(sentences(lost), /a\.zip!a was not read: it points at a place outside of itself/);
});

test('entries that overlap are measured by what they unpack to', async (t) => {
  const zip = packZip([{ name: 'a', content: 'x'.repeat(100_000), method: 0 }]);
  const central = zip.subarray(zip.lastIndexOf('PK\u0001\u0002'), zip.length - 22);
  const many = Buffer.concat([
    zip.subarray(0, zip.length - 22),
    ...Array.from({ length: 999 }, () => central),
    zip.subarray(zip.length - 22),
  ]);
  many.writeUInt16LE(1000, many.length - 12);
  const path = join(await temporaryFolder(t), 'overlap.zip');
  await writeFile(path, many);
  const reading = await readAll([path], { ratioMax: 20, ratioFloorBytes: 1_000_000 });
  assert.ok(reading.documents.length < 40, `${reading.documents.length} documents`);
  assert.equal(reading.losses.length, 1);
  assert.match(sentences(reading), /more than 20 times its size/);
});

test('a zip with more entries than the limit ends there', async (t) => {
  const zip = packZip(Array.from({ length: 100 }, (_, index) => ({ name: `f${index}` })));
  const path = join(await temporaryFolder(t), 'many.zip');
  await writeFile(path, zip);
  const reading = await readAll([path], { entriesMax: 10 });
  assert.equal(reading.documents.length, 10);
  assert.match(sentences(reading), /holds more than 10 entries/);
});

test('an empty zip holds nothing', async (t) => {
  assert.deepEqual(await readZipFile(t, packZip([])), { documents: [], losses: [] });
});

test('an archive in an archive is opened, one inside that is not', async () => {
  const innermost = gzipSync(await packTar([{ name: 'x', content: 'x' }]));
  const inner = await packTar([
    { name: 'deep.tgz', content: innermost },
    { name: 'rotated.gz', content: gzipSync('rotated') },
    { name: 'deep.zip', content: packZip([{ name: 'y', content: 'y' }]) },
  ]);
  const outer = packZip([
    { name: 'inner.tgz', content: gzipSync(inner) },
    { name: 'after', content: 'after' },
  ]);
  const reading = await readBytes(outer);
  assert.deepEqual(locators(reading), ['-!inner.tgz!rotated.gz', '-!after']);
  assert.deepEqual(
    reading.losses.map(({ what }) => what.replace(/; it.*/, '')),
    [
      '-!inner.tgz!deep.tgz is a tar archive nested too deep',
      '-!inner.tgz!deep.zip is a zip archive nested too deep',
    ],
  );
});
