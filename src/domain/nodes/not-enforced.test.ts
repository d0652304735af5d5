import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notEnforcedOn, notEnforcedText, readNotEnforced } from './not-enforced.ts';

const TAINT = { key: 'readiness.k8s.io/workers', effect: 'NoSchedule' };
const TEXT = notEnforcedText('uid-1', '2026-11-20T09:30:21Z', TAINT);
const AT_MS = Date.UTC(2026, 10, 20, 9, 30, 21);

test('what a gate keeps of a node that came without its taint reads as it was written', () => {
  assert.deepEqual(readNotEnforced(TEXT), { nodeUid: 'uid-1', atMs: AT_MS, taint: TAINT });
  for (const text of ['', 'uid-1', 'uid-1 at=noon taint=a/b:NoSchedule', `${TEXT} more`])
    assert.equal(readNotEnforced(text), null, text);
});

test('only annotations of gates count, and of this very Node', () => {
  const annotations = {
    'gate.rollcall.dev/g-1.not-enforced': TEXT,
    'gate.rollcall.dev/g-2.not-enforced': TEXT.replace('uid-1', 'uid-0'),
    'gate.rollcall.dev/g-1': 'uid-1 boot=b at=2026-11-20T09:31:40Z',
    'example.com/g-1.not-enforced': TEXT,
  };
  assert.equal(notEnforcedOn({ uid: 'uid-1', annotations }).length, 1);
  assert.equal(notEnforcedOn({ uid: 'uid-2', annotations }).length, 0);
  // A source that shows no UID shows both.
  assert.equal(notEnforcedOn({ uid: null, annotations }).length, 2);
});
