import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../../src/runtime/within.ts';
import { virtualClock } from '../ports/fake/clock.ts';

const late = (): Error => new Error('late');

test('an answer in time is passed on, and no timer stays', async () => {
  const clock = virtualClock();
  const signal = new AbortController().signal;
  const answer = within({ clock, durationMs: 100, signal, late }, async () => 7);
  assert.equal(await answer, 7);
  assert.equal(clock.sleeping(), 0);
});

test('a call that does not listen is left when its time is over', async () => {
  const clock = virtualClock();
  const signal = new AbortController().signal;
  const seen: AbortSignal[] = [];
  const deaf = async (inner: AbortSignal): Promise<void> => {
    seen.push(inner);
    await clock.sleep(1e6);
  };
  const refused = assert.rejects(
    within({ clock, durationMs: 100, signal, late }, deaf),
    /^Error: late$/,
  );
  await clock.advance(99);
  assert.equal(seen[0]?.aborted, false);
  await clock.advance(1);
  await refused;
  assert.deepEqual(
    seen.map(({ aborted }) => aborted),
    [true],
  );
});

test('an abort ends the call with its reason, also one from before', async () => {
  const clock = virtualClock();
  const stop = new AbortController();
  const limit = { clock, durationMs: 100, signal: stop.signal, late };
  const refused = assert.rejects(
    within(limit, async (inner) => clock.sleep(1e6, inner)),
    /^Error: stop$/,
  );
  stop.abort(new Error('stop'));
  await refused;
  assert.equal(clock.sleeping(), 0);
  await assert.rejects(
    within(limit, async () => assert.fail('it was called')),
    /^Error: stop$/,
  );
});
