/** What is shortened for safety is counted and told in one line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CollectedEvidence } from '../../src/collection/document.ts';
import { firstOf } from '../../src/collection/asking.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { EVIDENCE_VERSION } from '../../src/readers/evidence-version.ts';

async function limitsTold(
  texts: readonly { readonly name: string; readonly text: string }[],
): Promise<readonly string[]> {
  const { losses } = await readTexts(texts);
  return losses.filter(({ locator }) => locator === 'limits').map(({ what }) => what);
}

function kubelet(words: string): string {
  return `Nov 22 09:40:00 ip-10-0-1-5 kubelet[3011]: E1122 09:40:00.1 3011 kubelet_node_status.go:92] ${words}`;
}

test('lines whose end is not looked at are counted', async () => {
  const long = kubelet(`"Unable to register node with API server" ${'x'.repeat(20_000)}`);
  assert.deepEqual(await limitsTold([{ name: 'a.log', text: `${long}\n${long}\n` }]), [
    'Left out for safety: 2 lines beyond their first 16,384 characters.',
  ]);
});

test('counts remarks beyond the limit and reports none when all fit', async () => {
  const texts = Array.from({ length: 230 }, (_, index) => ({
    name: `${index}.txt`,
    text: 'nothing that is known here\n',
  }));
  const [told = ''] = await limitsTold(texts);
  assert.match(told, /^Left out for safety: \d+ remarks beyond the first 200\.$/);
  assert.deepEqual(await limitsTold([{ name: 'a.log', text: kubelet('"x"') }]), []);
});

test('reports what a live look did not request', async () => {
  const shortened: { what: string; count: number }[] = [];
  const evidence: Pick<CollectedEvidence, 'shorten'> = {
    shorten: (what, count) => shortened.push({ what, count }),
  };
  const first = firstOf(evidence);
  assert.deepEqual(first([1, 2, 3], 2, 'roles'), [1, 2]);
  assert.deepEqual(first([1, 2], 2, 'keys'), [1, 2]);
  const collection = {
    apiVersion: EVIDENCE_VERSION,
    kind: 'Collection',
    at: '2026-11-22T10:00:00Z',
  };
  const text = JSON.stringify({ ...collection, shortened });
  assert.deepEqual(await limitsTold([{ name: 'collection.json', text }]), [
    'Left out for safety: 1 roles beyond the first 2.',
  ]);
});
