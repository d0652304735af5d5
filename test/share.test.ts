import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as Share from './share.ts';

const VARIABLE = 'ROLLCALL_TEST_TURN';
const before = process.env[VARIABLE];
after(() => {
  if (before === undefined) delete process.env[VARIABLE];
  else process.env[VARIABLE] = before;
});

/** The module as a process sees it that `npm test` gave this turn. */
async function inTurn(turn: string): Promise<typeof Share> {
  process.env[VARIABLE] = turn;
  const address = new URL(`./share.ts?turn=${turn}`, import.meta.url);
  return (await import(address.href)) as typeof Share;
}

const CASES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

async function ran(turn: string, of: number): Promise<readonly string[]> {
  const shared = (await inTurn(turn)).sharedTests(of, 2);
  return CASES.filter(() => shared.test === test);
}

test('as many turns as there are shares run each case once', async () => {
  const turns: (readonly string[])[] = [];
  for (const turn of ['7', '8', '9']) turns.push((await inTurn(turn)).shareOf(CASES, 3));
  assert.deepEqual(turns.flat().toSorted(), CASES);
});

test('as many turns as there are shares run each test of a file once', async () => {
  const turns = [await ran('7', 3), await ran('8', 3), await ran('9', 3)];
  assert.deepEqual(turns.flat().toSorted(), CASES);
  for (const turn of turns) assert.ok(turn.length >= 2);
});

test('every test of a file runs where no turn is given', async () => {
  assert.deepEqual(await ran('', 3), CASES);
});
