import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotationsAt } from './annotations.ts';

test('of a long annotation only its length is kept', () => {
  const annotations = { short: 'a', limit: 'b'.repeat(4096), long: 'c'.repeat(4097), none: 1 };
  assert.deepEqual(annotationsAt({ metadata: { annotations } }), {
    short: 'a',
    limit: 'b'.repeat(4096),
    long: '(4097 characters)',
  });
  assert.deepEqual(annotationsAt({}), {});
});
