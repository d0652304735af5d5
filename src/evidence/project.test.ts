import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from './json.ts';
import { project, type Projected, projectFact } from './project.ts';
import {
  always,
  amount,
  type Fields,
  flag,
  keys,
  presence,
  quantities,
  shown,
  text,
  texts,
  type ValueOf,
} from './shape.ts';

const DISK = {
  Encrypted: flag,
  Id: always(text),
  Marks: texts,
  Parts: [{ Mount: text }],
  Policy: presence,
  Sizes: quantities,
  Status: shown({ Phase: text }),
  Turns: amount,
  Verbs: [text],
  Zones: keys,
} as const satisfies Fields;

function readDisk(given: Json): Projected<ValueOf<typeof DISK>> {
  const read = projectFact(DISK, given);
  assert.ok(read !== null);
  return read;
}

describe('what an answer keeps', () => {
  test('are the named fields, each in its form', () => {
    const kept = project(DISK, {
      Encrypted: 'True',
      Id: 7,
      Marks: { a: 'b', c: 4 },
      Parts: [{ Mount: '/', Secret: 'x' }],
      Policy: { much: 'more' },
      Sizes: { cpu: 2, memory: '1Gi', odd: [] },
      Status: { Phase: 'Bound' },
      Turns: '12',
      Verbs: ['get', true],
      Zones: { west: {}, east: {} },
      Password: 'hunter2',
    });
    assert.deepEqual(kept, {
      Encrypted: true,
      Id: '7',
      Marks: { a: 'b' },
      Parts: [{ Mount: '/' }],
      Policy: true,
      Sizes: { cpu: '2', memory: '1Gi' },
      Status: { Phase: 'Bound' },
      Turns: 12,
      Verbs: ['get', 'true'],
      Zones: ['west', 'east'],
    });
  });

  test('a field that a whole answer lacks is absent, unless a whole answer may leave it out', () => {
    const { value, extent } = readDisk({ Id: 'disk-1', Turns: null });
    assert.equal(extent, 'whole');
    assert.equal(value.Turns, null);
    assert.equal(value.Parts, null);
    assert.equal(value.Status, undefined);
  });

  test('without a field that every whole answer has, the others that are missing are unknown', () => {
    const { value, extent } = readDisk({ Turns: 1 });
    assert.equal(extent, 'part');
    assert.equal(value.Turns, 1);
    assert.equal(value.Parts, undefined);
    assert.equal(value.Encrypted, undefined);
  });

  test('a value of another form is unknown, not absent', () => {
    const forms: readonly (readonly [keyof typeof DISK, never])[] = [
      ['Encrypted', 'perhaps' as never],
      ['Turns', '' as never],
      ['Turns', 'many' as never],
      ['Marks', ['a'] as never],
      ['Sizes', 'a' as never],
      ['Zones', 4 as never],
      ['Parts', 'none' as never],
      ['Status', 'Bound' as never],
    ];
    for (const [name, given] of forms)
      assert.equal(project(DISK, { Id: 'disk-1', [name]: given })?.[name], undefined, name);
  });

  test('ignores prototypes and treats an answer that is not an object as missing', () => {
    const hostile = JSON.parse(
      '{"Id":"disk-1","__proto__":{"Turns":9},"Sizes":{"__proto__":"1"}}',
    ) as never;
    assert.equal(project(DISK, hostile)?.Turns, null);
    assert.equal(({} as Record<string, unknown>)['Turns'], undefined);
    for (const given of [null, 4, 'text', []]) assert.equal(project(DISK, given), undefined);
  });
});
