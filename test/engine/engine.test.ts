import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hit } from '../../src/evidence/observations.ts';
import type { Cause } from '../../src/diagnosis/cause.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { hitAt, machineWith, NOTHING_OBSERVED, plainCause, quoteAt } from './fixtures.ts';
import type { Subject } from '../../src/diagnosis/subject.ts';

function diagnosisOf(subjects: readonly Subject[], causes: readonly Cause[]): DiagnosisDocument {
  return diagnose({ observations: NOTHING_OBSERVED, subjects, causes, catalogueVersion: 'test' });
}

function headlineOf(hits: readonly Hit[], causes: readonly Cause[]): string | null {
  return diagnosisOf([machineWith(hits)], causes).headline?.cause ?? null;
}

function rolesOf(document: DiagnosisDocument): Readonly<Record<string, string>> {
  const findings = document.subjects.flatMap((subject) => subject.findings);
  return Object.fromEntries(
    findings.map((finding) => [finding.cause, `${finding.role}<-${finding.explainedBy ?? ''}`]),
  );
}

describe('the headline', () => {
  test('is the root at the lowest stage, wherever it is in the log', () => {
    const low = plainCause('low', { stage: 'bootstrapped' });
    const high = plainCause('high', { stage: 'networked' });
    assert.equal(
      headlineOf([hitAt('high', 'deciding', 1), hitAt('low', 'deciding', 9)], [high, low]),
      'low',
    );
  });

  test('is the lower of two roots that do not explain each other', () => {
    const low = plainCause('z-low', { stage: 'bootstrapped', blocksAbove: false });
    const high = plainCause('a-high', { stage: 'networked' });
    const hits = [hitAt('a-high', 'deciding', 1), hitAt('z-low', 'deciding', 9)];
    assert.equal(headlineOf(hits, [high, low]), 'z-low');
  });

  test('does not depend on the order of the catalogue', () => {
    const causes = ['b', 'a', 'c'].map((id) => plainCause(id));
    const hits = ['c', 'a', 'b'].map((id) =>
      hitAt(id, 'deciding', 5, { document: id.charCodeAt(0) }),
    );
    assert.equal(headlineOf(hits, causes), 'a');
    assert.equal(headlineOf(hits, [...causes].toReversed()), 'a');
  });
});

describe('the headline among equals', () => {
  test('of two at one stage is the definite one, then the earlier', () => {
    const likely = plainCause('a-likely', {
      signs: { deciding: { in: ['kubelet'], anchors: ['x'], pattern: /x/, weight: 'likely' } },
    });
    const definite = plainCause('z-definite');
    assert.equal(
      headlineOf(
        [hitAt('a-likely', 'deciding', 1), hitAt('z-definite', 'deciding', 2)],
        [likely, definite],
      ),
      'z-definite',
    );
    assert.equal(
      headlineOf(
        [hitAt('a', 'deciding', 7), hitAt('z', 'deciding', 2)],
        [plainCause('a'), plainCause('z')],
      ),
      'z',
    );
  });

  test('of two at one stage is the one that explains more machines', () => {
    const many = plainCause('z-many');
    const subjects = [1, 2, 3].map((line) =>
      machineWith([hitAt('z-many', 'deciding', line)], { name: `m${line}`, node: `m${line}` }),
    );
    const one = machineWith([hitAt('a-one', 'deciding', 1)], { name: 'm9', node: 'm9' });
    assert.equal(
      diagnosisOf([one, ...subjects], [many, plainCause('a-one')]).headline?.cause,
      'z-many',
    );
  });
});

describe('no headline', () => {
  test('is never made of supporting lines', () => {
    const cause = plainCause('a', {
      signs: { deciding: { in: ['kubelet'], anchors: ['x'], pattern: /x/, weight: 'context' } },
    });
    assert.equal(headlineOf([hitAt('a', 'deciding', 1)], [cause]), null);
  });

  test('is never a symptom, whose candidates are offered with their commands', () => {
    const candidate = plainCause('candidate', { symptoms: ['kubelet-unauthorized'] });
    const other = plainCause('other');
    const document = diagnosisOf(
      [machineWith([hitAt('symptom:kubelet-unauthorized', '0', 3)])],
      [candidate, other],
    );
    assert.equal(document.headline, null);
    const [subject] = document.subjects;
    assert.equal(subject?.verdict, 'not-usable');
    assert.equal(subject.stage, 'authenticated');
    assert.deepEqual(
      subject.findings.map((finding) => [
        finding.cause,
        finding.confidence,
        finding.decide?.command,
      ]),
      [['candidate', 'possible', 'look --for candidate']],
    );
  });
});

describe('roles', () => {
  test('what is above the root is its consequence', () => {
    const document = diagnosisOf(
      [machineWith([hitAt('low', 'deciding', 5), hitAt('high', 'deciding', 1)])],
      [plainCause('low', { stage: 'reachable' }), plainCause('high', { stage: 'networked' })],
    );
    assert.deepEqual(rolesOf(document), { low: 'root<-', high: 'consequence<-low' });
  });

  test('a root that leaves the rest working explains nothing above', () => {
    const document = diagnosisOf(
      [machineWith([hitAt('low', 'deciding', 5), hitAt('high', 'deciding', 1)])],
      [
        plainCause('low', { stage: 'reachable', blocksAbove: false }),
        plainCause('high', { stage: 'networked' }),
      ],
    );
    assert.deepEqual(rolesOf(document), { low: 'root<-', high: 'root<-' });
  });

  test('at one stage the more specific explains the vaguer, when it says so', () => {
    const document = diagnosisOf(
      [machineWith([hitAt('specific', 'deciding', 5), hitAt('vague', 'deciding', 1)])],
      [plainCause('specific', { explains: ['vague'] }), plainCause('vague')],
    );
    assert.deepEqual(rolesOf(document), { specific: 'root<-', vague: 'consequence<-specific' });
  });

  test('a declared explanation holds against the order of stages', () => {
    const document = diagnosisOf(
      [machineWith([hitAt('high', 'deciding', 5), hitAt('low', 'deciding', 1)])],
      [
        plainCause('high', { stage: 'networked', explains: ['low'] }),
        plainCause('low', { stage: 'reachable' }),
      ],
    );
    assert.deepEqual(rolesOf(document), { high: 'root<-', low: 'consequence<-high' });
  });
});

describe('roles across subjects and symptoms', () => {
  test('above an undecided symptom that blocks everything nothing is a root', () => {
    const hits = [hitAt('symptom:kubelet-unauthorized', '0', 3), hitAt('high', 'deciding', 4)];
    assert.deepEqual(
      rolesOf(diagnosisOf([machineWith(hits)], [plainCause('high', { stage: 'networked' })])),
      { high: 'contributing<-' },
    );
    const own = plainCause('high', { stage: 'networked', symptoms: ['kubelet-unauthorized'] });
    assert.deepEqual(rolesOf(diagnosisOf([machineWith(hits)], [own])), { high: 'root<-' });
  });

  test('a cause of the cluster is repeated on the machines it stops, and only there', () => {
    const shared = plainCause('shared', { scope: 'cluster' });
    const cluster = machineWith([hitAt('shared', 'deciding', 1)], {
      kind: 'Cluster',
      name: 'cluster',
      node: null,
    });
    const broken = machineWith([hitAt('symptom:kubelet-unauthorized', '0', 3)], {
      name: 'broken',
      node: 'broken',
    });
    const fine = machineWith([hitAt('milestone:node-ready', '0', 3)], {
      name: 'fine',
      node: 'fine',
    });
    const document = diagnosisOf([broken, fine, cluster], [shared]);
    assert.deepEqual(document.headline, {
      cause: 'shared',
      stage: 'authenticated',
      confidence: 'definite',
      subject: 'cluster',
    });
    const findingsOf = (name: string): readonly string[] | undefined =>
      document.subjects
        .find((subject) => subject.name === name)
        ?.findings.map((finding) => `${finding.role}<-${finding.explainedBy ?? ''}`);
    assert.deepEqual(findingsOf('broken'), ['consequence<-shared']);
    assert.deepEqual(findingsOf('fine'), []);
  });

  test('a cause of a named node group is that group’s', () => {
    const cause = plainCause('no-capacity', { stage: 'launched', scope: 'group' });
    const quote = { ...quoteAt(1), excerpt: 'node group gpu issue AsgInstanceLaunchFailures' };
    const cluster = machineWith(
      [hitAt('no-capacity', 'deciding', 1, { first: quote, last: quote, quotes: [quote] })],
      { kind: 'Cluster', name: 'cluster', node: null },
    );
    const [subject, ...rest] = diagnosisOf([cluster], [cause]).subjects;
    assert.deepEqual([subject?.kind, subject?.name, rest.length], ['NodeGroup', 'gpu', 0]);
  });
});

describe('a later success', () => {
  const cause = plainCause('a');

  test('takes the failure back', () => {
    assert.equal(
      headlineOf([hitAt('a', 'deciding', 3), hitAt('milestone:node-registered', '0', 9)], [cause]),
      null,
    );
  });

  test('does nothing when it came before', () => {
    assert.equal(
      headlineOf([hitAt('a', 'deciding', 9), hitAt('milestone:node-registered', '0', 3)], [cause]),
      'a',
    );
  });

  const elsewhere = hitAt('milestone:node-registered', '0', 9, { document: 1 });

  test('in another file does nothing to a failure that has a stamp', () => {
    const stamped = quoteAt(3, { ms: 5, yearless: false, clock: 'utc' });
    const failure = hitAt('a', 'deciding', 3, { first: stamped, last: stamped });
    assert.equal(headlineOf([failure, elsewhere], [cause]), 'a');
  });

  test('in another file leaves nothing to name when the failure has no stamp', () => {
    assert.equal(headlineOf([hitAt('a', 'deciding', 3), elsewhere], [cause]), null);
  });

  test('does nothing to a cause that says so', () => {
    assert.equal(
      headlineOf(
        [hitAt('a', 'deciding', 3), hitAt('milestone:node-registered', '0', 9)],
        [plainCause('a', { withdrawnBy: [] })],
      ),
      'a',
    );
  });
});

describe('a later success of one object', () => {
  const withSuccess = plainCause('a', {
    withdrawnBy: [],
    per: ['image'],
    signs: {
      deciding: { in: ['event'], anchors: ['x'], pattern: /x/, weight: 'definite' },
      pulled: { in: ['event'], anchors: ['y'], pattern: /y/, weight: 'withdraws' },
    },
  });

  test('of the same object clears that object only', () => {
    const failed = [
      hitAt('a', 'deciding', 3, { object: 'one' }),
      hitAt('a', 'deciding', 4, { object: 'two' }),
    ];
    assert.equal(
      headlineOf([...failed, hitAt('a', 'pulled', 9, { object: 'one' })], [withSuccess]),
      'a',
    );
    assert.equal(
      headlineOf(
        [failed[0] ?? hitAt('a', 'deciding', 3), hitAt('a', 'pulled', 9, { object: 'one' })],
        [withSuccess],
      ),
      null,
    );
  });

  test('withdraws a symptom too', () => {
    const hits = [
      hitAt('symptom:kubelet-unauthorized', '0', 3),
      hitAt('milestone:node-registered', '0', 9),
    ];
    assert.equal(diagnosisOf([machineWith(hits)], []).subjects[0]?.verdict, 'cannot-tell');
  });
});

describe('signs', () => {
  test('that healthy nodes print count only when repeated', () => {
    const cause = plainCause('a', {
      signs: {
        deciding: { in: ['kubelet'], anchors: ['x'], pattern: /x/, weight: 'definite', atLeast: 3 },
      },
    });
    assert.equal(headlineOf([hitAt('a', 'deciding', 3, { count: 2 })], [cause]), null);
    assert.equal(headlineOf([hitAt('a', 'deciding', 3, { count: 3 })], [cause]), 'a');
  });

  test('that clear a cause do so wherever they stand', () => {
    const cause = plainCause('a', {
      signs: {
        deciding: { in: ['kubelet'], anchors: ['x'], pattern: /x/, weight: 'definite' },
        against: { in: ['kubelet'], anchors: ['y'], pattern: /y/, weight: 'clears' },
      },
    });
    assert.equal(headlineOf([hitAt('a', 'deciding', 3), hitAt('a', 'against', 1)], [cause]), null);
  });
});

describe('the ladder', () => {
  test('has eleven rungs; what a milestone proves is passed, the rest unknown with the command that shows it', () => {
    const [subject] = diagnosisOf(
      [machineWith([hitAt('milestone:node-registered', '0', 3)])],
      [],
    ).subjects;
    const states = Object.fromEntries(
      subject?.ladder.map((rung) => [rung.stage, rung.state]) ?? [],
    );
    assert.equal(subject?.ladder.length, 11);
    assert.deepEqual(
      [
        states['launched'],
        states['authenticated'],
        states['registered'],
        states['identified'],
        states['usable'],
      ],
      ['passed', 'passed', 'passed', 'unknown', 'unknown'],
    );
    assert.equal(subject.stage, 'identified');
    assert.equal(subject.verdict, 'cannot-tell');
    assert.ok(
      subject.notObservable.some(
        (entry) => entry.stage === 'usable' && entry.collect.includes('ip-10-0-1-2.ec2.internal'),
      ),
    );
  });

  test('a machine is at its first failed stage even when lower ones are unknown', () => {
    const [subject] = diagnosisOf(
      [machineWith([hitAt('a', 'deciding', 3)])],
      [plainCause('a', { stage: 'networked' })],
    ).subjects;
    assert.equal(subject?.stage, 'networked');
    assert.equal(subject.verdict, 'not-usable');
  });

  test('unknown is never fine', () => {
    const [subject] = diagnosisOf([machineWith([])], []).subjects;
    assert.equal(subject?.verdict, 'cannot-tell');
  });
});

describe('the timeline', () => {
  test('is in causal order, whatever order the files were read in', () => {
    const at = (ms: number, document: number): Partial<Hit> => {
      const quote = quoteAt(1, { ms, yearless: false, clock: 'utc' }, document);
      return { document, first: quote, last: quote };
    };
    const hits = [
      hitAt('a', 'deciding', 1, at(3000, 0)),
      hitAt('milestone:node-registered', '0', 1, at(2000, 1)),
      hitAt('milestone:kubelet-started', '0', 1, at(1000, 2)),
    ];
    const cause = plainCause('a', { stage: 'retained' });
    const [subject] = diagnosisOf([machineWith(hits)], [cause]).subjects;
    assert.deepEqual(
      subject?.timeline.map((entry) => [entry.time, entry.what]),
      [
        ['1970-01-01T00:00:01Z', 'the kubelet runs'],
        ['1970-01-01T00:00:02Z', 'the Node registered'],
        ['1970-01-01T00:00:03Z', 'a: the title of a'],
      ],
    );
  });
});
