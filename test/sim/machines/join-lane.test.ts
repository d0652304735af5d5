import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shareOf, tellShare } from '../../share.ts';
import { JOIN_BUGS } from './join-bugs.ts';
import {
  caseName,
  casesOf,
  LANE_WORLDS,
  type LaneEnd,
  playLane,
  worldNamed,
  wrongInCase,
} from './join-lane.ts';

const OF = 60;
const quiet = new Map<string, LaneEnd>();
for (const world of LANE_WORLDS) quiet.set(world.name, await playLane(world, null));

describe('one call of rollcall join goes wrong', () => {
  for (const { name, says } of LANE_WORLDS)
    test(`where ${says}: without that it is joined`, () => {
      assert.deepEqual(quiet.get(name)?.violations, []);
    });

  test('COMMAND, resets, restarts and states are among the calls', () => {
    const ports = new Set([...quiet.values()].flatMap(({ calls }) => calls));
    assert.deepEqual([...ports].toSorted(), ['keep', 'look', 'reset', 'restart', 'run', 'sleep']);
  });

  const all = [...quiet].flatMap(([name, end]) => casesOf(name, end));
  const cases = shareOf(all, OF);
  for (const one of cases)
    test(caseName(one), async () => {
      const end = quiet.get(one.world);
      assert.ok(end !== undefined);
      assert.deepEqual(await wrongInCase(one, end), []);
    });
  tellShare('calls that go wrong in a join', cases.length, all.length);
});

describe('a mistake in a join supervisor is caught', () => {
  for (const bug of JOIN_BUGS)
    test(bug.id, async () => {
      const { violations } = await playLane(worldNamed(bug.world), null, bug);
      const rules = violations.map((one) => one.split(':')[0]);
      assert.ok(
        bug.caughtBy.some((rule) => rules.includes(rule)),
        violations.join('\n'),
      );
    });
});
