import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, textAt } from '../evidence/json.ts';
import type { Action } from './action.ts';
import { endedRecord, intendedRecord } from './action-record.ts';

const MOMENT = { cluster: 'one', atMs: 5, isDryRun: false };

function removal(change: Partial<Action> = {}): Action {
  const resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true };
  return {
    id: 'a1',
    object: { resource, namespace: 'team', name: 'p', seen: { uid: 'u', resourceVersion: '7' } },
    write: { verb: 'delete', requires: 'same-object' },
    why: { kind: 'rule', name: 'slip-ins', text: 'Pod p has the identity of its node.' },
    askedBy: 'rollcall controller',
    undo: null,
    ...change,
  };
}

function body(action: Action): JsonObject {
  return intendedRecord(action, MOMENT).body as JsonObject;
}

test('an intention is recorded with its object, reason and write', () => {
  const { kind, subject, source, atMs, cluster } = intendedRecord(removal(), MOMENT);
  assert.deepEqual(
    [kind, subject, source, atMs, cluster],
    ['action-intended', 'p', 'rollcall controller', 5, 'one'],
  );
  const recorded = body(removal());
  assert.equal(textAt(recorded, 'object.seen.resourceVersion'), '7');
  assert.equal(textAt(recorded, 'object.namespace'), 'team');
  assert.equal(textAt(recorded, 'why.name'), 'slip-ins');
  assert.deepEqual(recorded['write'], { verb: 'delete', requires: 'same-object' });
});

test('the end of an action is recorded with its outcome and the version that followed', () => {
  const object = { metadata: { uid: 'u', resourceVersion: '8' }, data: { a: 'b' } };
  const end = { outcome: 'done', why: 'Pod p is deleted.', object } as const;
  const { kind, body: recorded } = endedRecord(removal(), MOMENT, end);
  assert.equal(kind, 'action-ended');
  assert.deepEqual(recorded, {
    id: 'a1',
    isDryRun: false,
    outcome: 'done',
    why: 'Pod p is deleted.',
    uid: 'u',
    resourceVersion: '8',
  });
});

test('nothing of a Secret is recorded, and of a long write its checksum', () => {
  const object = { data: { password: 'YWJj' } };
  const secrets = {
    ...removal().object,
    resource: { ...removal().object.resource, plural: 'secrets' },
  };
  const hidden = body(removal({ object: secrets, write: { verb: 'create', object } }))['write'];
  assert.deepEqual(hidden, { verb: 'create', isSecret: true });
  const long = { data: { text: 'words '.repeat(4000) } };
  const cut = body(removal({ write: { verb: 'create', object: long } }))['write'];
  assert.deepEqual(Object.keys(cut as JsonObject), ['verb', 'chars', 'checksum']);
});

test('a token in a written object is redacted in its record', () => {
  const object = { spec: { token: 'abcdef.0123456789abcdef' } };
  const recorded = JSON.stringify(body(removal({ write: { verb: 'create', object } })));
  assert.doesNotMatch(recorded, /0123456789abcdef/);
});
