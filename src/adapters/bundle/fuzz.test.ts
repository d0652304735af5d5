import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { BundleLimits } from './limits.ts';
import type { Reading } from './testing.ts';
import { hasProgram, packTar, packZip, readAll, readBytes, temporaryFolder } from './testing.ts';

const RUNS = { numRuns: 60 };
const LIMITS: Partial<BundleLimits> = { bytesMax: 32_000_000, ratioFloorBytes: 4_000_000 };

/** One change to an archive: overwrite, cut out, cut off, repeat or insert. */
interface Change {
  readonly kind: 'overwrite' | 'remove' | 'cut' | 'repeat' | 'insert';
  /** Between 0 and 1: where. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('overwrite', 'remove', 'cut', 'repeat', 'insert'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
});
const changes = fc.array(change, { minLength: 1, maxLength: 4 });

function changed(archive: Buffer, all: readonly Change[]): Buffer {
  return all.reduce((bytes: Buffer, { kind, at, bytes: piece }) => {
    const start = Math.floor(at * bytes.length);
    const end = start + piece.length;
    const before = bytes.subarray(0, start);
    switch (kind) {
      case 'overwrite':
        return Buffer.concat([before, piece, bytes.subarray(end)]);
      case 'remove':
        return Buffer.concat([before, bytes.subarray(end)]);
      case 'cut':
        return before;
      case 'repeat':
        return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
      case 'insert':
        return Buffer.concat([before, piece, bytes.subarray(start)]);
      default:
        return bytes;
    }
  }, archive);
}

/** What must hold whatever the bytes are: reading ends, and everything told can be shown. */
function assertSane({ documents, losses }: Reading): void {
  for (const { locator } of documents) assert.match(locator, /^-[^\p{Cc}\p{Cf}]*$/u);
  for (const { what } of losses) assert.match(what, /^[^\p{Cc}\p{Cf}]+\.$/u);
}

function sampleTar(): Promise<Buffer> {
  return packTar([
    { name: 'dir/', type: 'directory' },
    { name: 'dir/kubelet.log', content: 'Unauthorized\n'.repeat(100) },
    { name: `long/${'n'.repeat(200)}`, content: 'long' },
    { name: 'link', type: 'symlink', linkname: 'dir/kubelet.log' },
    { name: 'empty', content: '' },
    { name: 'inner.tgz', content: gzipSync(Buffer.alloc(3000, 'inner')) },
    { name: 'last', content: 'x'.repeat(600) },
  ]);
}

const SAMPLE_ZIP = packZip([
  { name: 'dir/', content: '' },
  { name: 'dir/a.log', content: 'Unauthorized\n'.repeat(100) },
  { name: 'stored', content: 'stored', method: 0 },
  { name: 'streamed', content: 'streamed\n'.repeat(50), isStreamed: true },
  { name: 'link', content: 'dir/a.log', mode: 0o120777 },
  { name: 'inner.gz', content: gzipSync('inner') },
]);

const MAGICS = ['', '1f8b08', '28b52ffd', '504b0304', '504b0506', '504b0708', '512a4d18'];

test('random bytes behind any magic are read to an end', async () => {
  const magic = fc.constantFrom(...MAGICS).map((hex) => Buffer.from(hex, 'hex'));
  const bytes = fc.tuple(magic, fc.uint8Array({ maxLength: 3000 }));
  const property = fc.asyncProperty(bytes, async ([start, rest]) => {
    assertSane(await readBytes(Buffer.concat([start, rest]), LIMITS));
  });
  await fc.assert(property, { numRuns: 200 });
});

test('random bytes with the magic of tar are read to an end', async () => {
  const property = fc.asyncProperty(
    fc.uint8Array({ minLength: 512, maxLength: 5000 }),
    async (rest) => {
      const bytes = Buffer.from(rest);
      bytes.write('ustar\x0000', 257);
      assertSane(await readBytes(bytes, LIMITS));
    },
  );
  await fc.assert(property, RUNS);
});

const CONTAINERS: ReadonlyArray<readonly [string, () => Promise<Buffer>]> = [
  ['tar', sampleTar],
  ['tar.gz', async () => gzipSync(await sampleTar())],
  ['tar in stored gzip', async () => gzipSync(await sampleTar(), { level: 0 })],
  ['tar.zst', async () => zstdCompressSync(await sampleTar())],
  ['zip', async () => SAMPLE_ZIP],
  ['zip in tar', async () => packTar([{ name: 'a.zip', content: SAMPLE_ZIP }])],
];

for (const [name, make] of CONTAINERS) {
  test(`a changed ${name} is read to an end`, async () => {
    const sound = await make();
    assert.deepEqual((await readBytes(sound, LIMITS)).losses.length <= 1, true);
    const property = fc.asyncProperty(
      changes,
      fc.integer({ min: 1, max: 2000 }),
      async (all, pieceBytes) => {
        assertSane(await readBytes(changed(sound, all), LIMITS, pieceBytes));
      },
    );
    await fc.assert(property, RUNS);
  });
}

test('a changed zip file is read to an end from disk', async (t) => {
  const path = join(await temporaryFolder(t), 'a.zip');
  const property = fc.asyncProperty(changes, async (all) => {
    await writeFile(path, changed(SAMPLE_ZIP, all));
    const { documents } = await readAll([path], LIMITS);
    assert.ok(documents.every(({ locator }) => locator.startsWith(path)));
  });
  await fc.assert(property, RUNS);
});

for (const hasXz of [true, false]) {
  const reader = hasXz ? 'program' : 'library';
  test(`a changed tar.xz is read to an end by the xz ${reader}`, async (t) => {
    if (!hasProgram(t, 'xz')) return;
    const sound = execFileSync('xz', ['-c'], { input: await sampleTar() });
    const { PATH } = process.env;
    if (!hasXz) process.env['PATH'] = '/nonexistent';
    t.after(() => {
      process.env['PATH'] = PATH;
    });
    const property = fc.asyncProperty(changes, async (all) => {
      assertSane(await readBytes(changed(sound, all), LIMITS));
    });
    await fc.assert(property, { numRuns: hasXz ? 20 : 60 });
  });
}

test('a cut archive delivers a beginning of what the whole one does', async () => {
  const tar = await sampleTar();
  const whole = await readBytes(tar);
  const cut = fc.asyncProperty(fc.integer({ min: 512, max: tar.length }), async (length) => {
    const part = await readBytes(tar.subarray(0, length));
    for (const [index, { locator, text }] of part.documents.entries()) {
      assert.equal(locator, whole.documents[index]?.locator);
      assert.ok(whole.documents[index]?.text.startsWith(text));
    }
    const isWhole = part.documents.length === whole.documents.length;
    assert.ok(isWhole || part.losses.length > 0, 'what is missing is told');
  });
  await fc.assert(cut, RUNS);
});

const fileName = fc
  .string({
    minLength: 1,
    maxLength: 300,
    unit: fc.constantFrom('a', 'B', '7', '-', '_', 'é', '.'),
  })
  .map((name) => `d/${name.replaceAll('.', 'o')}`);
const file = fc.record({ name: fileName, content: fc.uint8Array({ maxLength: 2000 }) });
const files = fc.array(file, { maxLength: 8 });

test('what tar-stream packs is read back, entry by entry', async () => {
  const property = fc.asyncProperty(
    files,
    fc.integer({ min: 1, max: 5000 }),
    async (all, pieceBytes) => {
      const tar = await packTar(all);
      if (all.length === 0) return;
      const { documents, losses } = await readBytes(tar, {}, pieceBytes);
      assert.deepEqual(losses, []);
      assert.deepEqual(
        documents.map(({ locator, text }) => [locator, text]),
        all.map(({ name, content }) => [`-!${name}`, Buffer.from(content).toString('latin1')]),
      );
    },
  );
  await fc.assert(property, RUNS);
});

test('reads a zip back with its directory and without', async () => {
  const property = fc.asyncProperty(files, fc.boolean(), async (all, isStreamed) => {
    const zip = packZip(all.map((entry) => ({ ...entry, isStreamed })));
    const expected = all.map(({ name, content }) => [
      `-!${name}`,
      Buffer.from(content).toString('latin1'),
    ]);
    const read = ({ documents }: Reading): unknown =>
      documents.map(({ locator, text }) => [locator, text]);
    assert.deepEqual(read(await readBytes(zip)), expected);
    if (all.length > 0) assert.deepEqual(read(await readBytes(zip.subarray(0, -22))), expected);
  });
  await fc.assert(property, RUNS);
});
