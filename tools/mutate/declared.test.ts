import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Declarations, Session } from './declared.ts';

test('a test ends at its own limit, and at that of the run where it has none or a later one', () => {
  const declarations = new Declarations('a.test.ts');
  for (const options of [{ timeout: 30 }, {}, { timeout: 60_000 }])
    declarations.test('waits', options, () => undefined);
  assert.deepEqual(
    declarations.tests.map(({ limitMs }) => limitMs),
    [30, 20_000, 20_000],
  );
});

test('a test that does not end fails', async (context) => {
  // What is under way could still end the test, so that only the limit does.
  const underWay = setInterval(() => undefined, 5);
  context.after(() => clearInterval(underWay));
  const declarations = new Declarations('a.test.ts');
  declarations.test('waits', { timeout: 30 }, async () => new Promise(() => undefined));
  const [waiting] = declarations.tests;
  assert.ok(waiting !== undefined);
  await assert.rejects(new Session().run(waiting), /the test does not end/);
});
