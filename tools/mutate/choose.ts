/** Which tests a mutant is given: the nearest first, then those that killed most, within a budget of time. */
import { basename, dirname } from 'node:path';
import type { Mutant } from './instrument.ts';
import type { KnownTest, Reach } from './messages.ts';

/** Room enough for all close tests; of a thousand examples a mutant meets a fair sample. */
const BUDGET_MS = 2000;

/** Tests that killed others are given the part of the budget that a sample leaves. */
const SAMPLE_MS = 1000;

/** How many mutants each test killed so far, by its name. */
export type Kills = ReadonlyMap<string, number>;

export interface Chosen {
  readonly tests: readonly number[];
  readonly ms: number;
}

/** @param reaching numbers of the tests that reach the mutant */
export function choose(
  reach: Reach,
  mutant: Mutant,
  reaching: readonly number[],
  kills: Kills,
): Chosen {
  const known = reaching.flatMap((number) => {
    const test = reach.tests[number];
    return test === undefined ? [] : [{ number, ...test }];
  });
  const near = within(byTime(known.filter(({ file }) => isNear(file, mutant.file))), BUDGET_MS);
  const far = known.filter((test) => !near.includes(test));
  const killers = within(byKills(far, kills), BUDGET_MS - SAMPLE_MS - total(near));
  const others = far.filter((test) => !killers.includes(test));
  const left = BUDGET_MS - total(near) - total(killers);
  const chosen = [...near, ...killers, ...sample(byTime(others), left)];
  return { tests: chosen.map(({ number }) => number), ms: total(chosen) };
}

/** Tests beside the source, and those of a folder under `test/` that is called as its folder is. */
function isNear(test: string, source: string): boolean {
  return basename(dirname(test)) === basename(dirname(source));
}

/** Those that killed any, the most deadly for their time first. */
function byKills<T extends KnownTest>(tests: readonly T[], kills: Kills): readonly T[] {
  const rate = ({ name, ms }: KnownTest): number => (kills.get(name) ?? 0) / (ms + 1);
  return tests
    .filter(({ name }) => kills.has(name))
    .toSorted((one, other) => rate(other) - rate(one));
}

function within<T extends KnownTest>(tests: readonly T[], budgetMs: number): readonly T[] {
  let spentMs = 0;
  return tests.filter(({ ms }) => {
    spentMs += ms;
    return spentMs <= budgetMs;
  });
}

function total(tests: readonly KnownTest[]): number {
  return tests.reduce((sum, { ms }) => sum + ms, 0);
}

function byTime<T extends KnownTest>(tests: readonly T[]): readonly T[] {
  return tests.toSorted((one, other) => one.ms - other.ms);
}

/** Every so manieth of them, so that quick and slow ones, early and late ones are among them. */
function sample<T extends KnownTest>(tests: readonly T[], budgetMs: number): readonly T[] {
  const needed = total(tests);
  if (needed <= budgetMs) return tests;
  const step = Math.ceil(needed / Math.max(budgetMs, SAMPLE_MS / 8));
  return tests.filter((_, index) => index % step === 0);
}

/** A mutant of loading is met by what uses its module at all. */
export function reachingFile(reach: Reach, mutants: readonly Mutant[]): readonly number[] {
  const numbers = mutants.flatMap(({ id }) => reach.testsByMutant.get(id) ?? []);
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}
