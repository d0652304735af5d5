import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decide } from '../../../src/controllers/lifecycle/decide.ts';
import {
  incomplete,
  type LifecycleFacts,
  LISTS,
} from '../../../src/controllers/lifecycle/facts.ts';
import type { Happening } from '../../../src/controllers/lifecycle/happening.ts';
import { memoryFromJson, memoryToJson } from '../../../src/controllers/lifecycle/memory-json.ts';
import { type LifecycleMemory, NOTHING_KNOWN } from '../../../src/controllers/lifecycle/memory.ts';
import { START_MS } from './facts-of-json.ts';
import { fleetFacts, type State, STATES, UNREAD } from './fleet.ts';

const RUNS = { numRuns: 150 };
const state = fc.constantFrom(...STATES);
const fleet = fc.array(state, { minLength: 1, maxLength: 4 });
/** The states of a fleet at some looks. */
const history = fc
  .integer({ min: 1, max: 4 })
  .chain((size) =>
    fc.array(fc.array(state, { minLength: size, maxLength: size }), { minLength: 1, maxLength: 4 }),
  );

const STEP_MS = 10_000;

function lookAt(states: readonly State[], step: number): LifecycleFacts {
  return fleetFacts(states, START_MS + step * STEP_MS);
}

interface Told {
  readonly memory: LifecycleMemory;
  readonly happenings: readonly Happening[];
}

function follow(looks: readonly LifecycleFacts[], memory = NOTHING_KNOWN): Told {
  const happenings: Happening[] = [];
  let known = memory;
  for (const facts of looks) {
    const decision = decide(known, facts);
    known = decision.memory;
    happenings.push(...decision.happenings);
  }
  return { memory: known, happenings };
}

function looksAt(states: readonly (readonly State[])[]): readonly LifecycleFacts[] {
  return states.map((one, step) => lookAt(one, step));
}

function reversed(facts: LifecycleFacts): LifecycleFacts {
  const lists = LISTS.map((list) => {
    const { items, unread } = facts[list];
    return [list, { items: (items as readonly unknown[]).toReversed(), unread }];
  });
  return { ...facts, ...Object.fromEntries(lists) } as LifecycleFacts;
}

function sorted(map: ReadonlyMap<string, unknown>): readonly string[] {
  return [...map].map((entry) => JSON.stringify(entry)).toSorted();
}

/** What was reported, without the moments at which it was found. */
function essence({ kind, node, uid, instanceId, detail, attribution }: Happening): string {
  const by = attribution === null ? null : [attribution.deleter, attribution.hand];
  return JSON.stringify([kind, node, uid, instanceId, detail, by]);
}

function essences(happenings: readonly Happening[]): readonly string[] {
  return happenings.map(essence).toSorted();
}

/** Some looks later, when everything that was seen is reported. */
function settled(states: readonly State[]): readonly LifecycleFacts[] {
  return [10, 20, 30, 40].map((step) => lookAt(states, step));
}

test('whatever the fleet does, the order of the facts in a look changes nothing', () => {
  fc.assert(
    fc.property(history, (states) => {
      const looks = looksAt(states);
      const [one, other] = [follow(looks), follow(looks.map(reversed))];
      assert.deepEqual(other.happenings, one.happenings);
      assert.deepEqual(sorted(other.memory.tombstones), sorted(one.memory.tombstones));
    }),
    RUNS,
  );
});

test('whatever the fleet does, two changes of two machines are reported alike in both orders', () => {
  fc.assert(
    fc.property(state, state, state, state, (a, b, nextA, nextB) => {
      const end = settled([nextA, nextB]);
      const one = follow([
        ...looksAt([
          [a, b],
          [nextA, b],
          [nextA, nextB],
        ]),
        ...end,
      ]);
      const other = follow([
        ...looksAt([
          [a, b],
          [a, nextB],
          [nextA, nextB],
        ]),
        ...end,
      ]);
      assert.deepEqual(essences(other.happenings), essences(one.happenings));
    }),
    RUNS,
  );
});

test('whatever the fleet does, a look that is repeated reports nothing', () => {
  fc.assert(
    fc.property(history, (states) => {
      const looks = looksAt(states);
      const { memory } = follow(looks);
      const last = looks.at(-1);
      assert.ok(last !== undefined);
      assert.deepEqual(decide(memory, last).happenings, []);
      const end = settled(states.at(-1) ?? []);
      const after = follow(end, memory);
      assert.deepEqual(follow(end.slice(-1), after.memory).happenings, []);
    }),
    RUNS,
  );
});

test('whatever the fleet does, a deletion is reported once, and of no Node that is there', () => {
  fc.assert(
    fc.property(history, (states) => {
      const end = states.at(-1) ?? [];
      const { happenings } = follow([...looksAt(states), ...settled(end)]);
      const uids = happenings.filter(({ kind }) => kind === 'deleted').map(({ uid }) => uid);
      // A Node that is back after its deletion was reported may go again.
      const backs = happenings.filter(({ detail }) => detail?.startsWith('uid as before') === true);
      assert.ok(uids.length - new Set(uids).size <= backs.length, uids.join(' '));
      const [settling] = settled(end);
      const there = new Set(settling?.nodes.items.map(({ value }) => value.uid));
      const lastOf = new Map(
        happenings
          .filter(({ kind }) => /^(?:deleted|re-created|registered)$/.test(kind))
          .map((one) => [one.uid, one.kind]),
      );
      for (const uid of there) assert.notEqual(lastOf.get(uid), 'deleted');
    }),
    RUNS,
  );
});

test('whatever the fleet does, a restart that loses the memory reports no deletion, unless an Event or the audit log does', () => {
  fc.assert(
    fc.property(history, fleet, (states, after) => {
      const facts = lookAt(after, states.length);
      const fresh = follow([facts, ...settled(after)]);
      const said = after.filter((one) => one === 'gone-by-cloud' || one === 'ended-and-gone');
      const deleted = fresh.happenings.filter(({ kind }) => kind === 'deleted');
      assert.equal(deleted.length, said.length);
      for (const { noticed } of deleted) assert.equal(noticed.how, 'after-gap');
    }),
    RUNS,
  );
});

test('whatever the fleet does, a list of Nodes that cannot be read reports no deletion', () => {
  fc.assert(
    fc.property(history, fleet, (states, after) => {
      const { memory } = follow([...looksAt(states), ...settled(states.at(-1) ?? [])]);
      const unread = settled(after).map((facts) => ({
        ...facts,
        nowMs: facts.nowMs + 1_000_000,
        nodes: incomplete<never>(UNREAD),
      }));
      const { happenings } = follow(unread, memory);
      assert.deepEqual(
        happenings.filter(({ kind }) => kind === 'deleted'),
        [],
      );
    }),
    RUNS,
  );
});

test('whatever the fleet does, a memory that was kept as JSON reports the same', () => {
  fc.assert(
    fc.property(history, fleet, (states, after) => {
      const { memory } = follow(looksAt(states));
      const again = memoryFromJson(memoryToJson(memory));
      assert.deepEqual(again, memory);
      const size = states[0]?.length ?? 1;
      const facts = lookAt(after.slice(0, size), 9);
      assert.deepEqual(decide(again, facts), decide(memory, facts));
    }),
    RUNS,
  );
});
