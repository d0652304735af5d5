import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  hasProgram,
  inPieces,
  locators,
  packTar,
  readAll,
  readBytes,
  sentences,
  signTarHeader,
  temporaryFolder,
} from './testing.ts';

const END = Buffer.alloc(1024);

/** One raw entry: header fields by position, and content padded to whole blocks. */
function rawEntry(fields: Readonly<Record<number, string | Buffer>>, content = ''): Buffer {
  const block = Buffer.alloc(512);
  const size = `${content.length.toString(8).padStart(11, '0')}\0`;
  for (const [at, value] of Object.entries({ 124: size, 257: 'ustar\x0000', ...fields })) {
    Buffer.from(value).copy(block, Number(at));
  }
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([signTarHeader(block), body]);
}

test('entries come in the order of the archive, with names, times and content', async () => {
  const long = `${'deep/'.repeat(30)}messages`;
  const names = ['./var_log/messages', long, 'unicode/ж.log', './a//b/./c'];
  const tar = await packTar([
    { name: 'var_log/', type: 'directory' },
    ...names.map((name) => ({ name, content: `content of ${name}` })),
    { name: 'empty', content: '' },
  ]);
  const reading = await readBytes(tar);
  assert.deepEqual(reading.losses, []);
  const shownNames = ['var_log/messages', long, 'unicode/ж.log', 'a/b/c', 'empty'];
  assert.deepEqual(
    locators(reading),
    shownNames.map((name) => `-!${name}`),
  );
  const [first] = reading.documents;
  assert.equal(first?.text, 'content of ./var_log/messages');
  assert.equal(first.modifiedMs, Date.parse('2026-11-12T10:00:00Z'));
  assert.equal(reading.documents.at(-1)?.text, '');
});

for (const format of ['v7', 'oldgnu', 'gnu', 'ustar', 'posix']) {
  test(`what GNU tar writes as ${format} is read`, async (t) => {
    if (!hasProgram(t, 'tar')) return;
    const folder = await temporaryFolder(t);
    const isLong = format === 'gnu' || format === 'posix' || format === 'oldgnu';
    const name = isLong ? `${'n'.repeat(130)}.log` : 'name.log';
    await writeFile(join(folder, name), 'x'.repeat(5000));
    const options = [`--format=${format}`, '--mtime=2026-11-12 10:00:00Z', '-C', folder];
    const tar = execFileSync('tar', [...options, '-cf', '-', `./${name}`]);
    const { documents, losses } = await readBytes(tar);
    assert.deepEqual(losses, []);
    assert.equal(documents.length, 1);
    assert.equal(documents[0]?.locator, `-!${name}`);
    assert.equal(documents[0].text, 'x'.repeat(5000));
    assert.equal(documents[0].modifiedMs, Date.parse('2026-11-12T10:00:00Z'));
  });
}

for (const format of ['oldgnu', 'gnu', 'posix']) {
  test(`sparse files in ${format} archives keep their text and the next entry`, async (t) => {
    if (!hasProgram(t, 'tar')) return;
    const folder = await temporaryFolder(t);
    const script =
      'for i in $(seq 1 60); do seq -f "line $i %g" 1 600 | ' +
      'dd of=lastlog bs=4096 seek=$((i * 100)) conv=notrunc status=none; done; echo z > next';
    execFileSync('sh', ['-c', script], { cwd: folder });
    await truncate(join(folder, 'lastlog'), 50_000_000);
    const tar = execFileSync('tar', [`--format=${format}`, '-Scf', '-', 'lastlog', 'next'], {
      cwd: folder,
      maxBuffer: 1e8,
    });
    assert.ok(tar.length < 2_000_000, 'the archive is sparse');
    const reading = await readBytes(tar);
    assert.deepEqual(reading.losses, []);
    assert.deepEqual(locators(reading), ['-!lastlog', '-!next']);
    const text = reading.documents[0]?.text.replaceAll('\0', '') ?? '';
    assert.ok(text.startsWith('line 1 1\nline 1 2\n'));
    assert.ok(text.endsWith('line 60 600\n'));
    assert.equal(reading.documents[1]?.text, 'z\n');
  });
}

test('sizes in base 256, and very old headers, are read', async () => {
  const base256 = Buffer.alloc(12);
  base256[0] = 0x80;
  base256[11] = 5;
  const tar = Buffer.concat([
    rawEntry({ 0: 'binary', 124: base256 }, 'hello'),
    rawEntry({ 0: 'old', 257: '', 156: '\0' }, 'v7'),
    END,
  ]);
  const { documents, losses } = await readBytes(tar);
  assert.deepEqual(losses, []);
  assert.deepEqual(
    documents.map(({ locator, text, modifiedMs }) => [locator, text, modifiedMs]),
    [
      ['-!binary', 'hello', null],
      ['-!old', 'v7', null],
    ],
  );
});

test('global and local pax headers name the entries, and broken records do no harm', async () => {
  const pax = (type: string, records: string): Buffer => rawEntry({ 0: 'pax', 156: type }, records);
  const tar = Buffer.concat([
    pax('g', '21 mtime=1700000000\n'),
    pax('x', '18 path=renamed.a\nnot a record at all\n'),
    rawEntry({ 0: 'a' }, 'A'),
    pax('x', '-5 path=x\n99999999999999999999 path=y\n'),
    rawEntry({ 0: 'b' }, 'B'),
    pax('x', '11 size=-1\n0 x=y\n'),
    rawEntry({ 0: 'c' }, 'C'),
    END,
  ]);
  const { documents, losses } = await readBytes(tar);
  assert.deepEqual(losses, []);
  assert.deepEqual(
    documents.map(({ locator, text, modifiedMs }) => [locator, text, modifiedMs]),
    [
      ['-!renamed.a', 'A', 1_700_000_000_000],
      ['-!b', 'B', 1_700_000_000_000],
      ['-!c', 'C', 1_700_000_000_000],
    ],
  );
});

test('archives put one behind the other are one, and what follows the last is left', async () => {
  const first = await packTar([{ name: 'a', content: '1' }]);
  const second = await packTar([{ name: 'b', content: '2' }]);
  for (const junk of ['junk', 'junk'.repeat(500)]) {
    const tar = Buffer.concat([first, END, second, Buffer.from(junk)]);
    const reading = await readBytes(tar);
    assert.deepEqual(locators(reading), ['-!a', '-!b']);
    assert.deepEqual(reading.losses, []);
  }
});

test('reports each kind of entry that is not a file once', async () => {
  const tar = await packTar([
    { name: '../climb', content: 'x' },
    { name: 'a/../../climb', content: 'x' },
    { name: '/etc/shadow', content: 'x' },
    { name: 'link', type: 'symlink', linkname: '/etc/passwd' },
    { name: 'link2', type: 'symlink', linkname: 'good' },
    { name: 'hard', type: 'link', linkname: 'good' },
    { name: 'sda', type: 'block-device' },
    { name: 'tty', type: 'character-device' },
    { name: 'pipe', type: 'fifo' },
    { name: 'good', content: 'read' },
  ]);
  const reading = await readBytes(tar);
  assert.deepEqual(locators(reading), ['-!good']);
  const told = reading.losses.map(({ what }) => what.replace(/, not read.*/, ''));
  assert.deepEqual(told.toSorted(), [
    "- has 1 entry with an absolute name ('/etc/shadow')",
    "- has 1 hard link ('hard')",
    "- has 1 named pipe ('pipe')",
    "- has 2 device files (the first is 'sda')",
    "- has 2 entries whose names climb out with '..' (the first is '../climb')",
    "- has 2 symbolic links (the first is 'link')",
  ]);
});

test('names with control characters and bidirectional marks are displayed safely', async () => {
  const tar = await packTar([{ name: 'a\u001b]0;x\u0007\u202eb\nc', content: 'x' }]);
  assert.deepEqual(locators(await readBytes(tar)), ['-!a\uFFFD]0;x\uFFFD\uFFFDb\uFFFDc']);
});

test('a name of a megabyte is shortened', async () => {
  const tar = await packTar([{ name: 'n'.repeat(900_000), content: 'x' }]);
  const [locator] = locators(await readBytes(tar));
  assert.ok(locator !== undefined && locator.length < 1100 && locator.includes('…'));
});

test('entries of one name are both delivered', async () => {
  const tar = await packTar([
    { name: 'messages', content: 'old' },
    { name: 'messages', content: 'new' },
  ]);
  const { documents } = await readBytes(tar);
  assert.deepEqual(
    documents.map(({ locator, text }) => [locator, text]),
    [
      ['-!messages', 'old'],
      ['-!messages', 'new'],
    ],
  );
});

test('reads a cut archive up to the cut and reports the cut', async () => {
  const tar = await packTar([
    { name: 'whole', content: 'w'.repeat(700) },
    { name: 'part', content: 'p'.repeat(5000) },
  ]);
  const { documents, losses } = await readBytes(tar.subarray(0, 512 + 1024 + 512 + 1234));
  assert.deepEqual(
    documents.map(({ text }) => text.length),
    [700, 1234],
  );
  assert.equal(losses.length, 1);
  assert.match(losses[0]?.what ?? '', /^- was cut: it ends 3\.7 KiB before the end of 'part'/);
});

test('reports a cut inside an entry that is not read', async (t) => {
  const folder = await temporaryFolder(t);
  const tar = await packTar([{ name: 'part', content: 'p'.repeat(500_000) }]);
  await writeFile(join(folder, 'cut.tar'), tar.subarray(0, 200_000));
  const { losses } = await readAll([join(folder, 'cut.tar')]);
  assert.match(losses[0]?.what ?? '', /cut\.tar was cut/);
});

test('reports an archive cut between two entries', async () => {
  const tar = await packTar([
    { name: 'a', content: 'x'.repeat(512) },
    { name: 'b', content: 'y' },
  ]);
  const reading = await readBytes(tar.subarray(0, 1024));
  assert.equal(reading.documents.length, 1);
  assert.match(sentences(reading), /ends without the mark that closes a tar archive/);
});

test('continues at the next sound header after a damaged one', async () => {
  const parts = await Promise.all(
    ['a', 'b', 'c'].map(async (name) =>
      (await packTar([{ name, content: name }])).subarray(0, 1024),
    ),
  );
  const tar = Buffer.concat([...parts, END]);
  tar.fill(0x55, 1024 + 100, 1024 + 180);
  const reading = await readBytes(tar);
  assert.deepEqual(locators(reading), ['-!a', '-!c']);
  assert.equal(reading.losses.length, 1);
  assert.match(sentences(reading), /^- is damaged: 1\.0 KiB are not part of the tar archive/);
});

test('a size that no entry can have is damage', async () => {
  const negative = Buffer.alloc(12, 0xff);
  const huge = Buffer.concat([Buffer.of(0x80), Buffer.alloc(11, 0xff)]);
  for (const size of [negative, huge, Buffer.from('99999999999\0')]) {
    const bad = rawEntry({ 0: 'bad', 124: size }, 'x');
    const reading = await readBytes(Buffer.concat([bad, rawEntry({ 0: 'good' }, 'y'), END]));
    assert.deepEqual(locators(reading), ['-!good']);
    assert.match(sentences(reading), /is damaged/);
  }
});

test('a gzip cut in the middle of an entry delivers all that was unpacked', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `${index} ${Math.sin(index)}`);
  const content = lines.join('\n');
  const gz = gzipSync(await packTar([{ name: 'kubelet.log', content }]));
  const { documents, losses } = await readBytes(gz.subarray(0, gz.length / 2));
  const text = documents[0]?.text ?? '';
  assert.ok(text.length > content.length * 0.4, `${text.length} of ${content.length}`);
  assert.ok(content.startsWith(text));
  assert.equal(losses.length, 1);
  assert.match(losses[0]?.what ?? '', /^- is cut off: its gzip content ends early\. The .* read;/);
});

test('archives with more entries than the limit end there', async () => {
  const block = rawEntry({ 0: 'tiny' });
  async function* endless(): AsyncGenerator<Uint8Array> {
    const many = Buffer.concat(Array.from({ length: 2000 }, () => block));
    for (;;) yield many;
  }
  const reading = await readAll(['-'], { entriesMax: 10_000 }, endless());
  assert.equal(reading.documents.length, 10_000);
  assert.equal(reading.losses.length, 1);
  assert.match(sentences(reading), /holds more than 10000 entries/);
});

test('endless extension headers and endless zeros are bounded too', async () => {
  async function* endless(block: Uint8Array): AsyncGenerator<Uint8Array> {
    yield rawEntry({ 0: 'first' });
    const many = Buffer.concat(Array.from({ length: 2000 }, () => block));
    for (;;) yield many;
  }
  const limits = { entriesMax: 10_000, bytesMax: 20_000_000 };
  for (const block of [rawEntry({ 0: 'pax', 156: 'x' }, '10 path=a\n'), Buffer.alloc(512)]) {
    const reading = await readAll(['-'], limits, endless(block));
    assert.deepEqual(locators(reading), ['-!first']);
    assert.match(sentences(reading), /holds more than/);
  }
});

test('a plain tar on disk is skipped through without reading it', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'big.tar');
  const entries = ['a', 'b', 'c'].map((name) => ({ name, content: Buffer.alloc(5_000_000, name) }));
  await writeFile(path, await packTar(entries));
  const { openEvidence, DEFAULT_LIMITS } = await import('./open.ts');
  const losses: string[] = [];
  const limits = { ...DEFAULT_LIMITS, bytesMax: 4_000_000 };
  const seen: string[] = [];
  for await (const { locator } of openEvidence([path], ({ what }) => losses.push(what), limits)) {
    seen.push(locator);
  }
  assert.deepEqual(seen, [`${path}!a`, `${path}!b`, `${path}!c`]);
  assert.deepEqual(losses, []);
  assert.equal((await readFile(path)).length > limits.bytesMax, true);
});

test('single bytes at a time make no difference', async () => {
  const tar = await packTar([
    { name: 'a'.repeat(150), content: 'x'.repeat(600) },
    { name: 'b', content: 'y' },
  ]);
  const slow = await readAll(['-'], {}, inPieces(tar, 1));
  assert.deepEqual(slow, await readBytes(tar));
});
