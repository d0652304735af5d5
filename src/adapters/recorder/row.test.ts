import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PortError } from '../../ports/port-error.ts';
import type { RecordedEvent } from '../../ports/recorder.ts';
import { noteRowOf, rowOf } from './row.ts';

const EVENT: RecordedEvent = {
  atMs: 5,
  receivedMs: 9,
  cluster: 'one',
  subject: 'node-a',
  subjectKind: 'Node',
  uid: null,
  kind: 'link',
  source: 'test',
  boot: null,
  skewMs: null,
  key: null,
  body: {},
};

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
/** A body of so many bytes as JSON, quotes included. */
const bodyOf = (bytes: number): string => 'é'.repeat((bytes - 2) / 2);

function isInvalid(words: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof PortError);
    assert.equal(error.failure, 'invalid');
    assert.match(error.message, words);
    return true;
  };
}

describe('the row of an event', () => {
  test('holds a body of 64 KiB and no larger one', () => {
    const most = rowOf({ ...EVENT, body: bodyOf(65_536) });
    assert.equal(Buffer.byteLength(most.body), 65_536);
    const larger = { ...EVENT, body: bodyOf(65_538) };
    assert.throws(() => rowOf(larger), isInvalid(/^An event of node-a is larger than 64 KiB/));
  });

  for (const field of ['atMs', 'receivedMs', 'skewMs'] as const)
    test(`needs a whole number as ${field}`, () => {
      for (const ms of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
        assert.throws(() => rowOf({ ...EVENT, [field]: ms }), isInvalid(/no whole number of ms/));
    });

  test('has every field of the event', () => {
    const event = { ...EVENT, uid: 'u', boot: 'b', skewMs: -7, key: 'k', body: { a: [1, null] } };
    assert.deepEqual(rowOf(event), { ...event, body: '{"a":[1,null]}' });
    assert.deepEqual(rowOf(EVENT), { ...EVENT, body: '{}' });
  });

  for (const field of [
    'cluster',
    'subject',
    'subjectKind',
    'uid',
    'kind',
    'source',
    'boot',
  ] as const)
    test(`has no secret, no NUL and at most 1,024 characters as ${field}`, () => {
      const named = (text: string): unknown => rowOf({ ...EVENT, [field]: text })[field];
      assert.equal(named(`password=${SECRET}`), 'password=‹redacted›');
      assert.equal(named('a\u0000b'), 'a\uFFFDb');
      for (const length of [1023, 1024])
        assert.equal(named('ab'.repeat(600).slice(0, length)), 'ab'.repeat(600).slice(0, length));
      const long = 'ab '.repeat(500);
      assert.equal(named(long), long.slice(0, 1024));
      assert.equal(named(`${long}, another`), long.slice(0, 1024));
    });

  for (const [place, body] of [
    ['its only name', { [`token ${SECRET}`]: 1 }],
    ['a name below a list', [[{ [`token ${SECRET}`]: 1 }]]],
    ['a name below a name', { plain: { other: { [`token ${SECRET}`]: 1 } } }],
    ['a name behind a plain one', { plain: 1, [`token ${SECRET}`]: 1 }],
    ['a value', { plain: [`token=${SECRET}`] }],
    ['a long name', { [`${'words '.repeat(300)}token=${SECRET}`]: 1 }],
  ] as const)
    test(`has no secret in its body, where that is in ${place}`, () => {
      for (const _ of ['seen first', 'seen again']) {
        const { body: text } = rowOf({ ...EVENT, body });
        assert.ok(!text.includes('wJalr') && text.includes('‹redacted›'), text);
      }
    });
});

describe('the row of a note', () => {
  const note = (body: string | null): string | null =>
    noteRowOf({ cluster: 'one', id: `password=${SECRET}`, body });

  test('holds 64 KiB and no more, and the refusal names no secret', () => {
    assert.equal(note(bodyOf(65_536))?.length, 2 + 65_534 / 2);
    assert.throws(
      () => note(bodyOf(65_538)),
      isInvalid(/^A note of password=‹redacted› is larger/),
    );
  });

  test('is null for one that is to be forgotten', () => assert.equal(note(null), null));
});
