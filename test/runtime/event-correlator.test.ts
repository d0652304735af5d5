import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  EventCorrelator,
  type EventNote,
  type EventSubject,
} from '../../src/runtime/events/event-correlator.ts';
import { RecentMap } from '../../src/runtime/recent-map.ts';

const MINUTE_MS = 60_000;
const NODE: EventSubject = {
  apiVersion: 'v1',
  kind: 'Node',
  namespace: null,
  name: 'n1',
  uid: 'u1',
};

function note(message: string, change: Partial<EventNote> = {}): EventNote {
  return { about: NODE, type: 'Warning', reason: 'AwsAuthMissing', message, ...change };
}

/** `count message` of each, one after another at the same time. */
function all(correlator: EventCorrelator, notes: readonly EventNote[], nowMs = 0): string[] {
  return notes.map((one) => {
    const event = correlator.correlate(one, nowMs);
    return event === null ? 'filtered' : `${event.count} ${event.note.message}`;
  });
}

test('the same note counts up, and another one is another Event', () => {
  const correlator = new EventCorrelator();
  const notes = [
    note('a'),
    note('a'),
    note('b'),
    note('a', { reason: 'Other' }),
    note('a', { type: 'Normal' }),
    note('a', { about: { ...NODE, uid: 'u2' } }),
    note('a'),
  ];
  assert.deepEqual(all(correlator, notes), ['1 a', '2 a', '1 b', '1 a', '1 a', '1 a', '3 a']);
});

test('the same note after ten minutes is a new Event', () => {
  const correlator = new EventCorrelator();
  const at = (minutes: number): number | undefined =>
    correlator.correlate(note('a'), minutes * MINUTE_MS)?.count;
  assert.deepEqual([at(0), at(10), at(20), at(30.1)], [1, 2, 3, 1]);
});

test('more than ten messages of one reason become one Event with the last message', () => {
  const correlator = new EventCorrelator();
  const notes = Array.from({ length: 13 }, (_, n) => note(`m${n}`));
  const seen = all(correlator, notes);
  assert.deepEqual(seen.slice(9), [
    '1 m9',
    '1 (combined from similar events): m10',
    '2 (combined from similar events): m11',
    '3 (combined from similar events): m12',
  ]);
  assert.deepEqual(all(correlator, [note('m3')]), ['2 m3']);
  assert.deepEqual(all(correlator, [note('m0', { reason: 'Other' })]), ['1 m0']);
});

test('messages are similar as long as one comes every ten minutes', () => {
  const correlator = new EventCorrelator();
  for (let n = 0; n < 10; n++) correlator.correlate(note(`m${n}`), n * 9 * MINUTE_MS);
  const [seen] = all(correlator, [note('x')], 90 * MINUTE_MS);
  assert.equal(seen, '1 (combined from similar events): x');
});

test('messages stop being similar when none came for ten minutes', () => {
  const correlator = new EventCorrelator();
  const notes = Array.from({ length: 10 }, (_, n) => note(`m${n}`));
  all(correlator, notes);
  assert.deepEqual(all(correlator, [note('x')], 10 * MINUTE_MS + 1), ['1 x']);
});

test('an object has 25 notes at once, and then one in five minutes', () => {
  const correlator = new EventCorrelator();
  const notes = Array.from({ length: 27 }, () => note('a'));
  assert.deepEqual(all(correlator, notes).slice(24), ['25 a', 'filtered', 'filtered']);
  assert.deepEqual(all(correlator, [note('b', { reason: 'Other' })]), ['filtered']);
  const other = note('a', { about: { ...NODE, name: 'n2' } });
  assert.deepEqual(all(correlator, [other]), ['1 a']);
  assert.deepEqual(all(correlator, [note('a')], 5 * MINUTE_MS - 1), ['filtered']);
  assert.deepEqual(all(correlator, [note('a'), note('a')], 5 * MINUTE_MS), ['26 a', 'filtered']);
});

test('tokens are not saved beyond the burst', () => {
  const correlator = new EventCorrelator();
  correlator.correlate(note('a'), 0);
  const notes = Array.from({ length: 26 }, () => note('b'));
  assert.deepEqual(all(correlator, notes, 1e9).slice(24), ['25 b', 'filtered']);
});

test('a map of recent entries forgets what was set longest ago', () => {
  const map = new RecentMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [3, undefined, 4]);
  map.delete('a');
  map.set('d', 5);
  assert.deepEqual([map.get('a'), map.get('c'), map.get('d')], [undefined, 4, 5]);
});
