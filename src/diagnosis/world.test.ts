import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Collection, FactRecord, Observations, Refusal } from '../evidence/observations.ts';
import { nodeOf } from '../evidence/testing.ts';
import { indexFacts } from './fact-index.ts';
import type { Subject } from './subject.ts';
import { factOf, hitOf, named, observationsOf, quoteOf, subjectOf } from './testing.ts';
import { type Changes, changesBetween, type World } from './world.ts';

const COLLECTION: Collection = {
  atMs: 1000,
  cluster: 'shop',
  asked: [],
  refusals: [],
  shortened: [],
};
const REFUSAL: Refusal = {
  call: 'list nodes',
  message: '',
  failure: 'denied',
  permission: 'nodes',
};
const LISTING = { kind: 'kube/Pod', by: 'a', locator: 'b' } as const;
const SHARED = factOf('aws/cluster', { name: 'shop' } as never);
const NODE = factOf('kube/Node', nodeOf('node00'), named('node node00'));
const LINE = hitOf('c', quoteOf(1));
const BOOT = hitOf('milestone:kubelet-started', quoteOf(2));

function pileOf(change: Partial<Observations> = {}, collected: Partial<Collection> = {}) {
  return observationsOf({ collection: { ...COLLECTION, ...collected }, ...change });
}

/** A machine and the cluster that shares its facts with it. */
function worldOf(
  observations: Observations,
  own: readonly FactRecord[] = [NODE],
  cluster: Partial<Subject> = {},
  shared: readonly FactRecord[] = [SHARED],
  machine: Partial<Subject> = {},
): World {
  const facts = indexFacts(own, indexFacts(shared));
  const all = indexFacts([...own, ...shared]);
  return {
    observations,
    subjects: [
      subjectOf({ ...machine, facts }),
      subjectOf({ kind: 'Cluster', name: 'shop', ...cluster, facts: all }),
    ],
  };
}

function shown({ isAll, shared, elsewhere }: Changes): readonly string[] {
  if (isAll) return ['all'];
  return [...[...shared].map((kind) => `shared ${kind}`), ...[...elsewhere].toSorted()];
}

/** What changed, where causes `c` and `d` read the cluster's lines. */
function between(before: World | null, now: World): readonly string[] {
  return shown(changesBetween(before, now, new Set(['c', 'd'])));
}

const BASE = worldOf(pileOf());

describe('nothing may be kept', () => {
  const listed = (change: Partial<typeof LISTING>) =>
    worldOf(pileOf({ listings: [{ ...LISTING, ...change }] }));
  const refused = (change: Partial<Refusal>) =>
    worldOf(pileOf({}, { refusals: [{ ...REFUSAL, ...change }] }));
  const cut = (locator: string) =>
    worldOf(pileOf({ facts: [{ ...SHARED, extent: 'part', locator }] }));

  test('at the first look', () => assert.deepEqual(between(null, BASE), ['all']));

  test('of evidence that others collected', () => {
    assert.deepEqual(between(BASE, worldOf(observationsOf())), ['all']);
  });

  for (const [title, before, now] of [
    ['a list came', BASE, listed({})],
    ['a list went', listed({}), BASE],
    ['another kind was listed', listed({}), listed({ kind: 'kube/Node' as 'kube/Pod' })],
    ['another listed it', listed({}), listed({ by: 'x' as 'a' })],
    ['it was listed elsewhere', listed({}), listed({ locator: 'x' as 'b' })],
    ['a call was refused', BASE, refused({})],
    ['a call was answered again', refused({}), BASE],
    ['another call was refused', refused({}), refused({ call: 'list pods' })],
    ['it was refused otherwise', refused({}), refused({ failure: 'unreachable' })],
    ['another permission lacks', refused({}), refused({ permission: null })],
    ['the cluster has another name', BASE, worldOf(pileOf({}, { cluster: 'other' }))],
    ['an object is shown in part', BASE, cut('x')],
    ['another object is shown in part', cut('x'), cut('y')],
    ['the cluster came', { ...BASE, subjects: BASE.subjects.slice(0, 1) }, BASE],
    ['the cluster went', BASE, { ...BASE, subjects: BASE.subjects.slice(0, 1) }],
  ] as const)
    test(`where ${title}`, () => assert.deepEqual(between(before, now), ['all']));
});

describe('kept is all', () => {
  test('where the same is seen at another moment', () => {
    assert.deepEqual(between(BASE, worldOf(pileOf({}, { atMs: 9000 }))), []);
    assert.deepEqual(between(BASE, BASE), []);
  });

  test('where lists, refusals and cut objects are equal', () => {
    const made = () =>
      worldOf(
        pileOf(
          { listings: [{ ...LISTING }], facts: [{ ...SHARED, extent: 'part' }] },
          { refusals: [{ ...REFUSAL, message: String(Math.PI) }] },
        ),
      );
    assert.deepEqual(between(made(), made()), []);
  });

  test('where lists and refusals came in another order and number', () => {
    const lists = [LISTING, { ...LISTING, locator: 'x' as 'b' }];
    const refusals = [REFUSAL, { ...REFUSAL, call: 'list pods' }];
    const ordered = worldOf(pileOf({ listings: lists }, { refusals }));
    const other = worldOf(
      pileOf({ listings: [...lists, ...lists].toReversed() }, { refusals: refusals.toReversed() }),
    );
    assert.deepEqual(between(ordered, other), []);
  });

  test('where there is nothing to look at', () => {
    const nothing = (): World => ({ observations: pileOf(), subjects: [] });
    assert.deepEqual(between(nothing(), nothing()), []);
  });
});

describe('what changed', () => {
  const seen = (lines: Subject['hits']) => worldOf(pileOf(), [NODE], { hits: lines });

  test('is a kind of facts of one machine, which is of all machines too', () => {
    const other = worldOf(pileOf(), [{ ...NODE }]);
    assert.deepEqual(between(BASE, other), ['all kube/Node', 'everything']);
  });

  test('is a kind of facts that all share', () => {
    const other = worldOf(pileOf(), [NODE], {}, [{ ...SHARED }]);
    assert.deepEqual(between(BASE, other), ['shared aws/cluster', 'all aws/cluster', 'everything']);
  });

  test('is any line of the pile', () => {
    const other = worldOf(pileOf({ hits: [LINE] }));
    assert.deepEqual(between(BASE, other), ['everything']);
    assert.deepEqual(between(other, worldOf(pileOf({ hits: [LINE] }))), []);
  });

  test('is a line of the cluster, for the cause that it is of', () => {
    assert.deepEqual(between(BASE, seen([LINE])), ['cluster c']);
    assert.deepEqual(between(seen([LINE]), seen([LINE])), []);
    assert.deepEqual(between(seen([LINE]), seen([{ ...LINE }])), ['cluster c']);
    assert.deepEqual(between(BASE, seen([hitOf('e', quoteOf(1))])), []);
  });

  test('is a success of the cluster, for every cause', () => {
    assert.deepEqual(between(BASE, seen([BOOT])), ['cluster c', 'cluster d']);
    assert.deepEqual(between(seen([BOOT]), seen([BOOT])), []);
  });

  test('is a line of the cluster that comes last, of several', () => {
    const two = (hits: Subject['hits']): World => ({
      ...BASE,
      subjects: [...seen([]).subjects, ...seen(hits).subjects.slice(1)],
    });
    assert.deepEqual(between(two([]), two([LINE])), ['cluster c']);
  });

  test('is nothing of a cluster where there is none', () => {
    const alone = { ...BASE, subjects: BASE.subjects.slice(0, 1) };
    assert.deepEqual(between(alone, { ...alone }), []);
  });
});

describe('all machines together are others', () => {
  const machine = (change: Partial<Subject>) => worldOf(pileOf(), [], {}, [SHARED], change);
  const silent = machine({});
  const log = { hits: [hitOf('e', quoteOf(1))] };

  test('where one has a log that had none', () => {
    assert.deepEqual(between(silent, machine(log)), ['fleet']);
    assert.deepEqual(between(machine(log), silent), ['fleet']);
    assert.deepEqual(between(machine(log), machine(log)), []);
  });

  test('where one joined', () => {
    const joined = { hits: [...log.hits, hitOf('milestone:node-ready', quoteOf(2))] };
    assert.deepEqual(between(machine(log), machine(joined)), ['fleet']);
  });

  test('where one outside the complete list of Nodes has another name', () => {
    const listings = (kind: 'kube/Node' | 'kube/Pod') => [{ ...LISTING, kind }];
    const called = (name: string, kind: 'kube/Node' | 'kube/Pod') =>
      worldOf(pileOf({ listings: listings(kind) }), [], {}, [SHARED], { ...log, name });
    assert.deepEqual(between(called('a', 'kube/Node'), called('b', 'kube/Node')), ['fleet']);
    assert.deepEqual(between(called('a', 'kube/Pod'), called('b', 'kube/Pod')), []);
  });
});
