import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FactKind } from '../evidence/kinds.ts';
import type { Collection, Extent, FactRecord, Hit } from '../evidence/observations.ts';
import { nodeOf } from '../evidence/testing.ts';
import type { Cause, View } from './cause.ts';
import { indexFacts } from './fact-index.ts';
import type { Subject } from './subject.ts';
import { causeOf, factOf, hitOf, quoteOf, subjectOf } from './testing.ts';
import { createView, readSigns, type SignReading, type Surroundings } from './view.ts';

const NOTHING: SignReading = {
  standing: new Map(),
  withdrawn: false,
  cleared: false,
  thin: new Set(),
};

const CAUSE: Cause = causeOf('c', 'reachable', {
  withdrawnBy: ['node-ready'],
  signs: {
    failed: { weight: 'likely' },
    often: { weight: 'likely', atLeast: 3 },
    over: { weight: 'withdraws' },
    fine: { weight: 'clears' },
  } as never,
});

/** A line of the cause, at so many ms. */
const seen = (sign: string, ms: number | null, change: Partial<Hit> = {}): Hit =>
  hitOf('c', quoteOf(ms === null ? 1 : ms, ms, ms === null ? 1 : 0), { sign, ...change });

const read = (hits: readonly Hit[], cause = CAUSE): SignReading =>
  readSigns(cause, subjectOf({ hits }));
const standing = (hits: readonly Hit[], cause = CAUSE): readonly string[] => [
  ...read(hits, cause).standing.keys(),
];

describe('signs of a cause', () => {
  test('stand while no success takes them back', () => {
    assert.deepEqual(standing([seen('failed', 10)]), ['failed']);
    assert.deepEqual(standing([seen('over', 5), seen('failed', 10)]), ['failed']);
    assert.deepEqual(standing([hitOf('other', quoteOf(1, 1), { sign: 'failed' })]), []);
    assert.deepEqual(read([]), NOTHING);
  });

  test('are withdrawn by a later success, of its own or of a stage', () => {
    for (const success of [seen('over', 20), hitOf('milestone:node-ready', quoteOf(20, 20))]) {
      const { withdrawn, standing: left } = read([seen('failed', 10), success]);
      assert.deepEqual([withdrawn, left.size], [true, 0]);
    }
    const other = hitOf('milestone:other', quoteOf(20, 20));
    assert.deepEqual(standing([seen('failed', 10), other]), ['failed']);
    assert.equal(read([seen('failed', 10), other]).withdrawn, false);
  });

  test('are withdrawn for one object by a success of the same alone', () => {
    const failed = seen('failed', 10, { object: 'a' });
    assert.deepEqual(standing([failed, seen('over', 20, { object: 'b' })]), ['failed']);
    assert.deepEqual(standing([failed, seen('over', 20, { object: 'a' })]), []);
    assert.deepEqual(standing([failed, seen('over', 20)]), []);
    assert.deepEqual(standing([seen('failed', 10), seen('over', 20, { object: 'b' })]), []);
    assert.deepEqual(
      standing([failed, hitOf('milestone:node-ready', quoteOf(20, 20), { object: 'b' })]),
      [],
    );
  });

  test('without a stamp are not named beside a success of another file', () => {
    assert.deepEqual(standing([seen('failed', null), seen('over', 20)]), []);
    const sameFile = hitOf('c', quoteOf(20, null, 0), { sign: 'failed' });
    assert.deepEqual(standing([sameFile, hitOf('c', quoteOf(10, null, 0), { sign: 'over' })]), [
      'failed',
    ]);
    const state = (sinceMs?: number): Hit => {
      const quote = quoteOf(1, null, 1);
      const moment = { ...quote.moment, ...(sinceMs === undefined ? {} : { sinceMs }) };
      const dated = { ...quote, moment };
      return hitOf('c', dated, { sign: 'failed', last: dated });
    };
    assert.deepEqual(standing([state(30), seen('over', 20)]), ['failed']);
    assert.deepEqual(standing([state(10), seen('over', 20)]), []);
    const later = quoteOf(20, 20);
    const dump = { ...later, moment: { ...later.moment, isState: true } };
    const fine = hitOf('c', dump, { sign: 'over', last: dump });
    const line = quoteOf(1, null, 1);
    assert.deepEqual(standing([hitOf('c', line, { sign: 'failed' }), fine]), []);
  });

  test('that say that all is well clear the cause', () => {
    const { cleared, standing: left } = read([seen('fine', 10)]);
    assert.deepEqual([cleared, left.size], [true, 0]);
    assert.equal(read([seen('failed', 10)]).cleared, false);
  });
});

describe('signs seen more than once', () => {
  test('that have to be seen often are counted since the last success', () => {
    const times = (count: number, ...ms: readonly number[]): Hit =>
      seen('often', ms.at(-1) ?? 0, { count, quotes: ms.map((one) => quoteOf(one, one)) });
    assert.deepEqual(standing([times(3, 10, 11, 12)]), ['often']);
    assert.deepEqual(standing([times(2, 10, 11)]), []);
    assert.deepEqual(standing([times(2, 10, 11), times(1, 12)]), ['often']);
    assert.deepEqual(standing([times(3, 10, 30, 31), seen('over', 20)]), []);
    assert.deepEqual(standing([times(4, 10, 30, 31, 32), seen('over', 20)]), ['often']);
    const ofObject = { ...times(3, 10, 30, 31), object: 'a' };
    assert.deepEqual(standing([ofObject, seen('over', 20, { object: 'b' })]), ['often']);
  });

  test('are one sighting: how often, from when to when, with a few quotes', () => {
    const many = [30, 10, 20].map((ms) =>
      seen('failed', ms, { count: 2, quotes: [quoteOf(ms, ms), quoteOf(ms + 1, ms + 1)] }),
    );
    const sighting = read(many).standing.get('failed') ?? assert.fail();
    assert.equal(sighting.count, 6);
    assert.deepEqual([sighting.first.moment.when?.ms, sighting.last.moment.when?.ms], [10, 30]);
    assert.deepEqual(
      sighting.quotes.map(({ moment }) => moment.when?.ms),
      [30, 31, 10, 11],
    );
  });
});

interface Seeing {
  readonly subject?: Partial<Subject>;
  readonly facts?: readonly FactRecord[];
  readonly reading?: SignReading;
  readonly around?: Partial<Surroundings>;
}

function view({
  subject = {},
  facts = [],
  reading = NOTHING,
  around = {},
}: Seeing = {}): View<FactKind, string> {
  const whole = { listings: [], collection: null, ...around };
  return createView(subjectOf(subject, facts), reading, whole);
}

const node = (name: string, extent: Extent = 'whole'): FactRecord<'kube/Node'> => ({
  ...factOf('kube/Node', nodeOf(name), [{ kind: 'node', value: name }]),
  extent,
});
const LISTED = [{ kind: 'kube/Node', by: 'kubectl get nodes', locator: 'x' } as const];
const COLLECTION: Collection = {
  atMs: 5,
  cluster: null,
  asked: [],
  shortened: [],
  refusals: [{ call: 'ec2:DescribeVpcs', message: '', failure: 'denied', permission: null }],
};

describe('what a cause reads', () => {
  const nameOf = (facts: readonly FactRecord[], more: Seeing = {}): string => {
    const fact = view({ facts, ...more }).read('kube/Node');
    return fact.state === 'seen' ? fact.value.name : fact.state;
  };

  test('is the first in the richest form', () => {
    assert.equal(
      nameOf([node('row', 'row'), node('part', 'part'), node('whole'), node('later')]),
      'whole',
    );
    assert.equal(nameOf([node('row', 'row'), node('part', 'part')]), 'part');
    assert.equal(nameOf([node('row', 'row')]), 'row');
  });

  test('is absent where all were listed, and unknown otherwise', () => {
    assert.equal(nameOf([], { around: { listings: LISTED } }), 'absent');
    assert.equal(nameOf([]), 'unknown');
    assert.deepEqual(view().read('kube/Node'), {
      state: 'unknown',
      why: {
        reason: 'not-collected',
        detail: 'kube/Node is not in this evidence',
        collect: null,
      },
    });
  });

  test('is unknown of several machines while nobody knows whose the lines are', () => {
    const subject = { kind: 'Cluster' } as const;
    const scope = { scope: 'machine' } as const;
    const two = [node('a'), node('b')];
    assert.equal(nameOf(two, { subject, around: scope }), 'unknown');
    assert.equal(nameOf([node('a'), node('a')], { subject, around: scope }), 'a');
    assert.equal(
      nameOf([factOf('kube/Node', nodeOf('c')), node('a')], { subject, around: scope }),
      'c',
    );
    assert.equal(nameOf(two, { around: scope }), 'a');
    assert.equal(nameOf(two, { subject }), 'a');
  });

  test('are all of a kind, here and everywhere', () => {
    const facts = [node('a')];
    const all = indexFacts([node('a'), node('b')]);
    assert.equal(view({ facts, around: { all } }).list('kube/Node').length, 1);
    assert.equal(view({ facts, around: { all } }).everywhere('kube/Node').length, 2);
    assert.equal(view({ facts }).everywhere('kube/Node').length, 1);
  });

  test('is complete when it was listed, and cut when it was collected without', () => {
    const complete = (around: Partial<Surroundings>): readonly boolean[] => {
      const seeing = view({ around });
      return [seeing.isComplete('kube/Node'), seeing.isCut('kube/Node')];
    };
    assert.deepEqual(complete({}), [false, false]);
    assert.deepEqual(complete({ listings: LISTED }), [true, false]);
    assert.deepEqual(complete({ collection: COLLECTION }), [false, true]);
    assert.deepEqual(complete({ listings: LISTED, collection: COLLECTION }), [true, false]);
  });
});

describe('a view of one subject', () => {
  test('is the names of its subject, its signs and the time', () => {
    const subject = {
      names: [{ kind: 'host', value: 'h' } as const],
      instanceId: 'i-1',
      node: 'n',
      hits: [hitOf('symptom:boot-verdict', quoteOf(1))],
    };
    const sighting = { count: 1, first: quoteOf(1), last: quoteOf(1), quotes: [] };
    const reading = { ...NOTHING, standing: new Map([['failed', sighting]]) };
    const seeing = view({
      subject,
      reading,
      around: { collection: COLLECTION, cluster: () => reading },
    });
    assert.deepEqual(
      [seeing.names, seeing.instanceId, seeing.node, seeing.nowMs, seeing.isLive],
      [['h'], 'i-1', 'n', 5, true],
    );
    assert.deepEqual([seeing.sign('failed'), seeing.sign('x')], [sighting, null]);
    assert.deepEqual([seeing.clusterSign('failed'), seeing.clusterSign('x')], [sighting, null]);
    assert.deepEqual([seeing.shows('boot-verdict'), seeing.shows('api-silent')], [true, false]);
    assert.deepEqual(
      [seeing.wasRefused('ec2:DescribeVpcs'), seeing.wasRefused('x')],
      [true, false],
    );
    const bare = view();
    assert.deepEqual(
      [bare.clusterSign('failed'), bare.nowMs, bare.isLive, bare.wasRefused('x')],
      [null, null, false, false],
    );
  });

  test('has what people tell beside its log, unless somebody collected it', () => {
    const sighting = { count: 1, first: quoteOf(1), last: quoteOf(1), quotes: [] };
    const cluster = (): SignReading => ({ ...NOTHING, standing: new Map([['told', sighting]]) });
    const told = new Set(['told']);
    assert.equal(view({ around: { cluster, told } }).sign('told'), sighting);
    assert.equal(view({ around: { cluster } }).sign('told'), null);
    assert.equal(view({ around: { cluster, told, collection: COLLECTION } }).sign('told'), null);
  });

  test('is quoted without secrets', () => {
    const fact = view({ facts: [node('a')] }).read('kube/Node');
    assert.ok(fact.state === 'seen');
    const quote = view().quote(
      fact,
      'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
    );
    assert.deepEqual([quote.source, quote.locator, quote.captures], ['object', 'test:1', {}]);
    assert.ok(!quote.excerpt.includes('wJalr'));
    assert.deepEqual(quote.moment, { when: null, at: { document: -1, line: 0 }, isState: true });
  });
});

const milestone = (id: string, ms: number): Hit => hitOf(`milestone:${id}`, quoteOf(ms, ms));
const symptom = (id: string, ms: number): Hit => hitOf(`symptom:${id}`, quoteOf(ms, ms));
const log = hitOf('x', quoteOf(1, 1));
const machine = (
  name: string,
  hits: readonly Hit[],
  facts: readonly FactRecord[] = [],
  change: Partial<Subject> = {},
): Subject => subjectOf({ name, hits, ...change }, facts);
const instance = (state: string): FactRecord =>
  factOf('aws/instance', { InstanceId: 'i-1', State: { Name: state } } as never);

const MACHINES_AROUND = [
  ['whose Node was deleted', machine('m', [symptom('node-object-deleted', 10)]), [true, true]],
  [
    'whose Node was deleted before it came back',
    machine('m', [symptom('node-object-deleted', 10), milestone('node-registered', 20)]),
    [false, true],
  ],
  [
    'whose Node was deleted before it was Ready',
    machine('m', [symptom('node-object-deleted', 10), milestone('node-ready', 20)]),
    [false, false],
  ],
  [
    'whose Node was deleted after it came back',
    machine('m', [milestone('node-registered', 5), symptom('node-object-deleted', 10)]),
    [true, true],
  ],
  ['with logs alone', machine('m', [log]), [false, true]],
  [
    'without logs',
    machine('m', [hitOf('symptom:node-object-deleted', quoteOf(1, 1), { onMachine: false })]),
    [false, false],
  ],
  ['with a Node', machine('m', [symptom('node-object-deleted', 10)], [node('m')]), [false, false]],
  [
    'that has ended',
    machine('m', [symptom('node-object-deleted', 10)], [instance('terminated')], {
      instanceId: 'i-1',
    }),
    [false, false],
  ],
  [
    'that runs',
    machine('m', [symptom('node-object-deleted', 10)], [instance('running')], {
      instanceId: 'i-1',
    }),
    [true, true],
  ],
  [
    'beside another that has ended',
    machine('m', [symptom('node-object-deleted', 10)], [instance('terminated')], {
      instanceId: 'i-2',
    }),
    [true, true],
  ],
  [
    'that is the cluster',
    machine('m', [symptom('node-object-deleted', 10)], [], { kind: 'Cluster' }),
    [false, false],
  ],
] as const;

describe('machines around', () => {
  for (const [title, subject, outside] of MACHINES_AROUND)
    test(`one ${title} has ${outside[0] ? 'no Node' : 'one, as far as is known'}`, () => {
      const names = (listings: Surroundings['listings']): boolean =>
        view({ around: { subjects: [subject], listings } }).machinesWithoutNode().length === 1;
      assert.deepEqual([names([]), names(LISTED)], outside);
    });

  test('have logs, and have joined or not', () => {
    const subjects = [
      machine('a', [log]),
      machine('b', [log], [node('b')]),
      machine('c', [milestone('node-registered', 1)]),
      machine('d', [milestone('node-reported', 1)]),
      machine('e', [milestone('node-ready', 1)]),
      machine('f', [milestone('other', 1)]),
      machine('g', [hitOf('x', quoteOf(1), { onMachine: false })]),
      machine('h', [log], [], { kind: 'Cluster' }),
    ];
    assert.deepEqual(view({ around: { subjects } }).machinesWithLogs(), { all: 6, unjoined: 2 });
    assert.deepEqual(view().machinesWithLogs(), { all: 0, unjoined: 0 });
    assert.deepEqual(view().machinesWithoutNode(), []);
  });

  test('are known as Nodes where one of them is', () => {
    const knows = (name: string | null): boolean =>
      view({
        around: { subjects: [machine('a', []), machine('b', [], [], { node: name })] },
      }).knowsNode();
    assert.deepEqual([knows('b'), knows(null), view().knowsNode()], [true, false, false]);
  });
});
