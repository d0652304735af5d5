import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Reading } from './testing.ts';
import {
  hasProgram,
  inPieces,
  locators,
  packTar,
  readAll,
  readBytes,
  sentences,
  temporaryFolder,
} from './testing.ts';

const CONTENT = Array.from({ length: 40_000 }, (_, index) => `${index} ${Math.sin(index)}`).join(
  '\n',
);

function xz(content: string | Uint8Array, ...options: readonly string[]): Buffer {
  return execFileSync('xz', ['-c', ...options], { input: content, maxBuffer: 1e8 });
}

/** Runs as on a machine without the xz program. */
async function withoutPrograms<Result>(run: () => Promise<Result>): Promise<Result> {
  const { PATH } = process.env;
  process.env['PATH'] = '/nonexistent';
  try {
    return await run();
  } finally {
    process.env['PATH'] = PATH;
  }
}

const COMPRESSIONS: ReadonlyArray<readonly [string, (content: Uint8Array) => Buffer]> = [
  ['gzip', (content) => gzipSync(content)],
  ['zstd', (content) => zstdCompressSync(content)],
];

for (const [name, compress] of COMPRESSIONS) {
  test(`a ${name} file is its own container`, async (t) => {
    const path = join(await temporaryFolder(t), 'messages-20261112');
    await writeFile(path, compress(Buffer.from(CONTENT)));
    const { documents, losses } = await readAll([path]);
    assert.deepEqual(losses, []);
    assert.equal(documents.length, 1);
    assert.equal(documents[0]?.locator, path);
    assert.equal(documents[0].container, path);
    assert.ok(documents[0].text === CONTENT);
    assert.ok((documents[0].modifiedMs ?? 0) > 1_700_000_000_000);
  });

  test(`${name} streams put one behind the other are one`, async () => {
    const both = Buffer.concat(['one\n', 'two\n'].map((text) => compress(Buffer.from(text))));
    const { documents, losses } = await readBytes(both);
    assert.deepEqual(losses, []);
    assert.equal(documents[0]?.text, 'one\ntwo\n');
  });

  test(`${name} content in a tar archive, and a tar archive in ${name}, are opened`, async () => {
    const tar = await packTar([{ name: 'old.log', content: compress(Buffer.from('rotated')) }]);
    const reading = await readBytes(compress(tar));
    assert.deepEqual(reading.losses, []);
    assert.deepEqual(locators(reading), ['-!old.log']);
    assert.equal(reading.documents[0]?.text, 'rotated');
    assert.equal(reading.documents[0].container, '-');
  });

  test(`a cut ${name} stream delivers what is there`, async () => {
    const packed = compress(Buffer.from(CONTENT));
    const { documents, losses } = await readBytes(packed.subarray(0, packed.length >> 1));
    assertBeginning(documents[0]?.text, 0.35);
    assert.equal(losses.length, 1);
    assert.match(losses[0]?.what ?? '', /^- is cut off: its (gzip|zstd) content ends early\./);
  });

  test(`a damaged ${name} stream delivers what comes before the damage`, async () => {
    const packed = compress(Buffer.from(CONTENT));
    packed.fill(0xff, packed.length >> 1, (packed.length >> 1) + 64);
    const { documents, losses } = await readBytes(packed);
    const common = commonStart(documents[0]?.text ?? '', CONTENT);
    assert.ok(common > CONTENT.length * 0.35, `${common} of ${CONTENT.length}`);
    assert.equal(losses.length, 1);
    assert.match(losses[0]?.what ?? '', /^The (gzip|zstd) content of - is damaged after .* \(.+\)/);
  });

  test(`bytes that only begin as ${name} are a loss and no document`, async () => {
    const packed = compress(Buffer.from('x')).subarray(0, 4);
    const { documents, losses } = await readBytes(Buffer.concat([packed, Buffer.alloc(40, 0x7f)]));
    assert.deepEqual(documents, []);
    assert.equal(losses.length, 1);
  });
}

function commonStart(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}

function assertBeginning(text: string | undefined, share: number): void {
  assert.ok(text !== undefined && CONTENT.startsWith(text));
  assert.ok(text.length > CONTENT.length * share, `${text.length} of ${CONTENT.length}`);
}

test('skips skippable frames of zstd and leaves out bytes after the last frame', async () => {
  const skippable = Buffer.concat([Buffer.from('502a4d1805000000', 'hex'), Buffer.from('12345')]);
  const frames = [skippable, zstdCompressSync('one\n'), skippable, zstdCompressSync('two\n')];
  const whole = await readAll(['-'], {}, inPieces(Buffer.concat([...frames, skippable]), 3));
  assert.equal(whole.documents[0]?.text, 'one\ntwo\n');
  assert.deepEqual(whole.losses, []);
  const trailed = await readBytes(Buffer.concat([...frames, Buffer.from('junk behind it')]));
  assert.equal(trailed.documents[0]?.text, 'one\ntwo\n');
  assert.match(sentences(trailed), /^- has other bytes behind its zstd content/);
  const cut = await readBytes(Buffer.concat([...frames, skippable.subarray(0, 10)]));
  assert.equal(cut.documents[0]?.text, 'one\ntwo\n');
  assert.match(sentences(cut), /^- is cut off: its zstd content ends early/);
});

test('distinguishes all forms of zstd frames', async (t) => {
  if (!hasProgram(t, 'zstd')) return;
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'in'), CONTENT);
  await writeFile(join(folder, 'zeros'), Buffer.alloc(300_000));
  const forms = [
    '--no-check',
    '--check',
    '-19',
    '--fast=5',
    '--no-content-size',
    '-T2',
    '--long=27',
  ];
  const packed = forms.flatMap((form) =>
    ['in', 'zeros'].map((name) =>
      execFileSync('zstd', ['-qc', form, join(folder, name)], { maxBuffer: 1e8 }),
    ),
  );
  const { documents, losses } = await readBytes(Buffer.concat(packed));
  assert.deepEqual(losses, []);
  assert.ok(documents[0]?.text === `${CONTENT}${'\0'.repeat(300_000)}`.repeat(forms.length));
});

test('bytes behind gzip content are left out, and everything in it is read', async () => {
  const packed = Buffer.concat([gzipSync(CONTENT), Buffer.from('\n<html>')]);
  const { documents, losses } = await readBytes(packed);
  assert.ok(documents[0]?.text === CONTENT);
  assert.match(losses[0]?.what ?? '', /^- has other bytes behind its gzip content/);
  const padded = await readBytes(Buffer.concat([gzipSync(CONTENT), Buffer.alloc(100_000)]));
  assert.ok(padded.documents[0]?.text === CONTENT);
  assert.deepEqual(padded.losses, []);
});

test('a wrong gzip checksum loses nothing but trust', async () => {
  const packed = gzipSync(CONTENT);
  packed.writeUInt32LE(0, packed.length - 8);
  const { documents, losses } = await readBytes(packed);
  assert.ok(documents[0]?.text === CONTENT);
  assert.match(losses[0]?.what ?? '', /is damaged after .* \(incorrect data check\)/);
});

test('content compressed twice is read, three times is not', async () => {
  const twice = gzipSync(gzipSync('log'));
  assert.equal((await readBytes(twice)).documents[0]?.text, 'log');
  const thrice = await readBytes(gzipSync(twice));
  assert.deepEqual(thrice.documents, []);
  assert.match(sentences(thrice), /^- is a gzip compression nested too deep/);
});

/** Ten gigabytes of zeros in ten megabytes: gzip members put one behind the other are one. */
function gzipBomb(): Buffer {
  const member = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  return Buffer.concat(Array.from({ length: 160 }, () => member));
}

test('a bomb stops soon and does not stop its neighbors', async (t) => {
  const folder = await temporaryFolder(t);
  const bomb = gzipBomb();
  const entries = [
    { name: 'bomb.gz', content: bomb },
    { name: 'after.log', content: 'after' },
  ];
  await writeFile(join(folder, 'a-bomb.gz'), bomb);
  await writeFile(join(folder, 'b-nested.tar'), await packTar(entries));
  await writeFile(join(folder, 'c.log'), 'c');
  const reading = await unread([folder]);
  const names = ['a-bomb.gz', 'b-nested.tar!bomb.gz', 'b-nested.tar!after.log', 'c.log'];
  assert.deepEqual(
    reading.map(({ locator }) => locator),
    names.map((name) => join(folder, name)),
  );
  for (const { bytes } of reading.slice(0, 2)) assert.ok(bytes < 70e6, `${bytes} bytes`);
  assert.deepEqual(
    reading.slice(2).map(({ bytes }) => bytes),
    [5, 1],
  );
  const told = reading.flatMap(({ losses }) => losses);
  assert.equal(told.length, 2);
  for (const what of told) assert.match(what, /more than 300 times its size, as a decompression/);
});

interface Weight {
  readonly locator: string;
  readonly bytes: number;
  readonly losses: readonly string[];
}

/** How much each document has, without keeping it. */
async function unread(paths: readonly string[]): Promise<readonly Weight[]> {
  const { openEvidence } = await import('./open.ts');
  let losses: string[] = [];
  const weights: Weight[] = [];
  for await (const { locator, chunks } of openEvidence(paths, ({ what }) => losses.push(what))) {
    let bytes = 0;
    for await (const chunk of chunks) bytes += chunk.length;
    weights.push({ locator, bytes, losses });
    losses = [];
  }
  return weights;
}

test('a bomb as an entry of a compressed archive ends the archive', async () => {
  const entries = [
    { name: 'before.log', content: 'before' },
    { name: 'zeros', content: Buffer.alloc(40_000_000) },
    { name: 'after.log', content: 'after' },
  ];
  const limits = { ratioFloorBytes: 1_000_000, ratioMax: 100 };
  const reading = await readBytes(gzipSync(await packTar(entries)), limits);
  assert.deepEqual(locators(reading), ['-!before.log', '-!zeros']);
  assert.ok((reading.documents[1]?.text.length ?? 0) < 11_000_000);
  assert.equal(reading.losses.length, 1);
  assert.match(sentences(reading), /more than 100 times its size/);
});

test('measures a bomb inside a bomb from outside too', async () => {
  const zeros = gzipSync(Buffer.alloc(1_000_000));
  const many = Array.from({ length: 100 }, (_, index) => ({ name: `z${index}`, content: zeros }));
  const limits = { ratioFloorBytes: 2_000_000, ratioMax: 500 };
  const reading = await readBytes(gzipSync(await packTar(many)), limits);
  const bytes = reading.documents.reduce((sum, { text }) => sum + text.length, 0);
  assert.ok(bytes < 10_000_000, `${bytes} bytes`);
  assert.equal(reading.losses.length, 1);
});

function xzCases(program: string, run: <R>(work: () => Promise<R>) => Promise<R>): void {
  const reading = (bytes: Uint8Array): Promise<Reading> => run(() => readBytes(bytes));

  test(`${program} reads xz content and tar archives in it`, async (t) => {
    if (!hasProgram(t, 'xz')) return;
    const plain = await reading(xz(CONTENT));
    assert.deepEqual(plain.losses, []);
    assert.ok(plain.documents[0]?.text === CONTENT);
    const tar = await packTar([{ name: 'inner', content: CONTENT }]);
    const packed = await reading(xz(tar, '-9'));
    assert.deepEqual(packed.losses, []);
    assert.ok(packed.documents[0]?.text === CONTENT);
  });

  test(`${program} reads several streams, and leaves out what is behind them`, async (t) => {
    if (!hasProgram(t, 'xz')) return;
    const streams = [xz('one\n'), Buffer.alloc(8), xz('two\n', '--check=crc32')];
    assert.equal((await reading(Buffer.concat(streams))).documents[0]?.text, 'one\ntwo\n');
    const { documents, losses } = await reading(
      Buffer.concat([xz('one\n'), Buffer.from('junk junk junk')]),
    );
    assert.equal(documents[0]?.text, 'one\n');
    assert.match(
      losses[0]?.what ?? '',
      /^- has other bytes behind|^The xz content of - is damaged/,
    );
  });

  test(`${program} delivers a cut xz stream up to the cut`, async (t) => {
    if (!hasProgram(t, 'xz')) return;
    const packed = xz(CONTENT);
    const { documents, losses } = await reading(packed.subarray(0, packed.length >> 1));
    assertBeginning(documents[0]?.text, 0.3);
    assert.match(losses[0]?.what ?? '', /^- is cut off: its xz content ends early/);
    assert.equal(losses.length, 1);
  });

  test(`${program} delivers a damaged xz stream up to the damage`, async (t) => {
    if (!hasProgram(t, 'xz')) return;
    const packed = xz(CONTENT);
    packed.fill(0x55, packed.length >> 1, (packed.length >> 1) + 64);
    const { documents, losses } = await reading(packed);
    const common = commonStart(documents[0]?.text ?? '', CONTENT);
    assert.ok(common > CONTENT.length * 0.3, `${common} of ${CONTENT.length}`);
    assert.match(losses[0]?.what ?? '', /^The xz content of - is damaged/);
  });

  test(`${program} can be left early and used again`, async (t) => {
    if (!hasProgram(t, 'xz')) return;
    const tar = await packTar([
      { name: 'a.xz', content: xz(CONTENT) },
      { name: 'b.xz', content: xz('second') },
    ]);
    const { openEvidence } = await import('./open.ts');
    const seen: string[] = [];
    await run(async () => {
      const all = openEvidence(
        ['-'],
        (loss) => seen.push(loss.what),
        undefined,
        inPieces(tar, 999),
      );
      for await (const { locator } of all) seen.push(locator);
    });
    assert.deepEqual(seen, ['-!a.xz', '-!b.xz']);
  });
}

xzCases('the xz program', (work) => work());
xzCases('the xz library', withoutPrograms);

test('the xz program reads SHA-256 checks, filters and xz inside xz', async (t) => {
  if (!hasProgram(t, 'xz')) return;
  const filtered = xz('two\n', '--x86', '--lzma2=preset=6');
  const several = Buffer.concat([xz('one\n', '--check=sha256'), filtered]);
  assert.equal((await readBytes(several)).documents[0]?.text, 'one\ntwo\n');
  const tar = await packTar([{ name: 'inner.xz', content: xz('inside') }]);
  assert.equal((await readBytes(xz(tar))).documents[0]?.text, 'inside');
});

test('the xz library tells what it cannot read', async (t) => {
  if (!hasProgram(t, 'xz')) return;
  const filtered = xz('1\n', '--x86', '--lzma2=preset=6');
  const options = await withoutPrograms(() => readBytes(filtered));
  assert.match(sentences(options), /^- uses packing options that Rollcall does not support/);
  const wide = xz('1\n', '--lzma2=dict=256MiB');
  const memory = await withoutPrograms(() => readBytes(wide));
  assert.match(
    sentences(memory),
    /^- needs more memory to unpack .* Send it through `xz -dc` first\./,
  );
  const entries = [
    { name: 'inner.xz', content: xz('inside') },
    { name: 'after', content: 'after' },
  ];
  const packed = xz(await packTar(entries));
  const nested = await withoutPrograms(() => readBytes(packed));
  assert.deepEqual(locators(nested), ['-!after']);
  assert.match(sentences(nested), /-!inner\.xz was not read: only the xz program reads xz inside/);
});

test('the programs of this machine agree', async (t) => {
  await oneProgram(t, 'zstd', ['-19', '-c']);
  await oneProgram(t, 'gzip', ['-9', '-c']);
});

async function oneProgram(
  t: TestContext,
  program: string,
  options: readonly string[],
): Promise<void> {
  if (!hasProgram(t, program)) return;
  const packed = execFileSync(program, options, { input: CONTENT, maxBuffer: 1e8 });
  const { documents, losses } = await readBytes(packed);
  assert.deepEqual(losses, []);
  assert.ok(documents[0]?.text === CONTENT);
}

test('reports a zstd window above the limit with the command that helps', async (t) => {
  if (!hasProgram(t, 'zstd')) return;
  const packed = execFileSync('zstd', ['--long=31', '-c'], { input: CONTENT, maxBuffer: 1e8 });
  // The frame header byte of the window: 2 to the power of 31.
  assert.equal(packed.readUInt32LE(0), 0xfd2fb528);
  packed[4] = 0x04;
  packed[5] = (31 - 10) << 3;
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'big.zst'), packed);
  const reading = await readAll([join(folder, 'big.zst')]);
  assert.match(sentences(reading), /needs more memory.* Run `zstd -dc --long=31 .*big\.zst \|/);
});

test('formats that are not read are named, with the command that converts them', async (t) => {
  const folder = await temporaryFolder(t);
  const samples: Readonly<Record<string, string>> = {
    'a.bz2': 'BZh91AY&SY\0\0',
    'b.7z': '7z\u00bc\u00af\u0027\u001c',
    'c.rar': 'Rar!\u001a\u0007\u0000',
    'd.lz4': '\u0004"M\u0018',
    'e.Z': '\u001f\u009d\u0090',
  };
  for (const [name, magic] of Object.entries(samples)) {
    await writeFile(join(folder, name), Buffer.from(magic, 'latin1'));
  }
  const reading = await readAll([folder]);
  assert.deepEqual(reading.documents, []);
  assert.deepEqual(
    reading.losses.map(({ what }) => /Run `(\S+)/.exec(what)?.[1]),
    ['bzip2', '7z', 'unrar', 'lz4', 'gzip'],
  );
});
