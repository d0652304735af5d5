import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hit, Observations } from '../evidence/observations.ts';
import { nodeOf, podOf, readyIs } from '../evidence/testing.ts';
import type { Subject } from './subject.ts';
import { createAssembler } from './subjects.ts';
import { factOf, fileOf, logOf, named, observationsOf } from './testing.ts';

const COLLECTION = { atMs: 1_000_000, cluster: 'shop', asked: [], refusals: [], shortened: [] };
const ONE = 'i-0123456789abcdef0';
const NODE = factOf('kube/Node', nodeOf('web-1'), named('node web-1'));
const LEASE = factOf('kube/Lease', {} as never, named('node web-1'));
const CLUSTER = factOf('aws/cluster', { name: 'shop' } as never);
const LOG = logOf('node web-1');
const BASE: Partial<Observations> = {
  documents: [fileOf()],
  facts: [NODE, LEASE, CLUSTER],
  hits: [LOG],
  collection: COLLECTION,
};

/** The machine at one look and at the next, of which this is otherwise. */
function twice(now: Partial<Observations>, before: Partial<Observations> = {}) {
  const assemble = createAssembler();
  const machineIn = (change: Partial<Observations>): Subject =>
    assemble(observationsOf({ ...BASE, ...change }))[0] ?? assert.fail();
  return [machineIn(before), machineIn(now)] as const;
}

function isKept(now: Partial<Observations>, before: Partial<Observations> = {}): boolean {
  const [one, other] = twice(now, before);
  return one === other;
}

const pod = (name: string, startedMs: number, reason: string | null) => {
  const waiting = {
    name: 'x',
    ready: false,
    state: { waiting: { reason: reason ?? 'Failing' } },
  };
  const startTime = new Date(startedMs).toISOString();
  const status = { startTime, conditions: [readyIs('False')], containerStatuses: [waiting] };
  const place = { spec: { nodeName: 'web-1' }, status };
  const namespace = reason === null ? 'kube-system' : 'default';
  return factOf('kube/Pod', podOf(place, { name, namespace }), named('node web-1'));
};
const said = ({ hits }: Subject) =>
  hits
    .filter(({ owner }) => owner.startsWith('symptom:'))
    .map(({ owner, first }) => `${owner.slice('symptom:'.length)}: ${first.excerpt}`);

describe('a subject is the same object', () => {
  test('as long as its facts, lines, names and surroundings are the same', () => {
    assert.equal(isKept({}), true);
    assert.equal(isKept({ facts: [NODE, LEASE, CLUSTER], hits: [LOG] }), true);
    assert.equal(isKept({ collection: { ...COLLECTION, atMs: 9_000_000 } }), true);
  });

  for (const [title, change] of [
    ['a fact', { facts: [NODE, { ...LEASE }, CLUSTER] }],
    ['one fact fewer', { facts: [NODE, CLUSTER] }],
    ['a fact of all', { facts: [NODE, LEASE, { ...CLUSTER }] }],
    ['a line', { hits: [{ ...LOG }] }],
    ['one line more', { hits: [LOG, logOf('node web-1')] }],
    ['a name', { links: [{ names: named('node web-1', 'host h'), proof: '', locator: '' }] }],
    ['the name of the cluster', { collection: { ...COLLECTION, cluster: 'other' } }],
    ['a source', { documents: [fileOf({ sources: ['kubelet'] })] }],
  ] as const)
    test(`until it has another: ${title}`, () => assert.equal(isKept(change), false));

  test('and lists of what did not change are the same lists', () => {
    const [one, other] = twice({ facts: [NODE, { ...LEASE }, CLUSTER] });
    assert.equal(one.hits, other.hits);
    assert.equal(one.facts.own('kube/Node'), other.facts.own('kube/Node'));
    assert.equal(one.facts.shared, other.facts.shared);
    assert.notEqual(one.facts.own('kube/Lease'), other.facts.own('kube/Lease'));
  });
});

describe('what only states show of a machine', () => {
  const node = (isClosed: boolean, name = 'web-1') =>
    factOf(
      'kube/Node',
      nodeOf('web-1', { ready: true, unschedulable: isClosed }),
      named(`node ${name}`),
    );
  const shownIn = (hits: readonly Hit[]) =>
    hits.filter(({ owner }) => owner.startsWith('symptom:')).map(({ owner }) => owner);

  test('is the same as long as it says the same', () => {
    const facts = [node(true), CLUSTER];
    const [one, other] = twice({ facts }, { facts });
    assert.equal(one, other);
    assert.deepEqual(shownIn(other.hits), ['symptom:node-cordoned']);
  });

  test('goes and comes with its state', () => {
    const [closed, opened] = twice({ facts: [node(false)] }, { facts: [node(true)] });
    assert.deepEqual([shownIn(closed.hits), shownIn(opened.hits)], [['symptom:node-cordoned'], []]);
    const [, again] = twice({ facts: [node(true)] }, { facts: [node(false)] });
    assert.deepEqual(shownIn(again.hits), ['symptom:node-cordoned']);
  });

  const lonely = (launchedMs: number) =>
    factOf(
      'aws/instance',
      {
        InstanceId: ONE,
        State: { Name: 'running' },
        LaunchTime: new Date(launchedMs).toISOString(),
      } as never,
      named(`instance-id ${ONE}`),
    );
  const listings = [{ kind: 'kube/Node', by: '', locator: '' }] as const;
  const live = (atMs: number, launchedMs = 0) => ({
    facts: [lonely(launchedMs)],
    hits: [],
    listings,
    collection: { ...COLLECTION, atMs },
  });

  test('comes with time alone, of a machine that does not register', () => {
    const [young, old] = twice(live(400_000), live(200_000));
    assert.deepEqual(
      [shownIn(young.hits), shownIn(old.hits)],
      [[], ['symptom:machine-without-node']],
    );
  });

  test('stays the same object at another moment, and is another where it says another', () => {
    const facts = [lonely(0)];
    const [one, other] = twice({ ...live(500_000), facts }, { ...live(400_000), facts });
    assert.equal(one, other);
    const [, later] = twice(live(900_000, 1000), live(900_000));
    assert.match(
      later.hits.find(({ owner }) => owner === 'symptom:machine-without-node')?.first.excerpt ?? '',
      /since 1970-01-01T00:00:01/,
    );
  });
});

describe('what pods show of a machine', () => {
  test('counts pods again as time passes, beside what stays the same', () => {
    const facts = [
      NODE,
      pod('aws-node-x', 0, null),
      pod('a', 0, 'ContainerCreating'),
      pod('b', 100_000, 'ContainerCreating'),
    ];
    const at = (atMs: number) => ({ facts, hits: [], collection: { ...COLLECTION, atMs } });
    const [one, both] = twice(at(300_000), at(150_000));
    assert.deepEqual(
      said(one).map((text) => /\(\d of them on this Node\)|of the pod network/.exec(text)?.[0]),
      ['(1 of them on this Node)', 'of the pod network'],
    );
    assert.deepEqual(
      said(both).map((text) => /\(\d of them on this Node\)|of the pod network/.exec(text)?.[0]),
      ['(2 of them on this Node)', 'of the pod network'],
    );
    const [kept, same] = twice(at(400_000), at(300_000));
    assert.equal(kept, same);
  });

  test('is looked for again beside other evidence, where there is a Node', () => {
    const facts = [NODE, pod('a', 100_000, 'ContainerCreating')];
    const at = (atMs: number) => ({ facts, hits: [], collection: { ...COLLECTION, atMs } });
    const [before, now] = twice(at(900_000), at(150_000));
    assert.deepEqual([said(before).length, said(now).length], [0, 1]);
  });
});
