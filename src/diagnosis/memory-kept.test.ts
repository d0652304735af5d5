import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FactRecord } from '../evidence/observations.ts';
import { podOf, readyIs } from '../evidence/testing.ts';
import { clear, found, type Match } from './cause.ts';
import { createMemory } from './memory.ts';
import {
  causeOf,
  factOf,
  hitOf,
  observationsOf,
  quoteOf,
  subjectOf,
  A_LEASE,
  A_NODE,
  seenPile,
  seenSubjects,
  type Watch,
  watchOf,
} from './testing.ts';

describe('what is kept of a machine', () => {
  const podIs = (ready: 'True' | 'False') => {
    const status = { startTime: '1970-01-01T00:00:01Z', conditions: [readyIs(ready)] };
    return factOf('kube/Pod', podOf({ status }));
  };
  const quote = {
    ...quoteOf(1, 1000),
    source: 'event',
    excerpt: 'Warning pod/web-x7k2p said',
  } as const;
  const symptom = hitOf('symptom:sandbox-not-created', quote, { count: 99 });
  const symptomsOf = ({ examination }: Watch) =>
    examination().standings[0]?.symptoms.map(({ symptom: { id } }) => id);

  test('are symptoms, until a pod that took them back is another', () => {
    const watch = watchOf([], []);
    const pile = { hits: [symptom], atMs: 10_000_000 };
    watch.look({ ...pile, own: [A_NODE, podIs('False')] });
    assert.deepEqual(symptomsOf(watch), ['sandbox-not-created']);
    watch.look({ ...pile, own: [A_NODE, podIs('True')] });
    assert.deepEqual(symptomsOf(watch), []);
    watch.look({ ...pile, own: [A_NODE, podIs('False')] });
    assert.deepEqual(symptomsOf(watch), ['sandbox-not-created']);
  });

  test('are symptoms, until time went by that they rest on', () => {
    const watch = watchOf([], []);
    const pile = { hits: [symptom], own: [A_NODE, podIs('False')] };
    watch.look({ ...pile, atMs: 2000 });
    assert.deepEqual(symptomsOf(watch), []);
    watch.look({ ...pile, atMs: 10_000_000 });
    assert.deepEqual(symptomsOf(watch), ['sandbox-not-created']);
  });

  test('are symptoms, until the pile goes on by whose end they are over', () => {
    const watch = watchOf([], []);
    const seen = { hits: [symptom], pile: [symptom] };
    watch.look(seen);
    assert.deepEqual(symptomsOf(watch), ['sandbox-not-created']);
    watch.look({ ...seen, pile: [symptom, hitOf('e', quoteOf(2, 5_000_000))] });
    assert.deepEqual(symptomsOf(watch), []);
  });

  test('is the standing as a whole, with the machine as it is now', () => {
    const cause = causeOf('c', 'networked', {
      needs: ['kube/Node'],
      match: () => found({}, [quoteOf(1)]),
    });
    const other = causeOf('d', 'networked', { needs: ['kube/Node'], match: () => clear });
    const watch = watchOf([cause, other], []);
    const standing = () => watch.examination().standings[0] ?? assert.fail();
    watch.look();
    const first = standing();
    watch.look({ own: [A_NODE, A_LEASE] });
    assert.notEqual(standing().subject, first.subject);
    assert.equal(standing().subject.facts.has('kube/Lease'), true);
    watch.look({ own: [{ ...A_NODE }] });
    assert.equal(standing().founds, first.founds);
    assert.equal(standing().ruledOut, first.ruledOut);
    assert.equal(standing().symptoms, first.symptoms);
  });

  test('is nothing of what is found otherwise or no more', () => {
    let answer: Match = found({ name: 'x' }, [quoteOf(1)]);
    const cause = causeOf('c', 'networked', { needs: ['kube/Node'], match: () => answer });
    const watch = watchOf([cause], []);
    const [founds, ruledOut] = [
      () => watch.examination().standings[0]?.founds.map(({ match }) => match.details),
      () => [...(watch.examination().standings[0]?.ruledOut ?? [])],
    ];
    watch.look();
    answer = found({ name: 'y' }, [quoteOf(1)]);
    watch.look({ own: [{ ...A_NODE }] });
    assert.deepEqual([founds(), ruledOut()], [[{ name: 'y' }], []]);
    answer = clear;
    watch.look({ own: [{ ...A_NODE }] });
    assert.deepEqual([founds(), ruledOut()], [[], ['c']]);
    answer = { verdict: 'unknown', missing: [] };
    watch.look({ own: [{ ...A_NODE }] });
    assert.deepEqual([founds(), ruledOut()], [[], []]);
  });
});

describe('a memory', () => {
  test('concludes nothing of a subject that it was not shown', () => {
    const memory = createMemory();
    const [shown, twin] = [subjectOf({ name: 'a' }), subjectOf({ name: 'a' })];
    memory.look({ observations: seenPile({}), subjects: [shown] });
    assert.equal(memory.of(shown), memory.of(shown));
    assert.equal(memory.of(shown).timedMs, 1000);
    assert.notEqual(memory.of(twin), memory.of(shown));
    assert.equal(memory.of(twin).subject, twin);
    assert.equal(memory.of(twin).timedMs, 0);
    assert.deepEqual([memory.of(twin).report, memory.of(twin).causes], [null, null]);
  });

  test('keeps a cluster and a machine of one name apart', () => {
    const memory = createMemory();
    const [machine, cluster] = [
      subjectOf({ name: 'a' }),
      subjectOf({ kind: 'Cluster', name: 'a' }),
    ];
    memory.look({ observations: seenPile({}), subjects: [machine, cluster] });
    assert.equal(memory.of(machine).subject, machine);
    assert.equal(memory.of(cluster).subject, cluster);
  });

  test('forgets a report whose kinds of facts or moment are others', () => {
    const memory = createMemory();
    const report = {
      value: {} as never,
      kinds: new Set(['kube/Pod'] as const),
      elsewhere: new Set(['clock'] as const),
    };
    const seen = (own: readonly FactRecord[], atMs: number) => {
      const subjects = seenSubjects({ own });
      memory.look({ observations: seenPile({ atMs }), subjects });
      return memory.of(subjects[0] ?? assert.fail());
    };
    const pod = factOf('kube/Pod', podOf());
    const kept = seen([A_NODE, pod], 1);
    kept.report = report;
    assert.equal(seen([A_NODE, pod, A_LEASE], 1).report, report);
    assert.equal(seen([A_NODE, { ...pod }, A_LEASE], 1).report, null);
    kept.report = report;
    assert.equal(seen([A_NODE, pod, A_LEASE], 2).report, null);
  });

  test('of evidence of others knows no moment', () => {
    const memory = createMemory();
    const subject = subjectOf();
    memory.look({ observations: observationsOf(), subjects: [subject] });
    assert.equal(memory.of(subject).timedMs, 0);
  });
});
