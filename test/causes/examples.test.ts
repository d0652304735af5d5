import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ASKED } from './asked.ts';
import { judgeExample } from './judge.ts';
import { loadExamples } from './example.ts';

describe('examples of the causes, each against all causes', () => {
  for (const example of loadExamples(ASKED)) {
    test(`${example.stage}/${example.cause}/examples/${example.name}`, async () => {
      assert.deepEqual(await judgeExample(example), []);
    });
  }
});
