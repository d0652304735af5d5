import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { packTar } from '../../src/adapters/bundle/testing.ts';
import { openEvidence } from '../../src/adapters/bundle/open.ts';
import { createScanning } from '../../src/adapters/scanning/scanning.ts';
import { readPile } from '../../src/engine/pile.ts';

/** A document that is no list of items, so that all of it is held before it is read. */
function heldDocument(): string {
  const values = Array.from({ length: 300_000 }, (_, rank) => `  key${rank}: 'value ${rank}'`);
  const names = `  mapRoles: |\n    - rolearn: arn:aws:iam::111122223333:role/node\n`;
  return [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    '  name: aws-auth',
    '  namespace: kube-system',
    'data:',
    names,
    ...values,
    '',
  ].join('\n');
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

test('a document that is held whole loses nothing while it comes out of an archive', async () => {
  const content = heldDocument();
  assert.ok(content.length > 8_000_000);
  const packed = gzipSync(await packTar([{ name: 'aws-auth.yaml', content }]));
  const alone = await readPile([
    { locator: 'alone', container: null, chunks: [new TextEncoder().encode(content)] },
  ]);
  const losses: string[] = [];
  const open = openEvidence(['-'], ({ what }) => losses.push(what), undefined, once(packed));
  const unpacked = await readPile(open, [], createScanning);
  assert.deepEqual(losses, []);
  assert.deepEqual(
    unpacked.facts.map(({ kind, value }) => ({ kind, value })),
    alone.facts.map(({ kind, value }) => ({ kind, value })),
  );
  assert.ok(unpacked.facts.some(({ kind }) => kind === 'kube/aws-auth'));
});
