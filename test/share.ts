/**
 * Which part of a long set of cases runs: all of it, one share of it where many others run too, or
 * in CI some shares of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

const given = process.env['ROLLCALL_TEST_TURN'] ?? '';

/** A number that `npm test` gives, another one at each commit; null where all of a set runs. */
export const TURN = given === '' ? null : Number(given);

/** How many of a set's shares run in this turn: 1, and more in CI. */
export const WIDTH = Number(process.env['ROLLCALL_TEST_WIDTH'] ?? 1);

/** Whether this is CI's turn, in which some sets run whole. */
export const IS_WIDE = TURN !== null && WIDTH > 1;

/**
 * One case in `of`, each of them once in as many turns; cases of one kind stand beside each other,
 * so that some of each kind run every time.
 *
 * @param at where the set's own turn begins, so that sets of one table do not leave out the same
 */
export function shareOf<T>(cases: readonly T[], of: number, at = 0): readonly T[] {
  return cases.filter((_, index) => isTurnOf(index + at, of));
}

function isTurnOf(index: number, of: number): boolean {
  return TURN === null || (index + TURN * WIDTH) % of < WIDTH;
}

/** As `shareOf`, for a set that CI runs whole. */
export function shareButInCi<T>(cases: readonly T[], of: number): readonly T[] {
  return IS_WIDE ? cases : shareOf(cases, of);
}

/** Says how many of how many ran, which `npm test` prints; nothing when all of them did. */
export function tellShare(what: string, ran: number, all: number): void {
  if (TURN === null || ran === all) return;
  test(`a share of ${what} runs`, (t) => {
    assert.ok(ran > 0);
    t.diagnostic(`${ran} of ${all} ${what} ran; npm test -- --whole runs all`);
  });
}

/** The tests of one file, of which a share runs. */
export interface SharedTests {
  /** `test` where the next one runs in this turn. Read it once for each test. */
  readonly test: typeof test;
  /** Behind the last test: says how many of how many ran. */
  readonly tell: (what: string) => void;
}

/**
 * Runs one test in `of`, each of them once in as many turns. The runner names the line that calls
 * `test`, so that the file calls it itself.
 *
 * @param at as for `shareOf`
 */
export function sharedTests(of: number, at = 0): SharedTests {
  let all = 0;
  let ran = 0;
  const leftOut = (async () => undefined) as unknown as typeof test;
  return {
    get test() {
      const runs = isTurnOf(all + at, of);
      all += 1;
      if (runs) ran += 1;
      return runs ? test : leftOut;
    },
    tell: (what) => tellShare(what, ran, all),
  };
}
