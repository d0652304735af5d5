import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Injection, injectionName } from '../../src/sim/faults/contract.ts';
import { reproLine } from '../../src/sim/shrink/repro.ts';
import { type RunCase, shrink } from '../../src/sim/shrink/shrink.ts';

function injection(fault: string, minute: number): Injection {
  return { fault, ordinal: 1, atMs: minute * 60_000, lastsMs: 1000 };
}

const INJECTIONS = Array.from({ length: 20 }, (_, index) =>
  injection(`F${String(index + 41)}`, index + 1),
);
const CASE: RunCase = { seed: 7, nodes: 40, hours: 2, injections: INJECTIONS };

function has({ injections }: RunCase, ...names: readonly string[]): boolean {
  const all = new Set(injections.map(injectionName));
  return names.every((name) => all.has(name));
}

describe('shrinking', () => {
  test('keeps the two faults, the machines and the time that it takes, and nothing else', async () => {
    const { smallest, tried } = await shrink(CASE, async (one) =>
      Promise.resolve(has(one, 'F44.1', 'F53.1') && one.nodes >= 3),
    );
    assert.deepEqual(smallest.injections.map(injectionName), ['F44.1', 'F53.1']);
    assert.equal(smallest.nodes, 3);
    assert.ok(smallest.hours < 0.5 && smallest.hours * 60 > 13, `${smallest.hours} hours`);
    assert.ok(tried <= 60, `${tried} runs`);
  });

  test('ends with no fault where none is needed', async () => {
    const { smallest } = await shrink(CASE, async () => Promise.resolve(true));
    assert.deepEqual(smallest.injections, []);
    assert.equal(smallest.nodes, 1);
  });

  test('leaves a case as it is that fails only so', async () => {
    const isSame = ({ nodes, hours, injections }: RunCase): boolean =>
      nodes === 40 && hours === 2 && injections.length === 20;
    const { smallest } = await shrink(CASE, async (one) => Promise.resolve(isSame(one)));
    assert.deepEqual(smallest, CASE);
  });

  test('runs no more cases than it may', async () => {
    let runs = 0;
    const { tried } = await shrink(CASE, async () => Promise.resolve(++runs < 0), 10);
    assert.equal(runs, 10);
    assert.equal(tried, 10);
  });

  test('gives a line that asks for the same case again', () => {
    const small = { ...CASE, nodes: 3, hours: 0.25, injections: INJECTIONS.slice(0, 2) };
    assert.equal(
      reproLine(small, { planted: null, isTwinned: false }),
      'rollcall sim --seed 7 --nodes 3 --hours 0.25 --faults F41.1,F42.1',
    );
    assert.equal(
      reproLine({ ...small, injections: [] }, { planted: 'P40', isTwinned: true }),
      'rollcall sim --seed 7 --nodes 3 --hours 0.25 --faults none --planted P40 --twin',
    );
  });
});
