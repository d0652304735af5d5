import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Happening } from '../../src/collection/recording/change.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { linesIn, lookAt, node, recordingInto, warning } from './looks.ts';

const AWAY = new PortError({ failure: 'unreachable', message: 'No answer from db.example.com.' });
const LAST_WORD: Happening = {
  atMs: Date.parse('2026-05-01T10:02:00Z'),
  subject: 'i-0abc',
  subjectKind: 'Instance',
  kind: 'evidence',
  source: 'console',
  parts: ['i-0abc'],
  what: 'the end of its console',
};

test('a recorder out of reach at the start is tried with each look, and the time before is a gap', async () => {
  const recorder = createFakeRecorder();
  const { recording, said } = recordingInto({
    ...recorder,
    notes: (cluster) => (isAway ? Promise.reject(AWAY) : recorder.notes(cluster)),
  });
  let isAway = true;
  await recording.take(lookAt({ minute: 2 }));
  await recording.take(lookAt({ minute: 3 }));
  isAway = false;
  await recording.take(lookAt({ minute: 4 }));
  assert.deepEqual(said, ['Not recording yet: No answer from db.example.com.']);
  assert.ok(
    (await linesIn(recorder)).includes(
      '2 gap: GAP until 2026-05-01T10:04:00Z: the record was out of reach',
    ),
  );
});

test('a recorder out of reach at the start loses nothing of what came meanwhile', async () => {
  const recorder = createFakeRecorder();
  const { recording } = recordingInto({
    ...recorder,
    notes: (cluster) => (isAway ? Promise.reject(AWAY) : recorder.notes(cluster)),
  });
  let isAway = true;
  const came = lookAt({ minute: 2 });
  await recording.take({ ...came, lastWords: [LAST_WORD] });
  isAway = false;
  // A Node is handed over once, when it came.
  const next = lookAt({ minute: 3 });
  await recording.take({ ...next, seen: { ...next.seen, nodes: [] } });
  const lines = await linesIn(recorder);
  assert.ok(
    lines.some((line) => line.startsWith('0 node-created')),
    lines.join('\n'),
  );
  assert.ok(lines.includes(`2 evidence: ${LAST_WORD.what}`), lines.join('\n'));
});

test('a recorder out of reach in the middle keeps rows waiting and loses none', async () => {
  const recorder = createFakeRecorder();
  const { recording, said } = recordingInto(recorder);
  await recording.take(lookAt({ minute: 2 }));
  recorder.failWith(AWAY);
  await recording.take(lookAt({ minute: 3, nodes: [node({ ready: 'False', changed: 3 })] }));
  await recording.take(lookAt({ minute: 4, nodes: [] }));
  recorder.failWith(null);
  await recording.take(lookAt({ minute: 5, nodes: [] }));
  const kinds = (await linesIn(recorder)).map((line) => line.replace(/:.*/, ''));
  assert.deepEqual(kinds, [
    '0 node-created',
    '1 condition',
    '3 condition',
    '3 evidence',
    '4 node-deleted',
  ]);
  assert.deepEqual(said, [
    'Recording is interrupted: No answer from db.example.com. What is seen waits.',
    'Recording continues: 3 rows that waited are written.',
  ]);
});

test('a recorder out of reach for longer than rows may wait leaves a gap with the number of rows', async () => {
  const recorder = createFakeRecorder();
  const { recording } = recordingInto(recorder);
  await recording.take(lookAt({ minute: 2 }));
  recorder.failWith(AWAY);
  for (let minute = 3; minute < 8; minute++) {
    const events = Array.from({ length: 5000 }, (_, index) =>
      warning({ uid: `e${minute}-${index}`, at: minute }),
    );
    await recording.take(lookAt({ minute, events }));
  }
  recorder.failWith(null);
  await recording.take(lookAt({ minute: 9 }));
  const lines = await recorder.read({ cluster: 'shop', limit: 100_000 });
  const gaps = lines.filter(({ kind }) => kind === 'gap');
  assert.equal(lines.filter(({ kind }) => kind === 'event').length, 20_000);
  assert.match(JSON.stringify(gaps.map(({ body }) => body)), /5,000 rows could not be written/);
});

test('a recorder out of reach with a failure that no later try survives ends the recording', async () => {
  const recorder = createFakeRecorder();
  const { recording } = recordingInto(recorder);
  recorder.failWith(new PortError({ failure: 'denied', message: 'may only be read.' }));
  await assert.rejects(recording.take(lookAt({ minute: 2 })), /may only be read/);
});
