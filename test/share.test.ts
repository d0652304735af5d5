import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type * as Share from './share.ts';

const VARIABLE = 'ROLLCALL_TEST_TURN';
const WIDTH_VARIABLE = 'ROLLCALL_TEST_WIDTH';
const before = { [VARIABLE]: process.env[VARIABLE], [WIDTH_VARIABLE]: process.env[WIDTH_VARIABLE] };
after(() => {
  for (const [name, value] of Object.entries(before))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

/** The module as a process sees it that `npm test` gave this turn, and CI more than one share. */
async function inTurn(turn: string, width = 1): Promise<typeof Share> {
  process.env[VARIABLE] = turn;
  process.env[WIDTH_VARIABLE] = String(width);
  const address = new URL(`./share.ts?turn=${turn}&width=${width}`, import.meta.url);
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

test('CI runs so many shares of a set, and all of them in fewer turns', async () => {
  const first = (await inTurn('7', 2)).shareOf(CASES, 4);
  const next = (await inTurn('8', 2)).shareOf(CASES, 4);
  assert.deepEqual([...first, ...next].toSorted(), CASES);
});

test('CI runs a set whole that has no more shares, or that is named so', async () => {
  const { shareOf, shareButInCi } = await inTurn('7', 4);
  assert.deepEqual([shareOf(CASES, 4), shareButInCi(CASES, 7)], [CASES, CASES]);
  assert.equal((await inTurn('7')).shareButInCi(CASES, 7).length, 1);
});
