import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nodeOf } from '../evidence/testing.ts';
import { NO_RESEMBLANCE, type Resemblance } from './candidates.ts';
import { type Cause, clear, found } from './cause.ts';
import { diagnose } from './diagnose.ts';
import { type DiagnosisInput, examine } from './examine.ts';
import { createMemory } from './memory.ts';
import { openSymptoms } from './open-symptoms.ts';
import type { Subject } from './subject.ts';
import {
  causeOf,
  factOf,
  fileOf,
  hitOf,
  named,
  observationsOf,
  quoteOf,
  subjectOf,
} from './testing.ts';

function inputOf(change: Partial<DiagnosisInput>): DiagnosisInput {
  return {
    observations: observationsOf(),
    subjects: [],
    causes: [],
    catalogueVersion: '7',
    ...change,
  };
}

/** A cause that is found wherever it is asked. */
function finding(id: string, change: Partial<Cause> = {}): Cause {
  return causeOf(id, 'networked', {
    match: () => found({}, [quoteOf(1)], 'definite'),
    ...change,
  });
}

function machine(name: string, change: Partial<Subject> = {}): Subject {
  return subjectOf({ name, names: named(`host ${name}`), ...change });
}

const NODE = factOf('kube/Node', nodeOf('node00'), named('node node00'));

/** Ids of the causes that are found for each subject. */
function foundIn(change: Partial<DiagnosisInput>): readonly (readonly string[])[] {
  return examine(inputOf(change)).standings.map(({ founds }) =>
    founds.map(({ cause }) => cause.id),
  );
}

describe('a cause is asked about a subject', () => {
  const cluster = (change: Partial<Subject> = {}) =>
    subjectOf({ kind: 'Cluster', name: 'shop', ...change });
  const withLine = { hits: [hitOf('c', quoteOf(1))] };

  test('that has a line of it', () => {
    const subjects = [machine('a', withLine), machine('b'), cluster(withLine)];
    assert.deepEqual(foundIn({ subjects, causes: [finding('c')] }), [['c'], [], ['c']]);
    assert.deepEqual(foundIn({ subjects, causes: [finding('c', { scope: 'cluster' })] }), [
      ['c'],
      [],
      ['c'],
    ]);
  });

  test('that has a fact of the kind that it needs, by its scope', () => {
    const subjects = [
      subjectOf({ name: 'a' }, [NODE]),
      subjectOf({ kind: 'Cluster', name: 'shop' }, [NODE]),
    ];
    const asked = (change: Partial<Cause>) =>
      foundIn({ subjects, causes: [finding('c', { needs: ['kube/Node'], ...change })] });
    assert.deepEqual(asked({ scope: 'machine' }), [['c'], []]);
    assert.deepEqual(asked({ scope: 'cluster' }), [[], ['c']]);
    assert.deepEqual(asked({ scope: 'machine', needs: ['kube/Pod'] }), [[], []]);
    assert.deepEqual(asked({ needs: ['kube/Pod', 'kube/Node'] }), [['c'], []]);
  });

  test('once, however often it is examined with one memory', () => {
    const subjects = [machine('a', { hits: [hitOf('c', quoteOf(1)), hitOf('d', quoteOf(2))] })];
    let asked = 0;
    const match: Cause['match'] = () => {
      asked += 1;
      return found({}, [quoteOf(1)], 'definite');
    };
    const [c, d] = [finding('c', { match }), finding('d')];
    const memory = createMemory();
    const observations = observationsOf();
    const looked = (causes: readonly Cause[]) => {
      const input = inputOf({ observations, subjects, causes, memory });
      memory.look(input);
      return examine(input);
    };
    looked([c]);
    const both = looked([c, d]);
    assert.deepEqual(
      both.standings.map(({ founds }) => founds.map(({ cause }) => cause)),
      [[c, d]],
    );
    assert.equal(asked, 1);
  });

  test('and what it rules out is kept', () => {
    const subjects = [subjectOf({ name: 'a' }, [NODE])];
    const causes = ['c', 'd'].map((id) =>
      causeOf(id, 'networked', { needs: ['kube/Node'], match: () => clear }),
    );
    const [standing] = examine(inputOf({ subjects, causes })).standings;
    assert.deepEqual([...(standing?.ruledOut ?? [])], ['c', 'd']);
    assert.deepEqual(standing?.founds, []);
  });
});

describe('where one machine is asked about', () => {
  const line = (id: string) => hitOf(id, quoteOf(1));
  const kubelet = hitOf('symptom:boot-verdict', quoteOf(1));
  const asked: DiagnosisInput['asked'] = ({ name }) => name === 'a';

  test('another is asked for what keeps machines from being launched alone', () => {
    const subjects = [machine('a'), machine('b', { hits: [line('c'), line('d'), kubelet] })];
    const causes = [finding('c'), finding('d', { stage: 'launched' })];
    const { standings } = examine(inputOf({ subjects, causes, asked }));
    assert.deepEqual(
      standings[1]?.founds.map(({ cause }) => cause.id),
      ['d'],
    );
    assert.deepEqual(standings[1].symptoms, []);
  });

  const namesOf = (change: Partial<DiagnosisInput>) =>
    diagnose(inputOf(change)).subjects.map(({ kind, name }) => `${kind} ${name}`);

  test('others are not reported, nor a cluster that does not concern it', () => {
    const cluster = subjectOf({ kind: 'Cluster', name: 'shop', hits: [line('c')] });
    const subjects = [machine('a'), machine('b', { hits: [line('c')] }), cluster];
    const causes = [finding('c', { stage: 'retained' })];
    assert.deepEqual(namesOf({ subjects, causes, asked }), ['Machine a']);
    assert.deepEqual(namesOf({ subjects, causes }), ['Machine a', 'Machine b', 'Cluster shop']);
  });
});

test('where one machine is asked about, the cluster is asked for everything', () => {
  const subjects = [
    machine('a'),
    subjectOf({ kind: 'Cluster', name: 'shop', hits: [hitOf('c', quoteOf(1))] }),
  ];
  const asked: DiagnosisInput['asked'] = ({ name }) => name === 'a';
  assert.deepEqual(foundIn({ subjects, causes: [finding('c')], asked }), [[], ['c']]);
});

describe('a report', () => {
  test('has the version of the catalog and the sources that were recognized, once', () => {
    const documents = [
      fileOf({ sources: ['kubelet', 'unknown'] }),
      fileOf({ sources: ['kubelet', 'containerd'] }),
    ];
    const document = diagnose(inputOf({ observations: observationsOf({ documents }) }));
    assert.deepEqual(document.recognized, ['kubelet', 'containerd']);
    assert.deepEqual(
      [document.apiVersion, document.kind, document.catalogueVersion, document.headline],
      ['rollcall.dev/v1alpha1', 'Diagnosis', '7', null],
    );
    assert.deepEqual([document.subjects, document.losses], [[], []]);
  });

  test('names its machine as the subject does', () => {
    const subjects = [machine('a', { instanceId: 'i-1', node: 'node00' })];
    const [report] = diagnose(inputOf({ subjects })).subjects;
    assert.deepEqual(
      [report?.kind, report?.name, report?.instanceId, report?.node],
      ['Machine', 'a', 'i-1', 'node00'],
    );
  });

  test('of a cluster is left out where nothing is found', () => {
    const cluster = subjectOf({ kind: 'Cluster', name: 'shop' });
    assert.deepEqual(diagnose(inputOf({ subjects: [cluster] })).subjects, []);
    const symptomatic = { ...cluster, hits: [hitOf('symptom:boot-verdict', quoteOf(1))] };
    assert.equal(diagnose(inputOf({ subjects: [symptomatic] })).subjects.length, 1);
  });
});

describe('what nothing decides is shown as possible', () => {
  const cause = (change: Partial<Cause> = {}) =>
    causeOf('c', 'networked', { match: () => clear, ...change });
  const alike = (id: string) => (): Resemblance => ({
    alike: [{ cause: id, likeness: 1, line: 0 }],
    lines: [],
    reported: new Map(),
  });

  /** Causes that are shown for the machine `a` among these subjects. */
  function possible(
    one: Cause,
    subjects: readonly Subject[],
    resemblance: DiagnosisInput['resemblance'] = () => NO_RESEMBLANCE,
  ): readonly string[] {
    const document = diagnose(inputOf({ subjects, causes: [one], resemblance }));
    const report = document.subjects.find(({ name }) => name === 'a');
    return report?.findings.map((entry) => entry.cause) ?? [];
  }

  const ill = machine('a', { hits: [hitOf('symptom:boot-verdict', quoteOf(1))] });
  const cluster = (change: Partial<Subject> = {}) =>
    subjectOf({ kind: 'Cluster', name: 'shop', ...change }, [NODE]);

  test('for a symptom, unless the cluster rules it out as its failing', () => {
    const one = cause({ scope: 'cluster', symptoms: ['boot-verdict'], needs: ['kube/Node'] });
    assert.deepEqual(possible(one, [ill]), ['c']);
    assert.deepEqual(possible(one, [ill, cluster()]), []);
    assert.deepEqual(possible(one, [ill, subjectOf({ kind: 'Cluster', name: 'shop' })]), ['c']);
  });

  test('for a symptom, although the cluster itself is free of a failing of machines', () => {
    const one = cause({ symptoms: ['boot-verdict'] });
    const own = cluster({ hits: [hitOf('c', quoteOf(1))] });
    assert.deepEqual(possible(one, [ill, own]), ['c']);
  });

  test('for lines that resemble it, unless any subject rules it out', () => {
    const one = cause({ needs: ['kube/Node'] });
    const other = subjectOf({ name: 'b' }, [NODE]);
    assert.deepEqual(possible(one, [machine('a')], alike('c')), ['c']);
    assert.deepEqual(possible(one, [machine('a'), other], alike('c')), []);
    assert.deepEqual(possible(one, [machine('a')], alike('d')), []);
  });

  test('for lines that resemble it, unless its stage was seen to hold', () => {
    const here = machine('a', { hits: [hitOf('milestone:node-registered', quoteOf(1))] });
    const at = (stage: Cause['stage']) => possible(causeOf('c', stage), [here], alike('c'));
    assert.deepEqual(at('registered'), []);
    assert.deepEqual(at('networked'), ['c']);
  });
});

describe('a symptom is open', () => {
  const open = (hits: Subject['hits']) =>
    openSymptoms(subjectOf({ hits })).map(({ symptom }) => symptom.id);
  const first = 'boot-verdict';

  test('with the first quote of each sign', () => {
    const hits = [hitOf(`symptom:${first}`, quoteOf(1), { count: 99 })];
    assert.deepEqual(open(hits), [first]);
    const [one] = openSymptoms(subjectOf({ hits }));
    assert.deepEqual(one?.proof, [hits[0]?.first]);
    assert.deepEqual(open([hitOf(first, quoteOf(1), { count: 99 })]), []);
  });

  test('until a later success takes it back', () => {
    const at = (line: number, ms: number) => quoteOf(line, ms);
    const failed = hitOf(`symptom:${first}`, at(1, 1000), { count: 99 });
    const success = (ms: number, id = 'node-ready') => hitOf(`milestone:${id}`, at(2, ms));
    assert.deepEqual(open([failed, success(2000)]), []);
    assert.deepEqual(open([failed, success(2000, 'nothing')]), [first]);
    assert.deepEqual(open([{ ...failed, first: at(1, 3000), last: at(3, 3000) }, success(2000)]), [
      first,
    ]);
  });
});
