import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Addressed } from './clues.ts';
import { CLUES_MAX, indexClues, withClues } from './keep-clues.ts';
import { rememberedNode } from './testing.ts';

const NODE = rememberedNode();

function clueOf(detail: string, atMs: number, excerpt = detail): Addressed {
  const proof = { source: 'list events', locator: 'events/1', excerpt, atMs };
  const clue = { kind: 'disruption', detail, isById: true, proof } as const;
  return { clue, uid: 'uid-1', node: null, instanceId: null, claim: null, group: null };
}

function details(...all: readonly Addressed[]): readonly string[] {
  return withClues(NODE, indexClues(all)).clues.map(({ proof }) => proof.excerpt);
}

test('of two clues that say the same the newer one stays', () => {
  assert.deepEqual(details(clueOf('Empty', 5, 'new'), clueOf('Empty', 1, 'old')), ['new']);
  assert.deepEqual(details(clueOf('Empty', 1, 'old'), clueOf('Empty', 5, 'new')), ['new']);
});

test('of two clues at the same time the same one stays in both orders', () => {
  const [a, b] = [clueOf('Empty', 1, 'a'), clueOf('Empty', 1, 'b')];
  assert.deepEqual(details(a, b), details(b, a));
});

test('as many clues stay as may, the newest ones', () => {
  const many = Array.from({ length: CLUES_MAX + 3 }, (_, index) =>
    clueOf(`reason ${index}`, index),
  );
  const kept = details(...many);
  assert.equal(kept.length, CLUES_MAX);
  assert.equal(kept.at(-1), `reason ${CLUES_MAX + 2}`);
});
