/** A Lease proves a kubelet silent only after the time that the control plane gives it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { loadExamples } from '../causes/example.ts';

const CAUSE = 'node-heartbeat-lost';
const AT_MS = Date.parse('2026-11-21T21:15:00.000Z');
const RENEWED = '2026-11-21T20:24:06.485000Z';

/** What is found on a Node that is Unknown when its Lease was renewed so long before the look, ms. */
async function foundAfter(silentMs: number): Promise<readonly [string, boolean]> {
  const example = loadExamples([CAUSE]).find(({ name }) => name === 'found-stale-lease.txt');
  assert.ok(example !== undefined);
  const renewed = new Date(AT_MS - silentMs).toISOString();
  const files = example.files.map(({ name, text }) => ({
    name,
    text: text.replace(RENEWED, renewed),
  }));
  assert.ok(files.some(({ text }) => text.includes(renewed)));
  const { subjects } = await diagnoseTexts(files);
  const finding = subjects.flatMap(({ findings }) => findings).find(({ cause }) => cause === CAUSE);
  const quotes = (finding?.evidence ?? []).map(({ excerpt }) => excerpt);
  return [finding?.confidence ?? 'none', quotes.some((text) => text.includes('Lease'))];
}

test('a Lease renewed less than 40 s ago leaves it to what the Node says', async () => {
  for (const silentMs of [0, 10_000, 39_999])
    assert.deepEqual(await foundAfter(silentMs), ['likely', false], `${silentMs} ms`);
});

test('a Lease without a renewal for 40 s proves it and is quoted', async () => {
  for (const silentMs of [40_000, 600_000])
    assert.deepEqual(await foundAfter(silentMs), ['definite', true], `${silentMs} ms`);
});
