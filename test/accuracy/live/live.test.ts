import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lookTwice } from './look.ts';
import { LIVE_STATES } from './states.ts';

describe('states of both APIs', () => {
  for (const state of LIVE_STATES) {
    test(`${state.id} ${state.title}: shows what proves it, and is the same from what was saved`, async () => {
      const { printed, live, saved } = await lookTwice(state);
      assert.deepEqual(
        state.shows.filter((words) => !printed.includes(words)),
        [],
      );
      assert.ok(Object.keys(live).length > 1, 'nothing was seen');
      assert.deepEqual(saved, live);
    });
  }
});
