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
        { name: 'a'.repeat(300), text: '' },
      ]),
    ),
  );
  assert.deepEqual(names, ['etc/_/_/x_', 'a'.repeat(100)]);
});
