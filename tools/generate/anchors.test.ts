import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGNS } from '../../src/causes/index.generated.ts';
import { anchorFaults } from './anchors.ts';

test('names the sign whose anchor is too short or breaks a line', () => {
  assert.deepEqual(
    anchorFaults([
      { owner: 'a', name: 'good', anchors: ['register node'] },
      { owner: 'a', name: 'short', anchors: ['register node', ' CA'] },
      { owner: 'symptom:b', name: '0', anchors: ['two\nlines'] },
      { owner: 'c', name: 'bare', anchors: [] },
    ]),
    [
      'a/short: Anchor " CA" cannot be scanned for: it needs at least 4 bytes and no line end.',
      'symptom:b/0: Anchor "two\\nlines" cannot be scanned for: it needs at least 4 bytes and no line end.',
      'c/bare: its expression has no literal to look for; give it anchors.',
    ],
  );
});

test('counts bytes, not letters', () => {
  assert.deepEqual(anchorFaults([{ owner: 'a', name: 'wide', anchors: ['éé'] }]), []);
});

test('finds no fault in the index as it stands', () => {
  assert.deepEqual(anchorFaults(SIGNS), []);
});
