/** What every Recorder does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';
import type { RecordedEvent, Recorder } from '../../src/ports/recorder.ts';

export function event(atMs: number, change: Partial<RecordedEvent> = {}): RecordedEvent {
  const subject = 'i-0123456789abcdef0';
  return {
    atMs,
    cluster: 'one',
    subject,
    kind: 'node-deleted',
    source: 'test',
    body: {},
    ...change,
  };
}

export function isFailure(failure: PortFailure, message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof PortError);
    assert.equal(error.failure, failure);
    assert.match(error.message, message);
    assert.match(error.message, /^[^\n]+\.$/);
    return true;
  };
}

/**
 * @param name of the implementation
 * @param open makes one that holds nothing
 */
export function recorderContract(name: string, open: () => Recorder): void {
  readingContract(name, open);
  writingContract(name, open);
}

function readingContract(name: string, open: () => Recorder): void {
  describe(`a recorder ${name} reads`, () => {
    test('gives back what was put in, whole', async () => {
      const recorder = open();
      const given = event(5, {
        body: { text: 'é\u0000"', list: [1, null, true], deep: { a: 1.5 } },
      });
      await recorder.append([given]);
      assert.deepEqual(await recorder.read({ cluster: 'one', limit: 10 }), [given]);
      await recorder.close();
    });

    test('gives back in the order of time, then of arrival', async () => {
      const recorder = open();
      await recorder.append([event(9, { kind: 'c' }), event(3, { kind: 'a' })]);
      await recorder.append([event(3, { kind: 'b' }), event(-4, { kind: 'before 1970' })]);
      const kinds = (await recorder.read({ cluster: 'one', limit: 10 })).map(({ kind }) => kind);
      assert.deepEqual(kinds, ['before 1970', 'a', 'b', 'c']);
      await recorder.close();
    });

    test('gives back only what was asked for, both ends included', async () => {
      const recorder = open();
      await recorder.append([1, 2, 3, 4].map((atMs) => event(atMs)));
      await recorder.append([event(2, { subject: 'other' }), event(2, { cluster: 'two' })]);
      const times = async (range: object): Promise<readonly number[]> =>
        (await recorder.read({ cluster: 'one', limit: 10, ...range })).map(({ atMs }) => atMs);
      assert.deepEqual(await times({ fromMs: 2, toMs: 3 }), [2, 2, 3]);
      assert.deepEqual(await times({ subject: 'other' }), [2]);
      assert.deepEqual(await times({ cluster: 'two' }), [2]);
      assert.deepEqual(await times({ cluster: "one' OR 1=1 --" }), []);
      await recorder.close();
    });

    test('keeps the newest of a range that is fuller than the limit', async () => {
      const recorder = open();
      await recorder.append(Array.from({ length: 500 }, (_, index) => event(index)));
      const found = await recorder.read({ cluster: 'one', limit: 3 });
      assert.deepEqual(
        found.map(({ atMs }) => atMs),
        [497, 498, 499],
      );
      assert.deepEqual(await recorder.read({ cluster: 'one', limit: 0 }), []);
      await recorder.close();
    });
  });
}

function writingContract(name: string, open: () => Recorder): void {
  describe(`a recorder ${name}`, () => {
    test('deletes older events in one cluster and reports how many', async () => {
      const recorder = open();
      await recorder.append([event(1), event(2), event(3), event(1, { cluster: 'two' })]);
      assert.equal(await recorder.forgetBefore('one', 3), 2);
      assert.equal(await recorder.forgetBefore('one', 3), 0);
      assert.equal((await recorder.read({ cluster: 'one', limit: 9 })).length, 1);
      assert.equal((await recorder.read({ cluster: 'two', limit: 9 })).length, 1);
      await recorder.close();
    });

    test('takes all of a batch or nothing', async () => {
      const recorder = open();
      const large = event(2, { body: 'x'.repeat(70_000) });
      await assert.rejects(recorder.append([event(1), large]), isFailure('invalid', /event of i-/));
      await assert.rejects(recorder.append([event(Number.NaN)]), isFailure('invalid', /event of/));
      await recorder.append([]);
      assert.deepEqual(await recorder.read({ cluster: 'one', limit: 9 }), []);
      await recorder.close();
    });

    test('says that it was closed, and may be closed twice', async () => {
      const recorder = open();
      await recorder.close();
      await recorder.close();
      const closed = isFailure('unavailable', /is already closed/);
      await assert.rejects(recorder.append([event(1)]), closed);
      await assert.rejects(recorder.read({ cluster: 'one', limit: 1 }), closed);
    });
  });
}
