/** What the keeper of aws-auth remembers, misses and puts back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide, nodeMappingOf, withRestored } from '../../../src/controllers/auth/decide.ts';
import type { AuthMemory, AuthSight, ShutOut } from '../../../src/controllers/auth/facts.ts';
import { AUTH_RULES } from '../../../src/controllers/auth/keeper.ts';
import { mappingOf } from '../../../src/controllers/fix/auth/node-mapping.ts';
import type { AwsAuthEntry } from '../../../src/evidence/kinds.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ROLE = 'arn:aws:iam::111122223333:role/nodes';
const NODES = mappingOf(ROLE, 'linux');
const OTHER = { arn: 'arn:aws:iam::111122223333:role/team', username: 'team', groups: ['devs'] };
const NOBODY: ShutOut = new Map();
const LOST: ShutOut = new Map([[ROLE, ['i-1', 'i-2']]]);

function seen(...entries: readonly AwsAuthEntry[]): AuthSight {
  return { state: 'seen', entries, version: '7', writer: 'terraform' };
}

/** Looks one after another, a role of which is shut out or not. @returns what the last one decides */
function after(...looks: readonly (readonly [atMs: number, AuthSight, ShutOut])[]) {
  let memory: AuthMemory = new Map();
  let lost: ReturnType<typeof decide>['lost'] = [];
  for (const [nowMs, sight, shutOut] of looks)
    ({ memory, lost } = decide(sight, memory, shutOut, { ...AUTH_RULES, nowMs }));
  return { memory, verdicts: lost.map(({ verdict }) => verdict), lost };
}

describe('a mapping of nodes', () => {
  test('that is gone while machines are shut out is put back, with who wrote last', () => {
    const { lost } = after(
      [0, seen(NODES, OTHER), NOBODY],
      [MINUTE_MS, seen(OTHER), NOBODY],
      [2 * MINUTE_MS, seen(OTHER), LOST],
    );
    const machines = ['i-1', 'i-2'];
    assert.deepEqual(lost, [{ mapping: NODES, verdict: 'restore', machines, by: 'terraform' }]);
  });

  test('that is gone with all of aws-auth is put back', () => {
    const gone: AuthSight = { state: 'absent' };
    const { verdicts } = after([0, seen(NODES), NOBODY], [1, gone, LOST], [HOUR_MS, gone, LOST]);
    assert.deepEqual(verdicts, ['restore']);
  });

  test('rests after it was put back, as its removal may be meant', () => {
    const { memory } = after([0, seen(NODES), NOBODY], [1, seen(), LOST]);
    const nowMs = HOUR_MS;
    const restored = withRestored(memory, ROLE, nowMs);
    const again = (atMs: number) =>
      decide(seen(), restored, LOST, { ...AUTH_RULES, nowMs: atMs }).lost.map((one) => one.verdict);
    assert.deepEqual(again(nowMs + MINUTE_MS), ['resting']);
    assert.deepEqual(again(nowMs + HOUR_MS), ['restore']);
  });

  test('waits where as many as the budget were put back', () => {
    const roles = Array.from({ length: 6 }, (_, at) => mappingOf(`${ROLE}-${at}`, 'linux'));
    const lost: ShutOut = new Map(roles.map(({ arn }) => [arn, ['i-1']]));
    const { verdicts } = after(
      [0, seen(...roles), NOBODY],
      [1, seen(), lost],
      [HOUR_MS, seen(), lost],
    );
    assert.deepEqual(verdicts, [...Array(4).fill('restore'), 'over-budget', 'over-budget']);
  });
});

/** What is looked at, and what is decided at the end. */
const SEVERAL_LOOKS = [
  [
    'that is gone just now settles',
    [
      [0, seen(NODES), LOST],
      [1, seen(), LOST],
    ],
    ['settling'],
  ],
  [
    'that no machine misses stays out',
    [
      [0, seen(NODES), NOBODY],
      [1, seen(), NOBODY],
      [HOUR_MS, seen(), NOBODY],
    ],
    ['unused'],
  ],
  [
    'that somebody changed stays changed',
    [
      [0, seen(NODES), NOBODY],
      [1, seen({ ...OTHER, arn: ROLE }), LOST],
      [HOUR_MS, seen({ ...OTHER, arn: ROLE }), LOST],
    ],
    ['remapped'],
  ],
  [
    'that was never there is not made up',
    [
      [0, seen(OTHER), LOST],
      [HOUR_MS, seen(), LOST],
    ],
    [],
  ],
  [
    'that is there again is not missed',
    [
      [0, seen(NODES), LOST],
      [1, seen(), LOST],
      [HOUR_MS, seen(NODES), LOST],
    ],
    [],
  ],
  [
    'in a text that nobody can read is not missed',
    [
      [0, seen(NODES), LOST],
      [HOUR_MS, { state: 'malformed', why: 'a tab' }, LOST],
    ],
    [],
  ],
  [
    'that another replica put back rests',
    [
      [0, seen(NODES), NOBODY],
      [1, seen(), LOST],
      [2 * MINUTE_MS, seen(NODES), LOST],
      [3 * MINUTE_MS, seen(), LOST],
      [30 * MINUTE_MS, seen(), LOST],
    ],
    ['resting'],
  ],
  [
    'that an administrator has now is there',
    [
      [0, seen(NODES), NOBODY],
      [1, seen({ ...NODES, groups: [...NODES.groups, 'system:masters'] }), LOST],
      [HOUR_MS, seen({ ...NODES, groups: [...NODES.groups, 'system:masters'] }), LOST],
    ],
    [],
  ],
  [
    'is forgotten after a day in which nobody missed it',
    [
      [0, seen(NODES), NOBODY],
      [1, seen(), NOBODY],
      [25 * HOUR_MS, seen(), NOBODY],
      [26 * HOUR_MS, seen(), LOST],
    ],
    [],
  ],
] as const;

describe('a mapping of nodes, over several looks,', () => {
  for (const [title, looks, verdicts] of SEVERAL_LOOKS)
    test(title, () => {
      assert.deepEqual(after(...looks).verdicts, verdicts);
    });
});

describe('what is remembered of an entry', () => {
  test('is what a node needs, and nothing more', () => {
    const more = { ...NODES, groups: [...NODES.groups, 'devs'] };
    assert.deepEqual(nodeMappingOf(more), NODES);
    const windows = mappingOf(ROLE, 'windows');
    assert.deepEqual(nodeMappingOf(windows), windows);
  });

  for (const [title, entry] of [
    ['an administrator', { ...NODES, groups: [...NODES.groups, 'system:masters'] }],
    ['another user name', { ...NODES, username: 'system:node:x' }],
    ['fewer groups', { ...NODES, groups: ['system:nodes'] }],
    ['a role with its path, which lets nobody in', { ...NODES, arn: ROLE.replace('/', '/a/') }],
    ['a pattern', { ...NODES, arn: `${ROLE}*` }],
  ] as const)
    test(`is nothing of ${title}`, () => {
      assert.equal(nodeMappingOf(entry), null);
    });

  test('is what the last of several entries for a role gives', () => {
    const { memory } = after([0, seen(NODES, { ...OTHER, arn: ROLE }), NOBODY]);
    assert.equal(memory.size, 0);
  });
});
