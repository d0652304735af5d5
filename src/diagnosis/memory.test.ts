import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Hit } from '../evidence/observations.ts';
import { type Cause, clear, found, type Match } from './cause.ts';
import { examine } from './examine.ts';
import { indexFacts } from './fact-index.ts';
import { createMemory } from './memory.ts';
import {
  causeOf,
  hitOf,
  named,
  quoteOf,
  subjectOf,
  A_LEASE,
  A_LOG,
  NO_HITS,
  A_NODE,
  seenPile,
  type Seen,
  A_CLUSTER,
  seenSubjects,
  type Watch,
  watchOf,
} from './testing.ts';

type View = Parameters<NonNullable<Cause['match']>>[0];

const asked: string[] = [];
beforeEach(() => asked.splice(0));

/** A cause of machines with a Node, which reads so. */
const reading = (
  read: (view: View) => unknown,
  change: Partial<Cause> = {},
  match: () => Match = () => clear,
): Cause =>
  causeOf('c', 'networked', {
    needs: ['kube/Node'],
    signs: { s: { in: [], anchors: [], pattern: /x/, weight: 'definite' } },
    match(view) {
      asked.push(view.names[0] ?? 'cluster');
      read(view);
      return match();
    },
    ...change,
  });
const watch = (...given: Parameters<typeof reading>): Watch => watchOf([reading(...given)], asked);
const nothing = (): void => undefined;

/** Whether it is asked again where this is seen after what is seen before. */
const isAsked = (read: (view: View) => unknown, now: Seen, before: Seen = {}): boolean => {
  const { look } = watch(read);
  assert.deepEqual(look(before), ['a']);
  assert.deepEqual(look(before), [], 'nothing changed');
  // The cluster is asked where it has lines of its own.
  return look(now).some((name) => name !== 'cluster');
};

describe('a cause is asked again', () => {
  test('where a fact of a kind that it needs is another', () => {
    assert.equal(isAsked(nothing, { own: [{ ...A_NODE }] }), true);
    assert.equal(isAsked(nothing, { own: [A_NODE, A_LEASE] }), false);
    assert.equal(
      isAsked(nothing, { own: [A_NODE, { ...A_LEASE }] }, { own: [A_NODE, A_LEASE] }),
      false,
    );
  });

  test('where a fact that all share is another and it needs that kind', () => {
    const { look } = watchOf([reading(nothing, { needs: ['kube/Node', 'aws/cluster'] })], asked);
    look();
    assert.deepEqual(look({ shared: [{ ...A_CLUSTER }] }), ['a']);
    assert.equal(isAsked(nothing, { shared: [{ ...A_CLUSTER }] }), false);
  });

  test('where the subject is heard or called otherwise', () => {
    const sources = new Set(['kubelet'] as const);
    for (const now of [
      { hits: [A_LOG] },
      { machine: { node: 'b' } },
      { machine: { cluster: 'shop' } },
      { machine: { names: named('node a', 'host b') } },
      { machine: { sources } },
    ])
      assert.equal(isAsked(nothing, now), true, JSON.stringify(now));
    const same = { hits: [A_LOG], machine: { sources, names: named('node a') } };
    const { look } = watch(nothing);
    look(same);
    const equal = { hits: [A_LOG], machine: { sources: new Set(sources), names: named('node a') } };
    assert.deepEqual(look({ ...equal, own: [A_NODE, A_LEASE] }), []);
  });

  test('where another machine has its name', () => {
    assert.equal(isAsked(nothing, { machine: { instanceId: 'i-1' } }), true);
    assert.equal(isAsked(nothing, { machine: { name: 'b' } }), true);
  });

  test('where lists or refusals are others, as anything may rest on them', () => {
    const listings = [{ kind: 'kube/Pod', by: '', locator: '' }] as const;
    assert.equal(isAsked(nothing, { listings }), true);
    assert.equal(isAsked(nothing, {}, { listings }), true);
    assert.equal(isAsked(nothing, { refusals: ['list pods'] }), true);
    assert.equal(
      isAsked((view) => view.isComplete('kube/Pod'), { listings }),
      true,
    );
    assert.equal(
      isAsked((view) => view.wasRefused('x'), { refusals: ['x'] }),
      true,
    );
  });

  test('not where the very same is looked at again, nor of what went and came back', () => {
    const { look } = watch(nothing);
    look();
    const away = { machine: { name: 'b', names: named('node b') } };
    assert.deepEqual(look(away), ['b']);
    assert.deepEqual(look(), ['a']);
  });
});

describe('a cause is asked again by what it reads of others', () => {
  test('where a fact of anybody is another and it reads all of the kind', () => {
    const all = (view: View) => view.everywhere('aws/cluster');
    assert.equal(isAsked(all, { shared: [{ ...A_CLUSTER }] }), true);
    assert.equal(isAsked(all, { own: [A_NODE, A_LEASE] }), false);
  });

  test('where lines of the cluster are others and it reads how its sign stands there', () => {
    const sign = (view: View) => view.clusterSign('s');
    const own = { clusterHits: [hitOf('c', quoteOf(1), { sign: 's' })] };
    assert.equal(isAsked(sign, own), true);
    assert.equal(isAsked(nothing, own), false);
    assert.equal(isAsked(sign, { clusterHits: [hitOf('d', quoteOf(1))] }), false);
  });

  test('where time went by and it reads the moment', () => {
    const clock = (view: View) => view.nowMs;
    assert.equal(isAsked(clock, { atMs: 1001 }), true);
    assert.equal(isAsked(nothing, { atMs: 1001 }), false);
    const { look } = watch(clock);
    look({ atMs: 1000 }, 500);
    assert.deepEqual(look({ atMs: 1499 }, 500), []);
    assert.deepEqual(look({ atMs: 1500 }, 500), ['a']);
    assert.deepEqual(look({ atMs: 1999 }, 500), []);
    assert.deepEqual(look({ atMs: 2000 }, 500), ['a']);
    assert.deepEqual(look({ atMs: 2000 }, 0), []);
  });

  test('where it began to read the moment later', () => {
    let isTimed = false;
    const { look } = watch((view) => (isTimed ? view.nowMs : null));
    look({ atMs: 1 });
    isTimed = true;
    assert.deepEqual(look({ atMs: 2 }), []);
    assert.deepEqual(look({ atMs: 2, own: [{ ...A_NODE }] }), ['a']);
    assert.deepEqual(look({ atMs: 3, own: [{ ...A_NODE }] }), ['a']);
  });
});

describe('a cause is asked again by what it reads of all machines', () => {
  test('where one has a log that had none', () => {
    const withOthers = (read: (view: View) => unknown) => {
      const [memory, causes] = [createMemory(), [reading(read)]];
      const [machine, cluster] = seenSubjects({});
      assert.ok(machine !== undefined && cluster !== undefined);
      const look = (hits: readonly Hit[]) => {
        const beside = subjectOf({
          name: 'b',
          hits,
          facts: indexFacts([], machine.facts.shared ?? undefined),
        });
        const subjects = [machine, beside, cluster];
        const input = {
          observations: seenPile({}),
          subjects,
          causes,
          catalogueVersion: '7',
          memory,
        };
        memory.look(input);
        examine(input);
        return asked.splice(0);
      };
      look(NO_HITS);
      return look([A_LOG]);
    };
    assert.deepEqual(
      withOthers((view) => view.machinesWithLogs()),
      ['a'],
    );
    assert.deepEqual(
      withOthers((view) => view.knowsNode()),
      ['a'],
    );
    assert.deepEqual(
      withOthers((view) => view.machinesWithoutNode()),
      ['a'],
    );
    assert.deepEqual(withOthers(nothing), []);
  });
});

describe('a cause is asked', () => {
  test('of the cluster where a fact of a kind that it read is another', () => {
    const cause = reading((view) => view.list('kube/Node'), {
      scope: 'cluster',
      needs: ['kube/Node', 'kube/Lease'],
    });
    const { look } = watchOf([cause], asked);
    assert.deepEqual(look(), ['cluster']);
    assert.deepEqual(look({ own: [A_NODE, A_LEASE] }), []);
    assert.deepEqual(look({ own: [{ ...A_NODE }, A_LEASE] }), ['cluster']);
  });

  test('only it, where another one is not concerned', () => {
    const names: string[] = [];
    const causes = (['kube/Node', 'kube/Lease'] as const).map((kind) =>
      causeOf(kind, 'networked', {
        needs: [kind],
        match() {
          names.push(kind);
          return clear;
        },
      }),
    );
    const { look } = watchOf(causes, names);
    assert.deepEqual(look({ own: [A_NODE, A_LEASE] }), ['kube/Node', 'kube/Lease']);
    const lease = { ...A_LEASE };
    assert.deepEqual(look({ own: [A_NODE, lease] }), ['kube/Lease']);
    assert.deepEqual(look({ own: [{ ...A_NODE }, lease] }), ['kube/Node']);
  });

  test('for the first time where its first fact came, of the machine or of all', () => {
    for (const [kind, before, now] of [
      ['kube/Lease', {}, { own: [A_NODE, A_LEASE] }],
      ['aws/cluster', { shared: [] }, {}],
    ] as const) {
      const { look } = watchOf([reading(nothing, { needs: [kind] })], asked);
      assert.deepEqual(look(before), [], kind);
      assert.deepEqual(look(now), ['a'], kind);
    }
  });

  test('no more where its last fact went, whose answer is forgotten', () => {
    const { look, examination } = watch(nothing, {}, () => found({}, [quoteOf(1)]));
    const founds = () => examination().standings[0]?.founds.length;
    look();
    assert.equal(founds(), 1);
    assert.deepEqual(look({ own: [] }), []);
    assert.equal(founds(), 0);
  });
});
