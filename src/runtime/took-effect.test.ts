import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../evidence/json.ts';
import type { ActionWrite } from '../ports/action.ts';
import type { KubePatch } from '../ports/kube-writes.ts';
import { type Effect, effectOf, isGuardedByVersion } from './took-effect.ts';

const RESOURCE = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', isNamespaced: false };
const SEEN = { uid: 'u', resourceVersion: '7' };

function effect(write: ActionWrite, object: JsonObject | null): Effect {
  const seen = write.verb === 'create' ? null : SEEN;
  const why = { kind: 'rule', name: 'r', text: 't' } as const;
  const about = { resource: RESOURCE, namespace: null, name: 'n', seen };
  return effectOf({ id: 'a', object: about, write, why, askedBy: 'me', undo: null }, object);
}

function node(
  resourceVersion: string,
  more: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject {
  return { metadata: { name: 'n', uid: 'u', resourceVersion, ...metadata }, ...more };
}

const OTHER = node('9', {}, { uid: 'other' });
const ENDING = { deletionTimestamp: '2026-01-01T00:00:00Z' };

function patch(
  one: KubePatch,
  requires: 'same-version' | 'same-object' = 'same-version',
): ActionWrite {
  return { verb: 'patch', patch: one, requires };
}

const CORDON = { spec: { unschedulable: true } };
const MERGE = patch({ type: 'merge', change: CORDON });
const LOOSE = patch({ type: 'merge', change: CORDON }, 'same-object');
const UNCORDON = patch({ type: 'merge', change: { spec: { unschedulable: null } } });
const TAINT = { key: 'k', effect: 'NoSchedule' };
const TAINTED = patch({ type: 'strategic', change: { spec: { taints: [TAINT] } } });
const DIRECTED = patch({
  type: 'strategic',
  change: { spec: { taints: [{ $patch: 'delete', key: 'k' }] } },
});
const APPLIED = patch({
  type: 'apply',
  object: { metadata: { name: 'n', labels: { a: 'b' } } },
  isForced: false,
});
const UPDATED: ActionWrite = { verb: 'update', object: node('7', { spec: { podCIDR: 'c' } }) };
const STATUS: ActionWrite = {
  verb: 'update',
  object: node('7', { status: { phase: 'x' } }),
  subresource: 'status',
};
const CREATED: ActionWrite = { verb: 'create', object: { metadata: { name: 'n' }, ...CORDON } };
const EVICTED: ActionWrite = { verb: 'evict', requires: 'same-version' };

function removal(requires: 'same-version' | 'same-object'): ActionWrite {
  return { verb: 'delete', requires };
}

function operations(...list: JsonObject[]): ActionWrite {
  return patch({ type: 'json', operations: list });
}

const SET = operations(
  { op: 'test', path: '/spec/old', value: 1 },
  { op: 'add', path: '/metadata/labels/a~1b', value: 'c' },
  { op: 'remove', path: '/spec/gone' },
);
const IN_LIST = operations({ op: 'remove', path: '/spec/taints/0' });
const BELOW_LIST = operations({ op: 'replace', path: '/spec/taints/0/key', value: 'w' });
const LISTED = patch({ type: 'apply', object: { spec: { taints: [TAINT] } }, isForced: false });
const EMPTIED = patch({ type: 'merge', change: { spec: { taints: [] } } });
const HALF = patch({ type: 'merge', change: { spec: { a: null, b: 1 } } });
const DOLLAR = patch({ type: 'merge', change: { spec: { $a: 1 } } });
const SCALED: ActionWrite = {
  verb: 'patch',
  patch: { type: 'merge', change: { spec: { replicas: 3 } } },
  requires: 'same-object',
  subresource: 'scale',
};
const TOKEN: ActionWrite = { verb: 'update', object: node('7'), subresource: 'resize' };
const VERSIONED = operations(
  { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
  { op: 'replace', path: '/metadata/uid', value: 'x' },
  { op: 'add', path: '/spec/unschedulable', value: true },
);
const MOVED = operations({ op: 'move', from: '/spec/a', path: '/spec/b' });

const CASES: readonly (readonly [string, ActionWrite, JsonObject | null, Effect])[] = [
  ['a create that shows', CREATED, node('3', CORDON), 'took-effect'],
  ['a create beside another object', CREATED, node('3'), 'overtaken'],
  ['a create that does not show', CREATED, null, 'not-seen'],

  ['a delete of what is gone', removal('same-object'), null, 'took-effect'],
  ['a delete of what was made again', removal('same-object'), OTHER, 'took-effect'],
  ['a delete of what ends', removal('same-object'), node('8', {}, ENDING), 'took-effect'],
  ['a delete that does not show', removal('same-object'), node('7'), 'not-seen'],
  ['a delete of what has changed', removal('same-object'), node('8'), 'not-seen'],
  ['a delete of a version that is over', removal('same-version'), node('8'), 'overtaken'],
  ['an eviction that wrote its condition', EVICTED, node('8'), 'not-seen'],
  ['an eviction of what is gone', EVICTED, null, 'took-effect'],

  ['a merge patch that shows', MERGE, node('8', CORDON), 'took-effect'],
  ['a merge patch that changes nothing', MERGE, node('7', CORDON), 'took-effect'],
  ['a merge patch that does not show', MERGE, node('7'), 'not-seen'],
  ['a merge patch of a version that is over', MERGE, node('8'), 'overtaken'],
  ['a merge patch of what is gone', MERGE, null, 'overtaken'],
  ['a merge patch of what was made again', MERGE, { ...OTHER, ...CORDON }, 'overtaken'],
  ['a merge patch for any version', LOOSE, node('8'), 'not-seen'],
  ['a removal that shows', UNCORDON, node('8', { spec: { podCIDR: 'c' } }), 'took-effect'],
  ['a removal that does not show', UNCORDON, node('7', CORDON), 'not-seen'],
  ['a removal from nothing', UNCORDON, node('7'), 'took-effect'],

  [
    'a strategic patch within a list',
    TAINTED,
    node('8', { spec: { taints: [{ key: 'other' }, { ...TAINT, timeAdded: 't' }] } }),
    'took-effect',
  ],
  [
    'a strategic patch missing in a list',
    TAINTED,
    node('8', { spec: { taints: [] } }),
    'overtaken',
  ],
  ['a strategic patch without the list', TAINTED, node('8', { spec: {} }), 'overtaken'],
  [
    'a directive that nobody can see',
    DIRECTED,
    node('8', { spec: { taints: [{ key: 'a' }] } }),
    'not-seen',
  ],

  [
    'an applied object that shows',
    APPLIED,
    node('8', {}, { labels: { a: 'b', c: 'd' } }),
    'took-effect',
  ],
  [
    'an applied object of the same version',
    APPLIED,
    node('7', {}, { labels: { a: 'b' } }),
    'not-seen',
  ],
  ['an applied object that is overtaken', APPLIED, node('8'), 'overtaken'],

  ['an update that shows', UPDATED, node('8', { spec: { podCIDR: 'c' } }), 'took-effect'],
  ['an update of the same version', UPDATED, node('7', { spec: { podCIDR: 'c' } }), 'not-seen'],
  [
    'an update beside more content',
    UPDATED,
    node('8', { spec: { podCIDR: 'c', x: 1 } }),
    'overtaken',
  ],
  [
    'an update whose status has moved on',
    UPDATED,
    node('8', { spec: { podCIDR: 'c' }, status: { phase: 'y' } }),
    'took-effect',
  ],
  [
    'a status that shows',
    STATUS,
    node('8', { spec: { a: 1 }, status: { phase: 'x' } }),
    'took-effect',
  ],
  ['a status that is overtaken', STATUS, node('8', { status: { phase: 'y' } }), 'overtaken'],

  [
    'operations that show',
    SET,
    node('8', { spec: { old: 2 } }, { labels: { 'a/b': 'c' } }),
    'took-effect',
  ],
  [
    'operations that show in part',
    SET,
    node('8', { spec: { gone: 1 } }, { labels: { 'a/b': 'c' } }),
    'overtaken',
  ],
  ['operations that do not show', SET, node('7', { spec: { gone: 1 } }), 'not-seen'],
  [
    'an applied list of other length',
    LISTED,
    node('8', { spec: { taints: [TAINT, TAINT] } }),
    'overtaken',
  ],
  ['an applied list of other content', LISTED, node('8', { spec: { taints: [{}] } }), 'overtaken'],
  ['an applied list that shows', LISTED, node('8', { spec: { taints: [TAINT] } }), 'took-effect'],
  ['a merged empty list where there is none', EMPTIED, node('8', { spec: {} }), 'took-effect'],
  [
    'a merged empty list beside items',
    EMPTIED,
    node('8', { spec: { taints: [TAINT] } }),
    'overtaken',
  ],
  ['a removal below what is not there', UNCORDON, node('8', { spec: null }), 'overtaken'],
  ['removals of which one could be one', HALF, node('8'), 'overtaken'],
  ['a merge patch whose key has a dollar', DOLLAR, node('8', { spec: { $a: 1 } }), 'took-effect'],
  ['a scale, which shows elsewhere', SCALED, node('8', { spec: { replicas: 3 } }), 'not-seen'],
  ['an update of a part that shows elsewhere', TOKEN, node('8'), 'not-seen'],
  [
    'an update beside what the server sets',
    UPDATED,
    node('8', { spec: { podCIDR: 'c' } }, { generation: 2, selfLink: 's', managedFields: [] }),
    'took-effect',
  ],
  ['an eviction of what was made again', EVICTED, OTHER, 'took-effect'],
  ['a version that is only taken', VERSIONED, node('8', CORDON), 'took-effect'],
  ['an operation in a list', IN_LIST, node('8', { spec: { taints: [TAINT] } }), 'not-seen'],
  ['an operation below a list', BELOW_LIST, node('8', { spec: { taints: [TAINT] } }), 'not-seen'],
  ['an operation that moves', MOVED, node('8', { spec: { b: 1 } }), 'not-seen'],
];

for (const [what, write, object, expected] of CASES)
  test(`${what} is ${expected}`, () => {
    assert.equal(effect(write, object), expected);
  });

test('what has no other precondition is guarded by its version', () => {
  const loose = { requires: 'same-object' } as const;
  const guards: readonly (readonly [ActionWrite, boolean])[] = [
    [UPDATED, true],
    [MERGE, true],
    [LOOSE, false],
    [{ ...LOOSE, subresource: 'status' } as ActionWrite, true],
    [{ ...APPLIED, ...loose }, true],
    [{ ...SET, ...loose, subresource: 'status' } as ActionWrite, false],
    [removal('same-object'), false],
    [EVICTED, true],
    [CREATED, false],
  ];
  for (const [write, isGuarded] of guards)
    assert.equal(isGuardedByVersion(write), isGuarded, JSON.stringify(write));
});
