import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answerTo, answerToLive, type Recorded, recordedAt } from './answers.ts';
import { loadCases } from './cases.ts';
import { LIVE_STATES } from './live/states.ts';

const RECORD = 'where the new answer is the better one, run: node tools/accuracy.ts';

function assertAsRecorded({ text, path }: Recorded): void {
  assert.equal(text, recordedAt(path), RECORD);
}

describe('every word and every line of evidence is as recorded', () => {
  for (const one of loadCases()) {
    test(one.name, async () => assertAsRecorded(await answerTo(one)));
  }
  for (const state of LIVE_STATES) {
    test(`${state.id}, live`, async () => assertAsRecorded(await answerToLive(state)));
  }
});
