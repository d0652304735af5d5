import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeExample } from './judge.ts';
import { loadExamples } from './example.ts';

const only = (process.env['ROLLCALL_CAUSES'] ?? '').split(',').filter((id) => id !== '');

describe('examples of the causes, each against all causes', () => {
  for (const example of loadExamples(only)) {
    test(`${example.stage}/${example.cause}/examples/${example.name}`, async () => {
      assert.deepEqual(await judgeExample(example), []);
    });
  }
});
