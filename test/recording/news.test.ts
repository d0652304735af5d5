import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { linesIn, lookAt, MACHINE, recordingInto, START_MS } from './looks.ts';

const REPORTED = { instanceIds: [MACHINE], atMs: START_MS, text: 'EC2 takes it back' } as const;

test('what AWS reports of a machine is recorded once, however often it is received', async () => {
  const spot = { ...REPORTED, id: 'e-1', kind: 'spot' } as const;
  const state = { ...REPORTED, id: 'e-2', kind: 'state' } as const;
  const recorder = createFakeRecorder();
  const { recording } = recordingInto(recorder);
  for (const minute of [1, 2]) await recording.take(lookAt({ minute, news: [spot, state] }));
  assert.deepEqual(
    (await linesIn(recorder)).filter((line) => line.includes('EC2 takes')),
    ['0 machine-news: EC2 takes it back'],
  );
});
