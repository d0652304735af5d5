import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FeedHealth } from '../../collection/resident/feeds.ts';
import { liveChecks, readyChecks } from './health.ts';
import type { ControllerState } from './program.ts';

const NODES: FeedHealth = {
  kind: 'Node',
  phase: 'watching',
  isOptional: false,
  isSynced: true,
  staleMs: 1000,
  failure: null,
  message: null,
  callbackErrors: 0,
};

type Resident = ControllerState['resident'];

function stateOf(change: Partial<Resident> = {}, lists: readonly FeedHealth[] = [NODES]) {
  const resident: Resident = { lists, awsAgeMs: 60_000, judgedAgeMs: 10, objects: 1, ...change };
  return { resident } as ControllerState;
}

/** What is wrong, by its check. */
function wrong(checks: ReturnType<typeof readyChecks>): Readonly<Record<string, string>> {
  return Object.fromEntries(checks.flatMap(({ name, why }) => (why === null ? [] : [[name, why]])));
}

describe('a controller is ready', () => {
  for (const [title, state, why] of [
    ['when its roll call is that of now', stateOf(), {}],
    [
      'not before the first roll call',
      stateOf({ judgedAgeMs: null }),
      {
        'roll-call': 'the first roll call is not complete',
      },
    ],
    [
      'not while AWS was not asked for long',
      stateOf({ awsAgeMs: 660_000 }),
      {
        aws: 'not asked for 660 s',
      },
    ],
    ['without AWS', stateOf({ awsAgeMs: null }), {}],
    [
      'not on a stale list',
      stateOf({}, [{ ...NODES, staleMs: 16_000, failure: 'timeout' }]),
      {
        'list-Node': 'not confirmed for 16 s (timeout)',
      },
    ],
    [
      'not on a list that was never read',
      stateOf({}, [{ ...NODES, isSynced: false, phase: 'listing' }]),
      { 'list-Node': 'not read yet, listing' },
    ],
    [
      'without a list that may be missing',
      stateOf({}, [{ ...NODES, isSynced: false, isOptional: true, phase: 'listing' }]),
      {},
    ],
    [
      'without a list that may not be read',
      stateOf({}, [{ ...NODES, isSynced: false, phase: 'denied', failure: 'denied' }]),
      {},
    ],
  ] as const)
    test(title, () => {
      assert.deepEqual(wrong(readyChecks(state)), why);
    });
});

describe('a controller is live', () => {
  test('whatever the API server does', () => {
    const stale = [{ ...NODES, isSynced: false, phase: 'listing' as const }];
    for (const change of [{ judgedAgeMs: null }, { judgedAgeMs: 600_000, awsAgeMs: 1e9 }])
      assert.deepEqual(wrong(liveChecks(stateOf(change, stale))), {});
  });

  test('no longer when no judgement ends', () => {
    const why = { judging: 'not judged for 601 s' };
    assert.deepEqual(wrong(liveChecks(stateOf({ judgedAgeMs: 600_001 + 500 }))), why);
  });
});
