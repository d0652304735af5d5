import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FactRecord } from '../evidence/observations.ts';
import { podOf, readyIs } from '../evidence/testing.ts';
import { type Cause, clear, found, type Match } from './cause.ts';
import { examine } from './examine.ts';
import { createMemory } from './memory.ts';
import type { Subject } from './subject.ts';
import {
  A_LEASE,
  A_LOG,
  A_NODE,
  causeOf,
  factOf,
  hitOf,
  observationsOf,
  quoteOf,
  seenPile,
  seenSubjects,
  subjectOf,
  type Watch,
  watchOf,
} from './testing.ts';

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

const podNamed = (name: string, ready: 'True' | 'False') => {
  const status = { startTime: '1970-01-01T00:00:01Z', conditions: [readyIs(ready)] };
  return factOf('kube/Pod', podOf({ status }, { name }));
};
const said = (name: string, line: number) =>
  hitOf(
    'symptom:sandbox-not-created',
    { ...quoteOf(line, 1000), source: 'event', excerpt: `Warning pod/${name} said` },
    { count: 99 },
  );
const [SAID_OF_A, SAID_OF_B] = [said('a', 1), said('b', 2)];

describe('symptoms of a machine are kept', () => {
  test('until a pod that took them back is another', () => {
    const watch = watchOf([], []);
    const pile = { hits: [symptom], atMs: 10_000_000 };
    watch.look({ ...pile, own: [A_NODE, podIs('False')] });
    assert.deepEqual(symptomsOf(watch), ['sandbox-not-created']);
    watch.look({ ...pile, own: [A_NODE, podIs('True')] });
    assert.deepEqual(symptomsOf(watch), []);
    watch.look({ ...pile, own: [A_NODE, podIs('False')] });
    assert.deepEqual(symptomsOf(watch), ['sandbox-not-created']);
  });

  test('until time went by that they rest on', () => {
    const watch = watchOf([], []);
    const pile = { hits: [symptom], own: [A_NODE, podIs('False')] };
    watch.look({ ...pile, atMs: 2000 });
    assert.deepEqual(symptomsOf(watch), []);
    watch.look({ ...pile, atMs: 10_000_000 });
    assert.deepEqual(symptomsOf(watch), ['sandbox-not-created']);
  });

  test('until the pile continues, by whose end they are over', () => {
    const watch = watchOf([], []);
    const seen = { hits: [symptom], pile: [symptom] };
    watch.look(seen);
    assert.deepEqual(symptomsOf(watch), ['sandbox-not-created']);
    watch.look({ ...seen, pile: [symptom, hitOf('e', quoteOf(2, 5_000_000))] });
    assert.deepEqual(symptomsOf(watch), []);
  });
});

describe('symptoms of a machine are the same', () => {
  test('as long as their lines are the same', () => {
    const watch = watchOf([], []);
    const pile = { hits: [A_LOG, SAID_OF_A, SAID_OF_B], atMs: 10_000_000 };
    const symptoms = () => watch.examination().standings[0]?.symptoms;
    const linesOf = () => symptoms()?.flatMap(({ proof }) => proof);
    watch.look({ ...pile, own: [A_NODE, podNamed('a', 'False'), podNamed('b', 'False')] });
    const first = symptoms();
    assert.deepEqual(linesOf(), [SAID_OF_A.first, SAID_OF_B.first]);
    watch.look({ ...pile, own: [A_NODE, podNamed('a', 'False'), podNamed('b', 'False')] });
    assert.equal(symptoms(), first);
    watch.look({ ...pile, own: [A_NODE, podNamed('a', 'False'), podNamed('b', 'True')] });
    assert.deepEqual(linesOf(), [SAID_OF_A.first]);
    watch.look({ ...pile, own: [A_NODE, podNamed('a', 'True'), podNamed('b', 'False')] });
    assert.deepEqual(linesOf(), [SAID_OF_B.first]);
    watch.look({ ...pile, own: [A_NODE, podNamed('a', 'True'), podNamed('b', 'True')] });
    assert.deepEqual(linesOf(), []);
    watch.look({ ...pile, own: [A_NODE, podNamed('a', 'True'), podNamed('b', 'False')] });
    assert.deepEqual(linesOf(), [SAID_OF_B.first]);
  });

  test('but the one that is over', () => {
    const watch = watchOf([], []);
    const verdict = hitOf('symptom:boot-verdict', quoteOf(3), { count: 99 });
    const pile = { hits: [SAID_OF_A, verdict], atMs: 10_000_000 };
    watch.look({ ...pile, own: [A_NODE, podNamed('a', 'False')] });
    assert.deepEqual(symptomsOf(watch)?.toSorted(), ['boot-verdict', 'sandbox-not-created']);
    watch.look({ ...pile, own: [A_NODE, podNamed('a', 'True')] });
    assert.deepEqual(symptomsOf(watch), ['boot-verdict']);
    watch.look({ ...pile, own: [A_NODE, podNamed('a', 'False')] });
    assert.deepEqual(symptomsOf(watch)?.toSorted(), ['boot-verdict', 'sandbox-not-created']);
  });
});

describe('where other causes are asked, what is kept of a machine', () => {
  const memory = createMemory();
  const [subject = assert.fail()] = seenSubjects({ own: [A_NODE] });
  const subjects = [subject];
  const finds = (id: string, needs: Cause['needs']) =>
    causeOf(id, 'networked', { needs, match: () => found({}, [], 'definite') });
  const node = finds('node', ['kube/Node']);
  const second = finds('second', ['kube/Node']);
  const stranger = finds('stranger', ['aws/vpc']);
  const observations = seenPile({ atMs: 10_000_000 });
  const standingWith = (...causes: readonly Cause[]) => {
    memory.look({ observations, subjects });
    const { standings } = examine({
      observations,
      subjects,
      causes,
      memory,
      catalogueVersion: '7',
    });
    return standings[0] ?? assert.fail();
  };
  const foundWith = (...causes: readonly Cause[]) =>
    standingWith(...causes).founds.map(({ cause }) => cause.id);

  test('is how it stands, where none of them concerns it', () => {
    const before = standingWith(node);
    assert.equal(standingWith(stranger, node), before);
    assert.equal(standingWith(node), before);
  });

  test('is not how it stands with one that came, went, or is asked at another place', () => {
    assert.deepEqual(foundWith(node, second), ['node', 'second']);
    assert.deepEqual(foundWith(second, node), ['second', 'node']);
    assert.deepEqual(foundWith(second, stranger), ['second']);
    assert.deepEqual(foundWith(node), ['node']);
  });
});

describe('what is kept of a machine', () => {
  test('is all of it where nothing concerns it', () => {
    const memory = createMemory();
    const causes = [causeOf('c', 'networked', { needs: ['kube/Node'], match: () => clear })];
    const look = (subjects: readonly Subject[], atMs: number) => {
      const observations = seenPile({ atMs });
      memory.look({ observations, subjects });
      examine({ observations, subjects, causes, memory, catalogueVersion: '7' });
      const { standing, causes: asked, symptoms } = memory.of(subjects[0] ?? assert.fail());
      return { standing, asked, symptoms };
    };
    const seen = { hits: [SAID_OF_A], own: [A_NODE, A_LEASE, podNamed('a', 'False')] };
    const subjects = seenSubjects(seen);
    const first = look(subjects, 10_000_000);
    const again = look(subjects, 10_000_000);
    assert.equal(again.standing, first.standing);
    assert.equal(again.symptoms, first.symptoms);
    const others = seenSubjects({ ...seen, own: [A_NODE, { ...A_LEASE }, ...seen.own.slice(2)] });
    memory.look({ observations: seenPile({ atMs: 10_000_000 }), subjects: others });
    const kept = memory.of(others[0] ?? assert.fail());
    assert.equal(kept.causes, causes);
    assert.equal(kept.standing?.subject, others[0]);
    assert.equal(kept.standing?.founds, first.standing?.founds);
  });

  test('is nothing of a machine that was seen and not examined', () => {
    const memory = createMemory();
    for (const own of [[A_NODE], [A_NODE, A_LEASE]]) {
      const subjects = seenSubjects({ own });
      memory.look({ observations: seenPile({}), subjects });
      assert.equal(memory.of(subjects[0] ?? assert.fail()).standing, null);
    }
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
});

describe('what was found is forgotten', () => {
  test('where it is found otherwise or no more', () => {
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
    assert.equal(memory.of(subjectOf({ name: 'b' })).standing, null);
    assert.equal(memory.of(twin).subject, twin);
    assert.equal(memory.of(twin).timedMs, 0);
    assert.deepEqual([memory.of(twin).reports, memory.of(twin).causes], [[], null]);
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
    kept.reports = [report];
    assert.equal(seen([A_NODE, pod, A_LEASE], 1).reports[0], report);
    assert.equal(seen([A_NODE, { ...pod }, A_LEASE], 1).reports[0], undefined);
    kept.reports = [report];
    assert.equal(seen([A_NODE, pod, A_LEASE], 2).reports[0], undefined);
  });

  test('of evidence of others knows no moment', () => {
    const memory = createMemory();
    const subject = subjectOf();
    memory.look({ observations: observationsOf(), subjects: [subject] });
    assert.equal(memory.of(subject).timedMs, 0);
  });
});
