import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bracketEnds } from './bracket-ends.ts';

/** The obvious way: counts on from the line itself. */
function endAfter(lines: readonly string[], from: number): number {
  let depth = 0;
  for (const [offset, line] of lines.slice(from).entries()) {
    const outside = line.replaceAll(/"[^"]*(?:"|$)/g, '');
    depth += outside.replaceAll(/[^{[]/g, '').length - outside.replaceAll(/[^}\]]/g, '').length;
    if (depth <= 0) return from + offset + 1;
  }
  return -1;
}

test('one pass finds the same ends as looking on from every line', () => {
  const line = fc
    .array(fc.constantFrom('{', '}', '[', ']', '"', 'x'), { maxLength: 5 })
    .map((signs) => signs.join(''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const ends = bracketEnds(lines);
      assert.deepEqual(
        lines.map((_, index) => ends.after(index)),
        lines.map((_, index) => endAfter(lines, index)),
      );
    }),
    { numRuns: 500 },
  );
});

test('a bracket that nothing closes has no end', () => {
  assert.equal(bracketEnds(['{', '"}"', '[', ']']).after(0), -1);
  assert.equal(bracketEnds(['{', '"}"', '[', ']']).after(2), 4);
});
