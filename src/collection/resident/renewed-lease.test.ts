import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import { KUBE_LISTS, type PlannedList } from '../resources.ts';
import { type ListedObject, readListed } from './store.ts';

const LEASES = KUBE_LISTS.find(({ resource }) => resource.kind === 'Lease') as PlannedList;

function lease(renewTime: string, version: string, holder = 'web-1'): JsonObject {
  return {
    metadata: {
      name: 'web-1',
      namespace: 'kube-node-lease',
      uid: 'u',
      resourceVersion: version,
      managedFields: [{ manager: 'kubelet', time: renewTime }],
    },
    spec: { holderIdentity: holder, leaseDurationSeconds: 40, renewTime },
  };
}

const FIRST = lease('2026-05-01T12:00:00.000000Z', '1');

function read(object: JsonObject, before: ListedObject | null = null): ListedObject {
  return readListed(LEASES, object, undefined, before);
}

describe('a Lease that was renewed', () => {
  test('says what it says when it is read as a whole, and shares the rest with before', () => {
    const known = read(FIRST);
    const later = lease('2026-05-01T12:00:10.000000Z', '2');
    const renewed = read(later, known);
    assert.deepEqual(renewed, read(later));
    assert.equal(renewed.said.facts[0]?.about, known.said.facts[0]?.about);
  });

  for (const [what, object] of [
    ['another holder', lease('2026-05-01T12:00:10.000000Z', '2', 'web-2')],
    ['a time that is none', lease('AKIAIOSFODNN7EXAMPLE', '2')],
    ['no time', { ...FIRST, spec: { holderIdentity: 'web-1', leaseDurationSeconds: 40 } }],
  ] as const)
    test(`is read as a whole with ${what}`, () => {
      const renewed = read(object, read(FIRST));
      assert.deepEqual(renewed, read(object));
    });
});
