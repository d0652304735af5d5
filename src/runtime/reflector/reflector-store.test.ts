import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import { ReflectorRecord } from './reflector-record.ts';
import { keyOf, ReflectorStore, type StoredObject } from './reflector-store.ts';

function stored(value: string, version = '1', uid = 'u'): StoredObject<string> {
  return { uid, version, value };
}

test('an object is known by its namespace and name', () => {
  assert.equal(keyOf({ metadata: { name: 'a', namespace: 'shop' } }), 'shop/a');
  assert.equal(keyOf({ metadata: { name: 'a' } }), 'a');
  assert.equal(keyOf({ metadata: { namespace: 'shop', name: '' } }), null);
  assert.equal(keyOf({}), null);
});

describe('a store among versions', () => {
  test('holds the newest of more objects than it has room for', () => {
    const store = new ReflectorStore<string>(2);
    store.set('a', stored('A', '1'));
    store.set('b', stored('B', '2'));
    store.set('a', stored('A again', '3'));
    assert.deepEqual(store.set('c', stored('C', '4')), [
      { type: 'forgotten', key: 'b', value: 'B', previous: 'B' },
      { type: 'added', key: 'c', value: 'C', previous: null },
    ]);
    assert.deepEqual(store.delete('b'), []);
    assert.deepEqual([...store.values()], ['A again', 'C']);
  });

  test('knows what a listing brings unchanged, unless history may have gone back', () => {
    const store = new ReflectorStore<string>();
    const object = (resourceVersion: string) => ({ metadata: { uid: 'u', resourceVersion } });
    store.set('a', stored('A', '7'));
    assert.equal(store.unchanged('a', object('7'))?.value, 'A');
    assert.equal(store.unchanged('a', object('8')), null);
    assert.equal(store.unchanged('b', object('7')), null);
    store.doubt();
    assert.equal(store.unchanged('a', object('7')), null);
    store.replace(new Map([['a', stored('A', '7')]]));
    assert.equal(store.unchanged('a', object('7'))?.value, 'A');
  });

  test('takes the newest of a listing that is too long', () => {
    const store = new ReflectorStore<string>(2);
    store.set('x', stored('X', '5'));
    store.set('old', stored('O', '9'));
    const listing = [
      ['new', stored('N', '11')],
      ['old', stored('O', '9')],
      ['newer', stored('M', '100')],
    ] as const;
    assert.deepEqual(store.replace(new Map(listing)), [
      { type: 'deleted', key: 'x', value: 'X', previous: 'X' },
      { type: 'forgotten', key: 'old', value: 'O', previous: 'O' },
      { type: 'added', key: 'new', value: 'N', previous: null },
      { type: 'added', key: 'newer', value: 'M', previous: null },
    ]);
    assert.deepEqual([...store.values()], ['N', 'M']);
  });
});

describe('a store', () => {
  test('holds objects by their keys', () => {
    const store = new ReflectorStore<string>();
    store.set('a', stored('A'));
    store.set('b', stored('B'));
    assert.equal(store.size, 2);
    assert.deepEqual([store.get('a'), store.get('c')], ['A', undefined]);
    assert.deepEqual([...store.values()], ['A', 'B']);
    assert.deepEqual(
      [...store.entries()],
      [
        ['a', 'A'],
        ['b', 'B'],
      ],
    );
    store.delete('a');
    assert.deepEqual([store.size, store.get('a')], [1, undefined]);
  });

  test('says what each change does', () => {
    const store = new ReflectorStore<string>();
    const added = { type: 'added', key: 'a', value: 'A', previous: null };
    assert.deepEqual(store.set('a', stored('A')), [added]);
    assert.deepEqual(store.set('a', stored('B', '2')), [
      { type: 'updated', key: 'a', value: 'B', previous: 'A' },
    ]);
    assert.deepEqual(store.set('a', stored('C', '2')), []);
    assert.equal(store.get('a'), 'C');
    const deleted = { type: 'deleted', key: 'a', value: 'C', previous: 'C' };
    assert.deepEqual(store.delete('a'), [deleted]);
    assert.deepEqual(store.delete('a'), []);
  });

  test('takes an object of another uid for another object', () => {
    const store = new ReflectorStore<string>();
    store.set('a', stored('A'));
    assert.deepEqual(store.set('a', stored('B', '1', 'other')), [
      { type: 'deleted', key: 'a', value: 'A', previous: 'A' },
      { type: 'added', key: 'a', value: 'B', previous: null },
    ]);
  });

  test('takes a whole listing, first what is gone', () => {
    const store = new ReflectorStore<string>();
    for (const key of ['gone', 'same', 'new version']) store.set(key, stored(key));
    const listing = new Map([
      ['same', stored('same')],
      ['new version', stored('changed', '2')],
      ['new', stored('new')],
    ]);
    assert.deepEqual(store.replace(listing), [
      { type: 'deleted', key: 'gone', value: 'gone', previous: 'gone' },
      { type: 'updated', key: 'new version', value: 'changed', previous: 'new version' },
      { type: 'added', key: 'new', value: 'new', previous: null },
    ]);
    assert.equal(store.size, 3);
  });
});

describe('the record of a reflector', () => {
  const opened = (): { record: ReflectorRecord; pass: (ms: number) => void } => {
    let ms = 1000;
    const clock: Clock = {
      nowMs: () => ms + 50_000,
      monotonicMs: () => ms,
      sleep: () => Promise.resolve(),
    };
    return { record: new ReflectorRecord(clock), pass: (by) => (ms += by) };
  };
  const none = {
    listings: 0,
    watches: 0,
    probes: 0,
    deadWatches: 0,
    failures: 0,
    callbackErrors: 0,
    ignoredEvents: 0,
  };

  test('begins with nothing heard, and grows stale from then on', () => {
    const { record, pass } = opened();
    pass(7);
    assert.deepEqual(record.state(), {
      phase: 'starting',
      isSynced: false,
      lastContactMs: null,
      staleMs: 7,
      lastError: null,
      counts: none,
    });
  });

  test('counts, and keeps what happened last', () => {
    const { record, pass } = opened();
    record.count('listings');
    record.count('listings');
    record.enter('listing');
    pass(5);
    record.contact();
    const error = new PortError({ failure: 'denied', message: 'm' });
    record.fail(error, 'denied');
    const { phase, lastContactMs, lastError, counts } = record.state();
    assert.deepEqual([phase, lastContactMs, lastError], ['denied', 51_005, error]);
    assert.deepEqual(counts, { ...none, listings: 2, failures: 1 });
  });

  test('is current as of a time, and never of an earlier one', () => {
    const { record, pass } = opened();
    record.fail(new PortError({ failure: 'timeout', message: 'm' }), 'waiting');
    pass(10);
    record.current(1008);
    const { phase, isSynced, lastError, staleMs } = record.state();
    assert.deepEqual([phase, isSynced, lastError, staleMs], ['watching', true, null, 2]);
    record.current(1003);
    assert.equal(record.state().staleMs, 2);
  });

  test('gives a copy of its counts', () => {
    const { record } = opened();
    const { counts } = record.state();
    record.count('probes');
    assert.equal(counts.probes, 0);
    assert.equal(record.state().counts.probes, 1);
  });
});
