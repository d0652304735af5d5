import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSimArguments } from '../../src/apps/sim/arguments.ts';
import { UsageError } from '../../src/apps/cli/context.ts';

function refusal(...args: readonly string[]): string {
  try {
    readSimArguments(args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'taken';
}

describe('the arguments of rollcall sim', () => {
  test('default to one hour of one seed with the faults that it draws', () => {
    const { seed, count, wishes, bug, isUntilFailure, save, output } = readSimArguments([]);
    assert.deepEqual([seed, count, isUntilFailure, save, output], [1, 1, false, null, 'text']);
    assert.deepEqual(wishes, { nodes: null, hours: 1, faults: 'all' });
    assert.equal(bug, null);
  });

  test('are read whole', () => {
    const given = readSimArguments(
      '--seed 7 --count 3 --nodes 5 --hours 0.25 --faults F51,F62.2 --planted P40 -o json'.split(
        ' ',
      ),
    );
    assert.deepEqual([given.seed, given.count, given.output], [7, 3, 'json']);
    assert.deepEqual(given.wishes, { nodes: 5, hours: 0.25, faults: ['F51', 'F62.2'] });
    assert.equal(given.bug?.id, 'P40');
    assert.deepEqual([given.isTwinned, readSimArguments(['--twin']).isTwinned], [false, true]);
    assert.deepEqual(readSimArguments(['--faults', 'none']).wishes.faults, []);
    assert.equal(readSimArguments(['--until-failure']).count, Infinity);
    assert.equal(readSimArguments(['--until-failure', '--count', '4']).count, 4);
  });

  test('are refused with what may stand there', () => {
    assert.match(
      refusal('--seed', '-1'),
      /--seed takes a whole number from 0 to 4294967295, not "-1"/,
    );
    assert.match(
      refusal('--seed=-1'),
      /--seed takes a whole number from 0 to 4294967295, not "-1"/,
    );
    assert.match(refusal('--nodes', '0'), /--nodes takes a whole number from 1 to 5000/);
    assert.match(refusal('--hours', 'x'), /--hours takes a number from 0\.01 to 720, not "x"/);
    assert.match(refusal('-o', 'yaml'), /unknown format "yaml"; use text, json or markdown/);
    assert.match(
      refusal('--faults', 'F26'),
      /F26 \(a crash at each point where it waits\) is not simulated yet/,
    );
    assert.match(refusal('--faults', 'F99'), /unknown fault "F99"/);
    assert.match(refusal('--faults', 'F51.x'), /unknown fault "F51\.x"/);
    assert.match(refusal('--planted', 'P1'), /unknown planted bug "P1"; did you mean P18\?/);
  });
});
