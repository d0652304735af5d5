import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationMs } from '../../src/evidence/duration.ts';
import { capture } from './capture.ts';

test('durations are read as people write them', () => {
  assert.deepEqual(
    ['90s', '15m', '2h', '1d', '', '5', 'm', '-1h', '1.5h', '9999999s'].map(durationMs),
    [90_000, 900_000, 7_200_000, 86_400_000, null, null, null, null, null, null],
  );
});

test('mistakes in the flags of a live command are named before anything is asked', async () => {
  const cases = [
    [
      ['diagnose', '--since', 'yesterday'],
      /--since takes a time such as 30s, 15m, 2h or 1d, not "yesterday"/,
    ],
    [['diagnose', '--host', 'node-a'], /--host diagnoses this machine/],
    [['diagnose', 'node-a', 'docs/'], /no such file: "node-a"/],
  ] as const;
  for (const [argv, message] of cases) {
    const { code, err } = await capture([...argv]);
    assert.equal(code, 64);
    assert.match(err, message);
  }
});
