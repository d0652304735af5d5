/** What each action sends, call by call, and what is refused before anything is sent. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { Action, ActionWrite } from '../../src/ports/action.ts';
import type { KubeWrites } from '../../src/ports/kube-writes.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { type Performed, perform, type PerformOptions } from '../../src/runtime/perform.ts';
import { virtualClock } from '../ports/fake/clock.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { CONFIG_MAPS } from '../ports/kube-api.contract.ts';

const NAME = { namespace: 'team', name: 'a' };
const SEEN = { uid: 'u', resourceVersion: '7' };
const OBJECT = { kind: 'ConfigMap', metadata: NAME, data: { k: 'w' } };

interface Sent {
  readonly calls: readonly unknown[];
  readonly performed: Performed;
}

function actionOf(write: ActionWrite, seen: Action['object']['seen'] = SEEN): Action {
  const why = { kind: 'rule', name: 'test', text: 'The test wants it.' } as const;
  const object = { resource: CONFIG_MAPS, ...NAME, seen };
  return { id: 'a1', object, write, why, askedBy: 'test', undo: null };
}

async function sending(
  action: Action,
  options: PerformOptions = { isDryRun: false },
): Promise<Sent> {
  const calls: unknown[] = [];
  const answer = (verb: string, ...given: readonly unknown[]): Promise<JsonObject> => {
    calls.push([verb, ...given]);
    return Promise.resolve({ kind: 'answer' });
  };
  const writes: KubeWrites = {
    create: (_, ...given) => answer('create', ...given),
    update: (_, ...given) => answer('update', ...given),
    patch: (_, ...given) => answer('patch', ...given),
    delete: (_, ...given) => answer('delete', ...given),
    evict: (...given) => answer('evict', ...given),
  };
  const api = { get: () => assert.fail('nothing was lost') };
  const tools = {
    api,
    writes,
    recorder: createFakeRecorder(),
    clock: virtualClock(),
    cluster: 'one',
  };
  return { calls, performed: await perform(action, tools, options) };
}

const NOW = { isDryRun: false };
const CHANGE = { type: 'merge', change: { data: { k: 'w' } } } as const;

const CASES: readonly (readonly [string, Action, readonly unknown[]])[] = [
  ['a create', actionOf({ verb: 'create', object: OBJECT }, null), ['create', OBJECT, NOW]],
  [
    'an update, of the version that was seen',
    actionOf({ verb: 'update', object: OBJECT, subresource: 'status' }),
    ['update', { ...OBJECT, metadata: { ...NAME, ...SEEN } }, { ...NOW, subresource: 'status' }],
  ],
  [
    'a merge patch of that version',
    actionOf({ verb: 'patch', patch: CHANGE, requires: 'same-version', subresource: 'status' }),
    [
      'patch',
      NAME,
      { type: 'merge', change: { data: { k: 'w' }, metadata: SEEN } },
      { ...NOW, subresource: 'status' },
    ],
  ],
  [
    'a merge patch of any version of that object',
    actionOf({ verb: 'patch', patch: CHANGE, requires: 'same-object' }),
    ['patch', NAME, { type: 'merge', change: { data: { k: 'w' }, metadata: { uid: 'u' } } }, NOW],
  ],
  [
    'a JSON patch, which tests the object and takes its version',
    actionOf({ verb: 'patch', patch: { type: 'json', operations: [] }, requires: 'same-version' }),
    [
      'patch',
      NAME,
      {
        type: 'json',
        operations: [
          { op: 'test', path: '/metadata/uid', value: 'u' },
          { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
        ],
      },
      NOW,
    ],
  ],
  [
    'a delete, with its time and what becomes of dependents',
    actionOf({
      verb: 'delete',
      requires: 'same-version',
      gracePeriodSeconds: 0,
      propagation: 'Foreground',
    }),
    [
      'delete',
      NAME,
      { ...NOW, preconditions: SEEN, gracePeriodSeconds: 0, propagation: 'Foreground' },
    ],
  ],
  [
    'a delete of any version, by the defaults of the server',
    actionOf({ verb: 'delete', requires: 'same-object' }),
    ['delete', NAME, { ...NOW, preconditions: { uid: 'u' } }],
  ],
  [
    'an eviction',
    actionOf({ verb: 'evict', requires: 'same-version', gracePeriodSeconds: 30 }),
    ['evict', NAME, { ...NOW, preconditions: SEEN, gracePeriodSeconds: 30 }],
  ],
];

describe('sends once, with what it needs to hold', () => {
  for (const [what, action, call] of CASES)
    test(what, async () => {
      const { calls, performed } = await sending(action);
      assert.deepEqual(withoutUndefined(calls), [call]);
      assert.deepEqual([performed.outcome, performed.object], ['done', { kind: 'answer' }]);
    });
});

/** As it is sent: a field that is undefined is none. */
function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

describe('refuses an action that contradicts itself', () => {
  const other = (metadata: JsonObject): JsonObject => ({ ...OBJECT, metadata });
  const patch = { type: 'apply', object: other({ ...NAME, name: 'b' }), isForced: true } as const;
  const wrong: readonly (readonly [string, Action, RegExp])[] = [
    [
      'a create of what is there',
      actionOf({ verb: 'create', object: OBJECT }),
      /create of an object that was seen/,
    ],
    [
      'a delete of what was not there',
      actionOf({ verb: 'delete', requires: 'same-object' }, null),
      /delete of an object that was absent/,
    ],
    [
      'an update with another name',
      actionOf({ verb: 'update', object: other({ ...NAME, name: 'b' }) }),
      /update of a that contains another object/,
    ],
    [
      'an update in another namespace',
      actionOf({ verb: 'update', object: other({ ...NAME, namespace: 'other' }) }),
      /update of a that contains another object/,
    ],
    [
      'an applied object of another name',
      actionOf({ verb: 'patch', patch, requires: 'same-object' }),
      /patch of a that contains another object/,
    ],
  ];
  for (const [what, action, words] of wrong)
    test(what, async () => {
      await assert.rejects(sending(action), (error) => {
        assert.ok(error instanceof RangeError);
        assert.match(error.message, words);
        return true;
      });
    });
});

test('a program that stops says that nothing was sent, and that it may be tried again', async () => {
  const stop = new AbortController();
  const full = { append: () => (stop.abort(), Promise.resolve(1)) };
  const tools = {
    api: { get: () => assert.fail('nothing was sent') },
    writes: {} as KubeWrites,
    recorder: full,
    clock: virtualClock(),
    cluster: 'one',
  };
  const action = actionOf({ verb: 'delete', requires: 'same-object' });
  const { outcome, failure, why } = await perform(action, tools, { ...NOW, signal: stop.signal });
  assert.deepEqual([outcome, failure], ['refused', 'unavailable']);
  assert.match(why, /^The delete of ConfigMap team\/a was not sent, as the program stops\.$/);
});

test('a bug of the clock while a lost answer is looked for is thrown', async () => {
  const bug = new TypeError('a bug');
  const clock = { ...virtualClock(), nowMs: () => 0, sleep: () => Promise.reject(bug) };
  const lost = new PortError({ failure: 'unclear', message: 'No answer came; look' });
  const tools = {
    api: { get: () => Promise.reject(new PortError({ failure: 'unreachable', message: 'x' })) },
    writes: { delete: () => Promise.reject(lost) } as Partial<KubeWrites> as KubeWrites,
    recorder: createFakeRecorder(),
    clock,
    cluster: 'one',
  };
  const action = actionOf({ verb: 'delete', requires: 'same-object' });
  await assert.rejects(perform(action, tools, NOW), bug);
});
