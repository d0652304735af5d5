import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordedAt } from '../accuracy/answers.ts';
import { pileNames, readingOf } from './recorded.ts';

const RECORD = 'where the new reading is the better one, run: node tools/accuracy.ts';

describe('every fact, name, line and loss is read as recorded', () => {
  for (const name of pileNames())
    test(name, async () => {
      const { text, path } = await readingOf(name);
      assert.equal(text, recordedAt(path), RECORD);
    });
});
