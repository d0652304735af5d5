import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Cause } from './cause.ts';
import type { Finding, SubjectReport } from './document.ts';
import { assignRoles, explains, pickHeadline } from './rank.ts';
import type { FoundCause, OpenSymptom, Standing } from './standing.ts';
import {
  causeOf,
  findingOf,
  foundOf,
  quoteOf,
  reportOf,
  standingOf,
  subjectOf,
  symptomOf,
} from './testing.ts';

const LOW = foundOf(causeOf('low', 'reachable'));
const HIGH = foundOf(causeOf('high', 'registered'));

function rolesOf(
  founds: readonly FoundCause[],
  symptoms: readonly OpenSymptom[] = [],
  shared: readonly FoundCause[] = [],
): readonly string[] {
  return assignRoles(standingOf(founds, symptoms), shared).map(
    ({ cause, role, explainedBy }) => `${cause.id} ${role} ${explainedBy ?? '-'}`,
  );
}

function open(id: string, stage: 'reachable' | 'registered', blocksAbove = false): OpenSymptom {
  return { symptom: symptomOf(id, stage, blocksAbove), proof: [] };
}

describe('one cause explains another', () => {
  test('of a higher stage, unless it leaves the rest working', () => {
    assert.equal(explains(LOW, HIGH), true);
    assert.equal(explains(HIGH, LOW), false);
    assert.equal(explains(LOW, foundOf(causeOf('same', 'reachable'))), false);
    assert.equal(explains(foundOf({ ...LOW.cause, blocksAbove: false }), HIGH), false);
    assert.equal(explains(foundOf({ ...LOW.cause, blocksAbove: true }), HIGH), true);
  });

  test('where it says so, which the other then cannot', () => {
    const says = foundOf({ ...HIGH.cause, explains: ['low'] });
    assert.equal(explains(says, LOW), true);
    assert.equal(explains(LOW, says), false);
    assert.equal(explains(foundOf({ ...HIGH.cause, explains: ['other'] }), LOW), false);
  });

  test('and never itself', () => {
    assert.equal(explains(LOW, foundOf({ ...LOW.cause, explains: ['low'] })), false);
  });
});

describe('parts of what was found on one machine', () => {
  test('the lowest is the root, and those above its consequences', () => {
    const top = foundOf(causeOf('top', 'usable'));
    assert.deepEqual(rolesOf([top, HIGH, LOW]), [
      'top consequence low',
      'high consequence low',
      'low root -',
    ]);
  });

  test('two of one stage are both roots', () => {
    const same = foundOf(causeOf('same', 'reachable'));
    assert.deepEqual(rolesOf([LOW, same]), ['low root -', 'same root -']);
  });

  test('what only another consequence explains hangs on the root', () => {
    const middle = foundOf(
      causeOf('middle', 'reachable', { blocksAbove: false, explains: ['high'] }),
    );
    const root = foundOf(
      causeOf('root', 'reachable', { blocksAbove: false, explains: ['middle'] }),
    );
    assert.deepEqual(rolesOf([HIGH, middle, root]), [
      'high consequence root',
      'middle consequence root',
      'root root -',
    ]);
  });

  test('above an undecided symptom that blocks it only contributes, unless it answers it', () => {
    const blocked = [open('no-route', 'reachable', true), open('late', 'registered', true)];
    assert.deepEqual(rolesOf([HIGH], blocked), ['high contributing -']);
    assert.deepEqual(rolesOf([LOW], blocked), ['low root -']);
    assert.deepEqual(rolesOf([HIGH], [open('no-route', 'reachable')]), ['high root -']);
    const symptoms = ['no-route'] as unknown as Cause['symptoms'];
    const answers = foundOf({ ...HIGH.cause, symptoms });
    assert.deepEqual(rolesOf([answers], blocked), ['high root -']);
    const other = foundOf({ ...HIGH.cause, symptoms: ['other'] as unknown as Cause['symptoms'] });
    assert.deepEqual(rolesOf([other], blocked), ['high contributing -']);
  });
});

describe('causes of the whole cluster', () => {
  test('are repeated on machines in trouble at their stage or above', () => {
    const repeated = 'high consequence high';
    assert.deepEqual(rolesOf([], [open('late', 'registered')], [HIGH]), [repeated]);
    assert.deepEqual(rolesOf([], [open('no-route', 'reachable')], [HIGH]), []);
    assert.deepEqual(rolesOf([], [], [HIGH]), []);
    const top = foundOf(causeOf('top', 'usable'));
    assert.deepEqual(rolesOf([top], [], [HIGH]), [repeated, 'top consequence high']);
    assert.deepEqual(rolesOf([LOW], [], [HIGH]), ['low root -']);
  });

  test('are not repeated on a machine that has them itself, or one which explains them', () => {
    assert.deepEqual(rolesOf([HIGH], [], [foundOf(HIGH.cause)]), ['high root -']);
    const says = foundOf({ ...LOW.cause, explains: ['high'] });
    assert.deepEqual(rolesOf([says], [open('late', 'registered')], [HIGH]), ['low root -']);
  });

  test('concern only the machines that they name', () => {
    const concerned = (machines: readonly string[]): number => {
      const subject = subjectOf({
        instanceId: 'i-1',
        node: 'node01',
        names: [{ kind: 'ip', value: '10.0.0.1' }],
      });
      return assignRoles(standingOf([], [], subject), [foundOf(HIGH.cause, { machines })]).length;
    };
    assert.deepEqual([['i-1'], ['node01'], ['x', '10.0.0.1']].map(concerned), [1, 1, 1]);
    assert.deepEqual([['node00'], []].map(concerned), [0, 0]);
  });
});

describe('the headline', () => {
  function pick(...reports: readonly (readonly Finding[])[]): string | null {
    const all = reports.map((findings, index) => reportOf(`node0${index}`, { findings }));
    return pickHeadline(all, [])?.cause ?? null;
  }

  test('is a root that is more than possible', () => {
    assert.equal(pick([]), null);
    assert.equal(pick([findingOf('a', 'reachable', { role: 'consequence' })]), null);
    assert.equal(pick([findingOf('a', 'reachable', { confidence: 'possible' })]), null);
    assert.equal(pick([findingOf('a', 'reachable', { confidence: 'likely' })]), 'a');
  });

  test('is of the lowest stage, then of most machines, then definite, then the first by id', () => {
    assert.equal(pick([findingOf('a', 'registered'), findingOf('b', 'reachable')]), 'b');
    const [a, b] = [findingOf('a', 'reachable'), findingOf('b', 'reachable')];
    assert.equal(pick([a], [b], [b]), 'b');
    assert.equal(pick([b, a]), 'a');
    assert.equal(pick([{ ...a, confidence: 'likely' }, b]), 'b');
    const [low, high] = [findingOf('z', 'reachable'), findingOf('a', 'registered')];
    assert.equal(pick([high], [high], [high, low]), 'z');
  });

  test('counts the machines that a cause explains, each once', () => {
    const [a, b] = [findingOf('a', 'reachable'), findingOf('b', 'reachable')];
    const explained = findingOf('c', 'usable', { role: 'consequence', explainedBy: 'b' });
    assert.equal(pick([a, b], [explained, explained]), 'b');
    assert.equal(pick([a, b], [a], [explained, { ...explained, cause: 'd' }]), 'a');
  });

  test('names the machine by its instance where it has one', () => {
    const findings = [findingOf('a', 'reachable')];
    const own = { cause: 'a', stage: 'reachable', confidence: 'definite' };
    assert.deepEqual(pickHeadline([reportOf('n', { findings })], []), { ...own, subject: 'n' });
    const known = reportOf('n', { findings, instanceId: 'i-1' });
    assert.deepEqual(pickHeadline([known], []), { ...own, subject: 'i-1' });
  });

  function first(a: ReturnType<typeof quoteOf>, z: ReturnType<typeof quoteOf>): string | undefined {
    const [ca, cz] = [causeOf('a', 'reachable'), causeOf('z', 'reachable')];
    const founds = [foundOf(ca, { proof: [a] }), foundOf(cz, { proof: [z] })];
    const findings = [findingOf('a', 'reachable'), findingOf('z', 'reachable')];
    const reports: readonly SubjectReport[] = [reportOf('node00', { findings })];
    const standings: readonly Standing[] = [standingOf(founds)];
    const heads = [reports, [reportOf('node00', { findings: findings.toReversed() })]].map(
      (one) => pickHeadline(one, standings)?.cause,
    );
    assert.equal(heads[0], heads[1], 'whatever their order');
    return heads[0];
  }

  test('is what was seen first, by stamps or by lines of one file', () => {
    assert.equal(first(quoteOf(1, 20_000), quoteOf(2, 10_000)), 'z');
    assert.equal(first(quoteOf(9), quoteOf(2)), 'z');
    assert.equal(first(quoteOf(1), quoteOf(2)), 'a');
    assert.equal(first(quoteOf(5, 20_000, 0), quoteOf(5, 10_000, 1)), 'z');
    assert.equal(first(quoteOf(9, null, 0), quoteOf(2, 10_000, 1)), 'a');
    assert.equal(first(quoteOf(9, 10_000, 0), quoteOf(2, null, 1)), 'a');
  });
});
