import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FactRecord, Hit } from '../evidence/observations.ts';
import { type Cause, found, foundInShown, type Match, type Sign } from './cause.ts';
import { evaluate } from './evaluate.ts';
import {
  causeOf,
  factOf,
  hitOf,
  observationsOf,
  quoteOf,
  subjectOf,
  symptomOf,
} from './testing.ts';
import type { Subject } from './subject.ts';

function sign(weight: Sign['weight'], change: Partial<Sign> = {}): Sign {
  return { in: ['kubelet'], anchors: [], pattern: /x/, weight, ...change };
}

const CAUSE = causeOf('c', 'reachable', {
  signs: {
    sure: sign('definite'),
    near: sign('likely'),
    beside: sign('context'),
    over: sign('withdraws'),
  },
  decide: { text: 'Ask it.', command: 'kubectl get nodes' },
});

/** A line of the cause at a minute of the same log. */
function said(name: string, line: number, captures: Readonly<Record<string, string>> = {}): Hit {
  return hitOf('c', { ...quoteOf(line, line * 60_000), captures }, { sign: name });
}

function matched(cause: Cause, change: Partial<Subject>, facts: readonly FactRecord[] = []): Match {
  return evaluate(cause, subjectOf(change, facts), observationsOf({ facts })).match;
}

function confidence(...hits: readonly Hit[]): string {
  const match = matched(CAUSE, { hits });
  return match.verdict === 'found' ? match.confidence : match.verdict;
}

describe('what its signs say of a cause', () => {
  test('is as sure as the surest of them', () => {
    assert.equal(confidence(said('sure', 1)), 'definite');
    assert.equal(confidence(said('near', 1)), 'likely');
    assert.equal(confidence(said('near', 1), said('sure', 2)), 'definite');
    assert.equal(confidence(said('beside', 1)), 'unknown');
  });

  test('is quoted from what decides, each place once, and filled from all', () => {
    const match = matched(CAUSE, {
      hits: [
        said('sure', 1, { a: 'sure' }),
        said('near', 2, { b: 'near' }),
        said('beside', 3, { a: 'beside', d: 'd' }),
      ],
    });
    assert.ok(match.verdict === 'found');
    assert.deepEqual(match.details, { a: 'sure', b: 'near', d: 'd' });
    assert.deepEqual(
      match.proof.map(({ locator }) => locator),
      ['kubelet.log:1', 'kubelet.log:2'],
    );
  });

  test('is taken back by what withdraws it later, and not by what did so before', () => {
    assert.equal(confidence(said('sure', 1), said('over', 2)), 'clear');
    assert.equal(confidence(said('over', 1), said('sure', 2)), 'definite');
    assert.equal(confidence(said('over', 1)), 'clear');
  });

  test('asks for what would decide where only supporting lines were seen', () => {
    const match = matched(CAUSE, { hits: [said('beside', 1)] });
    assert.ok(match.verdict === 'unknown');
    assert.deepEqual(match.missing, [
      {
        reason: 'not-in-source',
        detail: 'only supporting lines are in this evidence',
        collect: 'kubectl get nodes',
      },
    ]);
  });

  test('stays open while a symptom shows behind which it may stand, and no longer', () => {
    const { id } = symptomOf('node-not-ready', 'networked');
    const cause = causeOf('c', 'reachable', {
      symptoms: [id as Cause['symptoms'][number]],
      withdrawnBy: ['node-ready'],
    });
    const ready = hitOf('milestone:node-ready', quoteOf(1, 1));
    const symptom = hitOf(`symptom:${id}`, quoteOf(2, 2));
    assert.equal(matched(cause, { hits: [ready, symptom] }).verdict, 'unknown');
    assert.equal(matched(cause, { hits: [ready] }).verdict, 'clear');
  });
});

describe('where no line names a cause', () => {
  function why(cause: Cause, sources: Subject['sources']): unknown {
    const match = matched(cause, { sources });
    return match.verdict === 'unknown' ? match.missing : match.verdict;
  }

  test('names the first two logs in which it would decide, when none was read', () => {
    const cause = causeOf('c', 'reachable', {
      signs: {
        first: sign('definite', { in: ['kubelet', 'console'] }),
        second: sign('likely', { in: ['cloud-init'] }),
        third: sign('likely', { in: ['containerd'] }),
        beside: sign('context', { in: ['ipamd'] }),
      },
    });
    const missing = why(cause, new Set(['console', 'ipamd']));
    assert.ok(Array.isArray(missing));
    assert.deepEqual(
      missing.map(({ reason }: { reason: string }) => reason),
      ['not-collected', 'not-collected'],
    );
    assert.match(JSON.stringify(missing), /kubelet .*cloud-init/i);
  });

  test('says that a log which was read may be incomplete', () => {
    assert.match(
      JSON.stringify(why(CAUSE, new Set(['kubelet']))),
      /"not-in-source".*may be incomplete.*kubectl get nodes/,
    );
  });

  test('says that the objects are missing where no line decides', () => {
    const cause = { ...CAUSE, signs: { beside: sign('context') } };
    assert.match(
      JSON.stringify(why(cause, new Set(['kubelet']))),
      /"not-in-source".*the deciding objects are not/,
    );
  });
});

describe('a cause that is deduced from objects', () => {
  const object = { ...quoteOf(9), source: 'object' } as const;
  const cut = { ...factOf('kube/ConfigMap', {} as never), extent: 'part' } as const;
  const deducing = (proof: readonly (typeof object | ReturnType<typeof quoteOf>)[]): Cause => ({
    ...CAUSE,
    needs: ['kube/ConfigMap'],
    match: () => found({}, proof, 'definite'),
  });

  test('is open while an object that it needs is shown in part, and says which', () => {
    const match = matched(deducing([object]), {}, [cut]);
    assert.ok(match.verdict === 'unknown');
    assert.match(
      JSON.stringify(match.missing),
      /"not-in-source","detail":"test shows only a part of test:1","collect":"kubectl/,
    );
    const whole = { ...cut, extent: 'whole' } as const;
    assert.equal(matched(deducing([object]), {}, [whole]).verdict, 'found');
    const other = { ...factOf('kube/Pod', {} as never), extent: 'part' } as const;
    assert.equal(matched(deducing([object]), {}, [other]).verdict, 'found');
  });

  test('needs no whole object where it rests on what is shown', () => {
    const cause = deducing([object]);
    const match = (): Match => foundInShown(found({}, [object], 'likely'));
    assert.equal(matched({ ...cause, match }, {}, [cut]).verdict, 'found');
  });

  test('needs no whole object where a line proves it', () => {
    const verdict = (hit: Hit, ...proof: Parameters<typeof deducing>[0]): string =>
      matched(deducing(proof), { hits: [hit] }, [cut]).verdict;
    assert.equal(verdict(said('sure', 1), object), 'found');
    assert.equal(verdict(said('near', 1), quoteOf(1)), 'found');
    assert.equal(verdict(said('near', 1), object), 'unknown');
    assert.equal(verdict(said('beside', 1), quoteOf(1)), 'unknown');
  });
});
