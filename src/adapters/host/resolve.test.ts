import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { resolveName } from './resolve.ts';
import { failsWith, handClock } from './testing.ts';

/** A test that waits for what never comes fails soon. */
const LIMIT = { timeout: 3000 };

test('a name is looked up as the machine does, each address once', LIMIT, async () => {
  const found = await resolveName('localhost', 5000, handClock());
  assert.ok(found.every((address) => address === '127.0.0.1' || address === '::1'));
  assert.ok(found.length > 0);
  assert.equal(new Set(found).size, found.length);
  assert.deepEqual(await resolveName('127.0.0.1', 5000, handClock()), ['127.0.0.1']);
});

test('only a host name is looked up', LIMIT, async () => {
  const names = ['', '--help', '.a', 'a b', 'a/b', 'a;id', 'ä', `a${'b'.repeat(253)}`, 'a\n'];
  for (const name of names) {
    const words = `${JSON.stringify(name.slice(0, 100))} is not a host name.`;
    await assert.rejects(resolveName(name, 5000, handClock()), failsWith('invalid', words));
  }
});

test('a name that nobody knows is not found', LIMIT, async () => {
  const words = 'nothing.invalid is a name that the resolver does not know.';
  await assert.rejects(
    resolveName('nothing.invalid', 5000, handClock()),
    failsWith('not-found', words),
  );
});

test('a look-up ends at its limit', LIMIT, async () => {
  const clock = handClock();
  const found = resolveName('localhost', 2000, clock);
  const ended = assert.rejects(
    found,
    failsWith('timeout', 'The look-up of localhost did not answer within 2 s.'),
  );
  while (clock.sleeping() === 0) await pause(1);
  clock.pass(2000);
  await ended;
});
