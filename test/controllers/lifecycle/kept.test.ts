import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide } from '../../../src/controllers/lifecycle/decide.ts';
import {
  keptTombstones,
  TOMBSTONE_AGE_MAX_MS,
  TOMBSTONES_MAX,
} from '../../../src/controllers/lifecycle/gone.ts';
import { CLUES_MAX } from '../../../src/controllers/lifecycle/keep-clues.ts';
import { memoryFromJson, memoryToJson } from '../../../src/controllers/lifecycle/memory-json.ts';
import {
  type LifecycleMemory,
  NOTHING_KNOWN,
  type Tombstone,
} from '../../../src/controllers/lifecycle/memory.ts';
import { isObject, type Json, type JsonObject } from '../../../src/evidence/json.ts';
import { START_MS } from './facts-of-json.ts';
import { fleetFacts } from './fleet.ts';

const DAY_MS = 86_400_000;

function memoryAfter(...states: readonly Parameters<typeof fleetFacts>[0][]): LifecycleMemory {
  return states.reduce(
    (memory, state, step) => decide(memory, fleetFacts(state, START_MS + step * 10_000)).memory,
    NOTHING_KNOWN,
  );
}

function anyTombstone(): Tombstone {
  const [tombstone] = memoryAfter(['ready'], ['gone-by-cloud']).tombstones.values();
  assert.ok(tombstone !== undefined);
  return tombstone;
}

describe('a tombstone', () => {
  test('explains a Node that vanished last week', () => {
    const memory = memoryAfter(['ready'], ['gone-by-cloud'], ['gone']);
    const later = decide(memory, fleetFacts(['gone'], START_MS + 7 * DAY_MS)).memory;
    const { deleter, hand } = later.tombstones.get('uid-1-0')?.attribution ?? {};
    assert.deepEqual(
      [deleter?.kind, deleter?.reason, hand],
      ['cloud-node-lifecycle', 'instance-missing', 'cloud-node-lifecycle'],
    );
  });

  test('goes when it is older than two weeks', () => {
    const memory = memoryAfter(['ready'], ['gone-by-cloud']);
    const facts = { ...fleetFacts(['gone'], START_MS + 10_000 + TOMBSTONE_AGE_MAX_MS + 1) };
    assert.equal(decide(memory, facts).memory.tombstones.size, 0);
  });

  test('goes when there are too many, the oldest first', () => {
    const one = anyTombstone();
    const many = Array.from({ length: TOMBSTONES_MAX + 2 }, (_, index) => ({
      ...one,
      node: { ...one.node, uid: `uid-${index}` },
      missedMs: START_MS + index,
    }));
    const kept = keptTombstones(many.toReversed(), START_MS + 10_000);
    assert.equal(kept.size, TOMBSTONES_MAX);
    assert.ok(!kept.has('uid-1') && kept.has('uid-2'));
  });
});

const EMPTY: JsonObject = {};

/** The document with the value at a path replaced; undefined takes it away. */
function withValue(document: Json, path: readonly string[], value: Json | undefined): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value ?? null;
  if (Array.isArray(document))
    return (document as readonly Json[]).map((item, index) =>
      String(index) === key ? withValue(item, rest, value) : item,
    );
  const { [key]: inner, ...others } = isObject(document) ? document : EMPTY;
  if (rest.length === 0 && value === undefined) return others;
  return { ...others, [key]: withValue(inner ?? null, rest, value) };
}

describe('a memory that was kept', () => {
  const whole = memoryToJson(
    memoryAfter(['ready', 'twice'], ['gone-by-cloud', 'ready'], ['gone', 'gone']),
  );

  test('is read as it was', () => {
    assert.deepEqual(memoryToJson(memoryFromJson(whole)), whole);
  });

  test('is read with what a later release may have added', () => {
    const more = withValue(whole, ['gone', '0', 'node', 'later'], 'x');
    assert.deepEqual(memoryToJson(memoryFromJson(more)), whole);
  });

  const proof = { source: 'a', locator: 'b', excerpt: 'c', atMs: 1 };
  const clues = Array.from({ length: CLUES_MAX + 1 }, () => ({
    kind: 'spot',
    detail: '',
    isById: true,
    proof,
  }));

  const bad: readonly (readonly [string, readonly string[], Json | undefined, RegExp])[] = [
    ['another version', ['version'], 2, /^version is not 1/],
    ['no version', ['version'], undefined, /^version is not 1/],
    ['no Nodes', ['nodes'], undefined, /^nodes is not a list/],
    [
      'a Node without a UID',
      ['gone', '0', 'node', 'uid'],
      null,
      /^gone\[0\]\.node\.uid is not a text/,
    ],
    ['a time that is a text', ['tombstones', '0', 'missedMs'], '5', /missedMs is not a number/],
    [
      'an unknown deleter',
      ['tombstones', '0', 'attribution', 'deleter', 'kind'],
      'ghost',
      /kind is not one of/,
    ],
    [
      'an unknown clue',
      ['tombstones', '0', 'node', 'clues', '0', 'kind'],
      'rumor',
      /clues\[0\]\.kind is not one of/,
    ],
    ['a flag that is a number', ['instances', '0', 'isEnded'], 1, /isEnded is not true or false/],
    [
      'a text without end',
      ['standing', '0', 'key'],
      'x'.repeat(5000),
      /key is not a text of at most/,
    ],
    ['too many clues', ['gone', '0', 'node', 'clues'], clues, /clues is not a list of at most 12$/],
    ['a list', [], [], /^the document is not an object/],
    ['nothing', [], null, /^the document is not an object/],
  ];
  for (const [what, path, value, message] of bad)
    test(`is refused with ${what}`, () => {
      const document = withValue(whole, path, value);
      assert.notDeepEqual(document, whole);
      assert.throws(() => memoryFromJson(document), { name: 'MalformedError', message });
    });
});

test('a memory is read again whatever users and machines are called', () => {
  const facts = fleetFacts(['gone-by-person'], START_MS + 10_000);
  const audits = facts.audits.items.map((one) => ({
    ...one,
    value: { ...one.value, user: `jane\n${'x'.repeat(10_000)}`, agent: 'y'.repeat(10_000) },
  }));
  const before = memoryAfter(['ready']);
  const { memory } = decide(before, { ...facts, audits: { items: audits, unread: null } });
  assert.equal(memory.tombstones.get('uid-1-0')?.attribution.deleter.kind, 'person');
  assert.deepEqual(memoryFromJson(memoryToJson(memory)), memory);
});
