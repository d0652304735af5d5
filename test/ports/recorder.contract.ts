/** What every Recorder does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';
import type { RecordedEvent, Recorder } from '../../src/ports/recorder.ts';

export function event(atMs: number, change: Partial<RecordedEvent> = {}): RecordedEvent {
  const subject = 'i-0123456789abcdef0';
  return {
    atMs,
    receivedMs: atMs,
    cluster: 'one',
    subject,
    subjectKind: 'Machine',
    uid: null,
    kind: 'node-deleted',
    source: 'test',
    boot: null,
    skewMs: null,
    key: null,
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

export type OpenEmpty = () => Recorder | Promise<Recorder>;

/**
 * @param name of the implementation
 * @param open makes one that holds nothing
 */
export function recorderContract(name: string, open: OpenEmpty): void {
  readingContract(name, open);
  writingContract(name, open);
  repeatingContract(name, open);
  forgettingContract(name, open);
}

function readingContract(name: string, open: OpenEmpty): void {
  describe(`a recorder ${name} reads`, () => {
    test('gives back what was put in, whole', async () => {
      const recorder = await open();
      const given = event(5, {
        receivedMs: 9,
        uid: '9a0e63f2-6a3c-4b8e-9d57-0f6a2f1f8f10',
        boot: '7d1f3c55-2a3b-4c5d-8e9f-001122334455',
        skewMs: -1200,
        key: 'only-once',
        body: { text: 'é\u0000"', list: [1, null, true], deep: { a: 1.5 } },
      });
      await recorder.append([given, event(6)]);
      assert.deepEqual(await recorder.read({ cluster: 'one', limit: 10 }), [given, event(6)]);
      await recorder.close();
    });

    test('gives back in the order of time, then of arrival', async () => {
      const recorder = await open();
      await recorder.append([event(9, { kind: 'c' }), event(3, { kind: 'a' })]);
      await recorder.append([event(3, { kind: 'b' }), event(-4, { kind: 'before 1970' })]);
      const kinds = (await recorder.read({ cluster: 'one', limit: 10 })).map(({ kind }) => kind);
      assert.deepEqual(kinds, ['before 1970', 'a', 'b', 'c']);
      await recorder.close();
    });

    test('gives back only what was asked for, both ends included', async () => {
      const recorder = await open();
      await recorder.append([1, 2, 3, 4].map((atMs) => event(atMs)));
      await recorder.append([event(2, { subject: 'other' }), event(2, { cluster: 'two' })]);
      const times = async (range: object): Promise<readonly number[]> =>
        (await recorder.read({ cluster: 'one', limit: 10, ...range })).map(({ atMs }) => atMs);
      assert.deepEqual(await times({ fromMs: 2, toMs: 3 }), [2, 2, 3]);
      assert.deepEqual(await times({ subject: 'other' }), [2]);
      await recorder.append([event(7, { uid: 'a', kind: 'x' }), event(8, { uid: 'b', kind: 'y' })]);
      assert.deepEqual(await times({ uid: 'b' }), [8]);
      assert.deepEqual(await times({ uid: 'b', subject: 'other' }), []);
      assert.deepEqual(await times({ kinds: ['x', 'y'] }), [7, 8]);
      assert.deepEqual(await times({ kinds: [] }), []);
      assert.deepEqual(await times({ fromMs: 7, exceptKinds: ['x', 'z'] }), [8]);
      assert.deepEqual(await times({ fromMs: 7, exceptKinds: [] }), [7, 8]);
      assert.deepEqual(await times({ cluster: 'two' }), [2]);
      assert.deepEqual(await times({ cluster: "one' OR 1=1 --" }), []);
      await recorder.close();
    });

    test('keeps the newest of a range that is fuller than the limit', async () => {
      const recorder = await open();
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

function writingContract(name: string, open: OpenEmpty): void {
  describe(`a recorder ${name}`, () => {
    test('deletes older events in one cluster and reports how many', async () => {
      const recorder = await open();
      await recorder.append([event(1), event(2), event(3), event(1, { cluster: 'two' })]);
      assert.equal(await recorder.forgetBefore('one', 3), 2);
      assert.equal(await recorder.forgetBefore('one', 3), 0);
      assert.equal((await recorder.read({ cluster: 'one', limit: 9 })).length, 1);
      assert.equal((await recorder.read({ cluster: 'two', limit: 9 })).length, 1);
      await recorder.close();
    });

    test('takes all of a batch or nothing', async () => {
      const recorder = await open();
      const large = event(2, { body: 'x'.repeat(70_000) });
      await assert.rejects(recorder.append([event(1), large]), isFailure('invalid', /event of i-/));
      await assert.rejects(recorder.append([event(Number.NaN)]), isFailure('invalid', /event of/));
      await recorder.append([]);
      assert.deepEqual(await recorder.read({ cluster: 'one', limit: 9 }), []);
      await recorder.close();
    });

    test('says that it was closed, and may be closed twice', async () => {
      const recorder = await open();
      await recorder.close();
      await recorder.close();
      const closed = isFailure('unavailable', /is already closed/);
      await assert.rejects(recorder.append([event(1)]), closed);
      await assert.rejects(recorder.read({ cluster: 'one', limit: 1 }), closed);
    });
  });
}

function repeatingContract(name: string, open: OpenEmpty): void {
  describe(`a recorder ${name}, asked to append again`, () => {
    test('keeps the first event of a key in each cluster and counts what is new', async () => {
      const recorder = await open();
      const first = event(1, { key: 'k', kind: 'first' });
      assert.equal(await recorder.append([first, event(2, { key: 'k' }), event(2)]), 2);
      const other = event(3, { key: 'k', cluster: 'two' });
      assert.equal(await recorder.append([event(3, { key: 'k' }), other]), 1);
      assert.deepEqual(await recorder.read({ cluster: 'one', limit: 9 }), [first, event(2)]);
      assert.deepEqual(await recorder.clusters(), ['one', 'two']);
      await recorder.close();
    });

    test('keeps the last note of each id, with its events or not at all', async () => {
      const recorder = await open();
      assert.deepEqual(await recorder.clusters(), []);
      await recorder.append([], [{ cluster: 'one', id: 'a', body: { seen: 1 } }]);
      await recorder.append([event(1)], [{ cluster: 'one', id: 'a', body: { seen: 2 } }]);
      await recorder.append([], [{ cluster: 'one', id: 'b', body: 'x' }]);
      await recorder.append([], [{ cluster: 'one', id: 'b', body: null }]);
      const wrong = recorder.append(
        [event(Number.NaN)],
        [{ cluster: 'one', id: 'a', body: { seen: 3 } }],
      );
      await assert.rejects(wrong, isFailure('invalid', /event of/));
      assert.deepEqual(await recorder.notes('one'), new Map([['a', { seen: 2 }]]));
      assert.deepEqual(await recorder.notes('two'), new Map());
      assert.deepEqual(await recorder.clusters(), ['one']);
      await recorder.close();
    });

    test('keeps no secret of a body, of a note or of a name', async () => {
      const recorder = await open();
      const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
      const body = { env: `AWS_SECRET_ACCESS_KEY=${secret}`, [`token ${secret}`]: 1 };
      await recorder.append(
        [event(1, { body, subject: `password=${secret}` })],
        [{ cluster: 'one', id: 'n', body }],
      );
      const kept = JSON.stringify([
        await recorder.read({ cluster: 'one', limit: 1 }),
        [...(await recorder.notes('one'))],
      ]);
      assert.ok(kept.includes('AWS_SECRET_ACCESS_KEY'), kept);
      assert.ok(!kept.includes('wJalrXUtnFEMI'), kept);
      await recorder.close();
    });
  });
}

function forgettingContract(name: string, open: OpenEmpty): void {
  describe(`a recorder ${name} forgets`, () => {
    test('nothing that became known lately, however long ago it happened', async () => {
      const recorder = await open();
      await recorder.append([event(1, { receivedMs: 50 }), event(2)]);
      assert.equal(await recorder.forgetBefore('one', 10), 1);
      const kept = await recorder.read({ cluster: 'one', limit: 9 });
      assert.deepEqual(
        kept.map(({ atMs }) => atMs),
        [1],
      );
      await recorder.close();
    });

    test('what arrived first where there is no room, and says up to when', async () => {
      const recorder = await open();
      const body = { text: 'a few words '.repeat(80) };
      const events = Array.from({ length: 3000 }, (_, index) => event(index, { body }));
      await recorder.append(events);
      assert.deepEqual(await recorder.shrinkTo(100_000_000), { rows: 0, untilMs: null });
      const { rows, untilMs } = await recorder.shrinkTo(1_500_000);
      assert.ok(rows > 1000 && rows < 3000, `${rows} rows`);
      assert.equal(untilMs, rows - 1);
      const kept = await recorder.read({ cluster: 'one', limit: 9999 });
      assert.equal(kept.length, 3000 - rows);
      assert.equal(kept[0]?.atMs, rows);
      assert.deepEqual(await recorder.shrinkTo(1_500_000), { rows: 0, untilMs: null });
      await recorder.close();
    });
  });
}
