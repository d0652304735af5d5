import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { tarOf } from './tar-writer.ts';

/** Names and texts as a library of others reads them. */
async function unpack(bytes: Iterable<Uint8Array>): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const archive = extract();
  Readable.from(bytes).pipe(archive);
  for await (const entry of archive) files[entry.header.name] = String(await buffer(entry));
  return files;
}

test('what it writes is what others read', async () => {
  const entries = [
    { name: 'rollcall/a.json', text: '{"a":1}' },
    { name: 'rollcall/empty.txt', text: '' },
    { name: 'rollcall/block.txt', text: 'x'.repeat(512) },
    { name: 'rollcall/ö.txt', text: 'grüße' },
  ];
  assert.deepEqual(await unpack(tarOf(entries)), {
    'rollcall/a.json': '{"a":1}',
    'rollcall/empty.txt': '',
    'rollcall/block.txt': 'x'.repeat(512),
    'rollcall/_.txt': 'grüße',
  });
});

test('no name leads out of the folder', async () => {
  const names = Object.keys(
    await unpack(
      tarOf([
        { name: '/etc/../../x\n', text: '' },
        { name: 'a'.repeat(100), text: '' },
      ]),
    ),
  );
  assert.deepEqual(names, ['etc/_/_/x_', 'a'.repeat(100)]);
});

test('long names that differ at their end stay apart, and fit any tar', async () => {
  const long = `rollcall/${'pod-'.repeat(40)}`;
  const entries = ['1', '2', '3'].map((end) => ({ name: `${long}${end}`, text: end }));
  const files = await unpack(tarOf(entries));
  assert.deepEqual(Object.values(files), ['1', '2', '3']);
  for (const name of Object.keys(files)) {
    assert.equal(name.length, 100);
    assert.ok(name.startsWith('rollcall/pod-pod-'));
  }
});
