import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { costOf, isFeasible, type Program } from '../../src/capacity/spot/program.ts';
import { solve } from '../../src/capacity/spot/solve.ts';

const EXACT = { stepsMax: 200_000, gap: 0 };
const RUNS = 300;

/** Everything up to the most of each variable, tried one after another. */
function leastByTrying(program: Program): number {
  const counts = program.variables.map(() => 0);
  let least = Infinity;
  for (;;) {
    if (isFeasible(program, counts)) least = Math.min(least, costOf(program, counts));
    let at = 0;
    while (at < counts.length && counts[at] === program.variables[at]?.most) counts[at++] = 0;
    if (at === counts.length) return least;
    counts[at] = (counts[at] ?? 0) + 1;
  }
}

const variable = fc.record({
  linear: fc.integer({ min: 1, max: 40 }).map((each) => each / 8),
  square: fc.constantFrom(0, 0.1, 0.5, 2),
  most: fc.integer({ min: 0, max: 3 }),
});
const demand = (size: number) =>
  fc.record({
    of: fc.array(fc.integer({ min: 0, max: 8 }), { minLength: size, maxLength: size }),
    least: fc.integer({ min: 0, max: 30 }),
  });
const limit = (size: number) =>
  fc.record({
    of: fc.array(fc.constantFrom(0, -1, -2, -4, -0.7), { minLength: size, maxLength: size }),
    least: fc.integer({ min: -14, max: 0 }),
  });
const programs: fc.Arbitrary<Program> = fc.integer({ min: 1, max: 6 }).chain((size) =>
  fc.record({
    variables: fc.array(variable, { minLength: size, maxLength: size }),
    rows: fc
      .tuple(
        fc.array(demand(size), { minLength: 1, maxLength: 3 }),
        fc.array(limit(size), { maxLength: 2 }),
      )
      .map((rows) => rows.flat()),
  }),
);

describe('the optimizer', () => {
  test('finds what trying everything finds', () => {
    const seen = { solved: 0, infeasible: 0 };
    fc.assert(
      fc.property(programs, (program) => {
        const least = leastByTrying(program);
        const solution = solve(program, EXACT);
        if (least === Infinity) {
          seen.infeasible++;
          assert.equal(solution.kind, 'infeasible');
          return;
        }
        seen.solved++;
        assert.ok(solution.kind === 'solved' && solution.isProven, solution.kind);
        assert.ok(isFeasible(program, solution.counts));
        assert.ok(Math.abs(solution.cost - least) < 1e-6, `${solution.cost} is not ${least}`);
        assert.equal(solution.bound, solution.cost);
      }),
      { numRuns: RUNS, seed: 7 },
    );
    assert.ok(seen.solved > RUNS / 4 && seen.infeasible > RUNS / 10, JSON.stringify(seen));
  });

  test('tells a bound below the best where it stops early', () => {
    fc.assert(
      fc.property(programs, fc.integer({ min: 1, max: 3 }), (program, stepsMax) => {
        const least = leastByTrying(program);
        const solution = solve(program, { stepsMax, gap: 0 });
        if (solution.kind === 'infeasible') assert.equal(least, Infinity);
        if (solution.kind !== 'solved') return;
        assert.ok(solution.bound <= least + 1e-6, `${solution.bound} exceeds ${least}`);
        assert.ok(solution.cost >= least - 1e-6);
      }),
      { numRuns: RUNS, seed: 11 },
    );
  });

  test('gives the same answer to the same program', () => {
    const [program] = fc.sample(programs, { numRuns: 1, seed: 3 });
    assert.ok(program !== undefined);
    assert.deepEqual(solve(program, EXACT), solve(program, EXACT));
  });
});
