import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nodeOf } from '../evidence/testing.ts';
import { indexFacts } from './fact-index.ts';
import { factOf, hitOf, observationsOf, quoteOf, subjectOf } from './testing.ts';
import { newReads, type Reads, trackedObservations, trackedSubject } from './tracked.ts';

const SHARED = factOf('aws/cluster', { name: 'shop' } as never);
const NODE = factOf('kube/Node', nodeOf('node00'));
const PART = { ...factOf('kube/Lease', {} as never), extent: 'part' } as const;
const SUBJECT = subjectOf({ facts: indexFacts([NODE, PART], indexFacts([SHARED])) });
const { facts: FACTS } = SUBJECT;

describe('of a subject is noted', () => {
  const read = (look: (facts: typeof FACTS) => unknown): readonly [unknown, readonly string[]] => {
    const reads = newReads();
    const value = look(trackedSubject(SUBJECT, reads).facts);
    assert.deepEqual([...reads.elsewhere], []);
    return [value, [...reads.kinds]];
  };

  test('each kind of facts that is read, in whatever way', () => {
    const kinds = ['kube/Node'];
    assert.deepEqual(
      read((facts) => facts.of('kube/Node')),
      [FACTS.of('kube/Node'), kinds],
    );
    assert.deepEqual(
      read((facts) => facts.seen('kube/Node')),
      [FACTS.seen('kube/Node'), kinds],
    );
    assert.deepEqual(
      read((facts) => facts.own('kube/Node')),
      [[NODE], kinds],
    );
    assert.deepEqual(
      read((facts) => facts.has('kube/Node')),
      [true, kinds],
    );
    assert.deepEqual(
      read((facts) => facts.has('kube/Pod')),
      [false, ['kube/Pod']],
    );
  });

  test('each kind whose cut objects would count', () => {
    const look = ['kube/Pod', 'kube/Lease'] as const;
    assert.deepEqual(
      read((facts) => facts.firstCut(look)),
      [PART, look],
    );
  });

  test('nothing where only its kinds and its own words are looked at', () => {
    assert.deepEqual(
      read(({ ownKinds, shared }) => [ownKinds, shared]),
      [[FACTS.ownKinds, FACTS.shared], []],
    );
    const { name, hits, kind } = trackedSubject(SUBJECT, newReads());
    assert.deepEqual([name, hits, kind], [SUBJECT.name, SUBJECT.hits, 'Machine']);
  });
});

describe('of the evidence is noted', () => {
  const collection = { atMs: 7, cluster: 'shop', asked: [], refusals: [], shortened: [] };
  const whole = observationsOf({ facts: [NODE], hits: [hitOf('c', quoteOf(1))], collection });
  const read = (look: (observations: typeof whole) => unknown, of = whole) => {
    const reads: Reads = newReads();
    const value = look(trackedObservations(of, reads));
    assert.deepEqual([...reads.kinds], []);
    return [value, [...reads.elsewhere]];
  };

  test('that its moment is read', () => {
    assert.deepEqual(
      read(({ collection: of }) => of?.atMs),
      [7, ['clock']],
    );
    assert.deepEqual(
      read(({ collection: of }) => of?.cluster),
      ['shop', []],
    );
  });

  test('that all its facts or lines are read', () => {
    assert.deepEqual(
      read(({ facts }) => facts),
      [whole.facts, ['everything']],
    );
    assert.deepEqual(
      read(({ hits }) => hits),
      [whole.hits, ['everything']],
    );
    assert.deepEqual(
      read(({ listings }) => listings),
      [[], []],
    );
  });

  test('nothing of a moment that there is not', () => {
    assert.deepEqual(
      read(({ collection: of }) => of, { ...whole, collection: null }),
      [null, []],
    );
  });
});
