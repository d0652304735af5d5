import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FactRecord, Listing, Observations } from '../evidence/observations.ts';
import { awsOf, nodeOf } from '../evidence/testing.ts';
import { NO_RESEMBLANCE } from './candidates.ts';
import { type Cause, type Found, found, foundBefore } from './cause.ts';
import { diagnose } from './diagnose.ts';
import type { DiagnosisDocument } from './document.ts';
import type { DiagnosisInput } from './examine.ts';
import type { Subject } from './subject.ts';
import { causeOf, factOf, hitOf, named, observationsOf, quoteOf, subjectOf } from './testing.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const ID = 'i-0123456789abcdef0';

function listing(kind: Listing['kind']): Listing {
  return { kind, by: 'test', locator: 'test' };
}

const LISTINGS = [listing('aws/instance'), listing('kube/Node')];

function live(change: Partial<Observations> = {}): Observations {
  const collection = { atMs: NOW_MS, cluster: null, asked: [], refusals: [], shortened: [] };
  return observationsOf({ collection, listings: LISTINGS, ...change });
}

function diagnosed(change: Partial<DiagnosisInput>): DiagnosisDocument {
  const given = { observations: live(), subjects: [], causes: [], catalogueVersion: '1' };
  return diagnose({ ...given, ...change });
}

function namesIn(document: DiagnosisDocument): readonly string[] {
  return document.subjects.map(({ name }) => name);
}

const instance = (state: string, id = ID): FactRecord =>
  factOf(
    'aws/instance',
    awsOf('aws/instance', { InstanceId: id, State: { Name: state } }),
    named(`instance ${id}`),
  );

function machine(facts: readonly FactRecord[] = [], change: Partial<Subject> = {}): Subject {
  return subjectOf(
    { instanceId: ID, names: named(`instance ${ID}`, 'node node00'), ...change },
    facts,
  );
}

/** A cause that is found on every subject that has a line of it. */
function always(
  stage: Parameters<typeof causeOf>[1],
  confidence: 'definite' | 'likely' = 'definite',
): Cause {
  return causeOf('c', stage, { match: () => found({}, [quoteOf(1)], confidence) });
}

const LINE = [hitOf('c', quoteOf(1))];

describe('a machine that a live cluster only has words of', () => {
  const told = (subject: Subject, change: Partial<DiagnosisInput> = {}): boolean =>
    namesIn(diagnosed({ subjects: [subject], ...change })).length > 0;

  test('is not reported', () => {
    assert.equal(told(machine()), false);
    assert.equal(told(machine([instance('terminated')])), false);
  });

  test('is reported while an instance of its own lives', () => {
    assert.equal(told(machine([instance('running')])), true);
    assert.equal(told(machine([instance('running', 'i-other')])), false);
  });

  test('is reported while it has a Node, a claim or a Lease of its own', () => {
    const own = named('node node00');
    assert.equal(told(machine([factOf('kube/Node', nodeOf('node00'), own)])), true);
    for (const kind of ['kube/NodeClaim', 'kube/Lease'] as const) {
      assert.equal(told(machine([factOf(kind, {} as never, own)])), true);
      assert.equal(told(machine([factOf(kind, {} as never, named('node node01'))])), false);
    }
  });

  test('is reported where either list is missing, and of files', () => {
    for (const kind of ['aws/instance', 'kube/Node'] as const)
      assert.equal(
        told(machine(), { observations: live({ listings: [listing(kind)] }) }),
        true,
        kind,
      );
    assert.equal(told(machine(), { observations: live({ collection: null }) }), true);
  });

  test('is reported where it was asked about', () => {
    assert.equal(told(machine(), { asked: () => true }), true);
    assert.equal(told(machine(), { asked: () => false }), false);
  });

  test('is reported where it explains why its group lacks a machine', () => {
    const subject = machine([], { hits: LINE });
    assert.equal(told(subject, { causes: [always('launched')] }), true);
    assert.equal(told(subject, { causes: [always('reachable')] }), false);
  });

  test('is reported where it explains why a Node went whose instance EC2 does not know', () => {
    const causes = [always('retained')];
    assert.equal(told(machine([], { hits: LINE }), { causes }), true);
    assert.equal(told(machine([instance('terminated')], { hits: LINE }), { causes }), false);
    const unsure = [always('retained', 'likely')];
    assert.equal(told(machine([], { hits: LINE }), { causes: unsure }), false);
  });
});

describe('a machine of a cluster in which something is wrong', () => {
  const proof = quoteOf(1);
  const cluster = subjectOf({ kind: 'Cluster', name: 'shop', hits: LINE });
  const risksIn = (cause: Partial<Cause>, one: Subject, machines?: readonly string[]) => {
    const match = (): Found => ({
      ...found({}, [proof]),
      ...(machines === undefined ? {} : { machines }),
    });
    const causes = [causeOf('c', 'authenticated', { scope: 'cluster', match, ...cause })];
    const document = diagnosed({
      subjects: [one, cluster],
      causes,
      observations: observationsOf(),
    });
    return document.subjects.find(({ kind }) => kind === 'Machine')?.risks ?? [];
  };
  const ready = machine([], { hits: [hitOf('milestone:node-ready', quoteOf(1))] });

  test('is at risk from what it depends on', () => {
    assert.deepEqual(risksIn({}, machine()), ['c']);
    assert.deepEqual(risksIn({ stage: 'usable' }, machine()), ['c']);
  });

  test('is not at risk from what only concerns machines that are on their way', () => {
    assert.deepEqual(risksIn({ stage: 'registered' }, machine()), ['c']);
    assert.deepEqual(risksIn({ stage: 'registered' }, ready), []);
    assert.deepEqual(risksIn({ stage: 'launched' }, ready), []);
  });

  test('is not at risk from what names other machines', () => {
    assert.deepEqual(risksIn({}, machine(), ['i-other']), []);
    for (const [dependent, risks] of [
      [ID, ['c']],
      ['i-other', []],
    ] as const) {
      const match = (): Found => foundBefore(found({}, [proof]), [dependent]);
      assert.deepEqual(risksIn({ match, scope: 'group' }, machine()), risks);
    }
  });

  test('is asked about together with its cluster', () => {
    const match = (): Found => found({}, [proof]);
    const causes = [causeOf('c', 'authenticated', { scope: 'cluster', match })];
    const document = diagnosed({
      subjects: [machine(), cluster],
      causes,
      observations: observationsOf(),
      asked: () => true,
    });
    assert.deepEqual(namesIn(document).toSorted(), ['node00', 'shop']);
  });
});

describe('a machine that is young', () => {
  const isPending = (subject: Subject, observations = live()): boolean =>
    diagnosed({ subjects: [subject], observations }).subjects.some(({ ladder }) =>
      ladder.some(({ state }) => state === 'pending'),
    );

  const joined = (ageMs: number | null, change = {}): Subject =>
    machine([
      factOf(
        'kube/Node',
        nodeOf('node00', { ready: false, ageMs, ...change }),
        named('node node00'),
      ),
    ]);

  test('is pending while its Node is two minutes old or less, and not ready', () => {
    assert.equal(isPending(joined(120_000)), true);
    assert.equal(isPending(joined(120_001)), false);
    assert.equal(isPending(joined(1000, { ready: true })), false);
    assert.equal(isPending(joined(null)), false);
  });

  test('is as old as the creation of its Node says, by the clock of the collection', () => {
    assert.equal(isPending(joined(null, { createdMs: NOW_MS - 120_000 })), true);
    assert.equal(isPending(joined(null, { createdMs: NOW_MS - 120_001 })), false);
    const files = observationsOf({ listings: LISTINGS });
    assert.equal(isPending(joined(null, { createdMs: NOW_MS - 1000 }), files), false);
  });

  test('is pending for five minutes from its launch without a Node', () => {
    const launched = (agoMs: number): Subject => {
      const LaunchTime = new Date(NOW_MS - agoMs).toISOString();
      const value = awsOf('aws/instance', {
        InstanceId: ID,
        State: { Name: 'running' },
        LaunchTime,
      });
      return machine([factOf('aws/instance', value, named(`instance ${ID}`))]);
    };
    assert.equal(isPending(launched(299_999)), true);
    assert.equal(isPending(launched(300_000)), false);
  });

  test('is not pending once a cause is found', () => {
    const subject = { ...joined(1000), hits: LINE };
    const { verdict } =
      diagnosed({ subjects: [subject], causes: [always('networked')] }).subjects[0] ?? {};
    assert.equal(verdict, 'not-usable');
  });
});

test('what lines resemble is asked of every machine but one that is pending', () => {
  const asked: string[] = [];
  const resemblance = ({ name }: Subject): typeof NO_RESEMBLANCE => {
    asked.push(name);
    return NO_RESEMBLANCE;
  };
  const young = factOf('kube/Node', nodeOf('b', { ready: false, ageMs: 1 }), named('node b'));
  const subjects = [subjectOf({ name: 'a' }), subjectOf({ name: 'b' }, [young])];
  diagnosed({ observations: observationsOf(), subjects, resemblance });
  assert.deepEqual(asked, ['a']);
});

test('what was refused is a loss, beside those of the input', () => {
  const refusal = { call: 'list nodes', message: 'Grant it.', failure: 'denied', permission: null };
  const collection = { atMs: NOW_MS, cluster: null, asked: [], refusals: [refusal], shortened: [] };
  const losses = [{ locator: 'a.gz', what: 'It is cut.' }];
  assert.deepEqual(diagnosed({ observations: observationsOf({ collection, losses }) }).losses, [
    { locator: 'a.gz', what: 'It is cut.' },
    { locator: 'list nodes', what: 'Grant it.' },
  ]);
});
