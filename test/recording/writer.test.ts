import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordWriter } from '../../src/collection/recording/writer.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { event } from '../ports/recorder.contract.ts';

const MOMENT = { cluster: 'one', nowMs: 0, skewMs: null };

/** What a writer does with rows of one kind: the sizes of its transactions, and its turns. */
async function written(count: number, kind: string): Promise<readonly (number | 'turn')[]> {
  const recorder = createFakeRecorder();
  const steps: (number | 'turn')[] = [];
  const writer = new RecordWriter({
    recorder: {
      ...recorder,
      append: async (events, notes) => {
        steps.push(events.length);
        return recorder.append(events, notes);
      },
    },
    say: assert.fail,
    turn: async () => void steps.push('turn'),
  });
  writer.add(
    Array.from({ length: count }, (_, index) => event(index, { kind })),
    new Map(),
  );
  assert.equal(await writer.flush(MOMENT), true);
  assert.equal((await recorder.read({ cluster: 'one', limit: 10_000 })).length, count);
  return steps;
}

test('between two transactions others have their turn', async () => {
  assert.deepEqual(await written(600, 'event'), ['turn', 250, 'turn', 250, 'turn', 100]);
});

test('rows of evidence are large, so that few of them make a transaction', async () => {
  assert.deepEqual(await written(12, 'cut-part'), ['turn', 5, 'turn', 5, 'turn', 2]);
});

test('without rows there is nothing to write', async () => {
  assert.deepEqual(await written(0, 'event'), []);
});
