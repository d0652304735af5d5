import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WhyUnknown } from '../evidence/fact.ts';
import type { PlanContents, Planned } from '../evidence/planned.ts';
import { type Cause, cannotSay, clear, type Found, found, type Match } from './cause.ts';
import { foreseen, foreseenByMatch, NOT_SHOWN, plannedDetails } from './foresight.ts';
import type { PlanView } from './plan-view.ts';
import { foreseeAll, type PreflightSubject } from './preflight.ts';
import { causeOf } from './testing.ts';

const ROLE = 'arn:aws:iam::111122223333:role/workers';

function groupOf(
  change: Planned['change'] = 'create',
  value: object = {},
): Planned<'aws/node-group'> {
  const named = { clusterName: 'shop', nodegroupName: 'workers', nodeRole: ROLE };
  return {
    kind: 'aws/node-group',
    state: 'seen',
    value: { ...named, ...value } as Planned<'aws/node-group'>['value'],
    by: 'terraform show',
    locator: 'plan.json#aws_eks_node_group.workers',
    address: 'aws_eks_node_group.workers',
    change,
  };
}

function contentsOf(group = groupOf(), isChanging = true): PlanContents {
  return { facts: [group], doubts: [], resourceCount: 1, isChanging, canWriteMaps: true };
}

function says(id: string, stage: Cause['stage'], match: (plan: PlanView) => Match | null): Cause {
  const page = { why: `why ${id}`, prevent: '', notThis: '', refs: [] };
  const texts = { summary: () => `summary of ${id}`, page };
  const decide = { text: '', command: `ask ${id}` };
  return foreseen(causeOf(id, stage, { ...texts, decide }), match);
}

function subjectOf(causes: readonly Cause[], contents = contentsOf()): PreflightSubject {
  const [subject = assert.fail(), ...more] = foreseeAll(causes, contents, 'plan.json');
  assert.deepEqual(more, []);
  return subject;
}

function notCollected(detail: string, collect: string | null): WhyUnknown {
  return { reason: 'not-collected', detail, collect };
}

const isFound =
  (locator: string) =>
  (plan: PlanView): Found => {
    const [group = assert.fail()] = plan.list('aws/node-group');
    return found({}, [plan.quote({ ...group, locator }, 'two  words')], 'likely');
  };

describe('a cause that the plan neither shows nor rules out', () => {
  const silent = says('silent', 'launched', () => NOT_SHOWN);

  test('is open, and no question for people', () => {
    const { open, clear: ruledOut, notObservable, verdict } = subjectOf([silent]);
    assert.deepEqual([open, ruledOut, notObservable], [['silent'], [], []]);
    assert.equal(verdict, 'usable');
  });

  test('is so too where its own match cannot say', () => {
    const missing = { reason: 'not-collected', detail: 'x', collect: 'y' } as const;
    const cause = { ...causeOf('b', 'launched'), match: () => cannotSay(missing) };
    const judged = foreseenByMatch(cause, () => true, { remedy: () => [] });
    const { open, notObservable } = subjectOf([judged]);
    assert.deepEqual([open, notObservable], [['b'], []]);
  });

  test('is not judged by its match where it cannot occur', () => {
    const cause = { ...causeOf('b', 'launched'), match: () => found({}, []) };
    const words = { remedy: () => [] };
    assert.deepEqual(subjectOf([foreseenByMatch(cause, () => false, words)]).open, []);
    assert.deepEqual(subjectOf([foreseenByMatch(cause, () => null, words)]).open, ['b']);
    assert.equal(subjectOf([foreseenByMatch(cause, () => true, words)]).findings.length, 1);
  });
});

test('a cause has words of its own for plans', () => {
  const cause = causeOf('b', 'launched', { summary: () => 'of machines', remedy: () => [] });
  const step = { text: 'write it down', command: null };
  const words = { summary: () => 'of plans', remedy: () => [step] };
  const judged = foreseen(cause, () => found({}, []), words);
  const [finding] = subjectOf([judged]).findings;
  assert.deepEqual([finding?.summary, finding?.remedy], ['of plans', [step]]);
  assert.deepEqual([judged.summary({}), judged.remedy({})], ['of machines', []]);
});

describe('a group of a plan', () => {
  test('that no cause finds anything about is usable, with what was ruled out', () => {
    const silent = causeOf('silent', 'launched');
    const subject = subjectOf([says('a', 'launched', () => clear), silent]);
    assert.deepEqual(
      [subject.verdict, subject.clear, subject.findings, subject.notObservable],
      ['usable', ['a'], [], []],
    );
    assert.deepEqual(
      [subject.kind, subject.name, subject.cluster, subject.plan, subject.address],
      ['NodeGroup', 'workers', 'shop', 'plan.json', 'aws_eks_node_group.workers'],
    );
  });

  test('is not usable for what is found, the lowest rung first', () => {
    const subject = subjectOf([
      says('high', 'networked', isFound('plan.json#aws_subnet.a')),
      says('low', 'launched', isFound('plan.json')),
    ]);
    assert.equal(subject.verdict, 'not-usable');
    const [low = assert.fail(), high = assert.fail()] = subject.findings;
    assert.deepEqual([low.cause, low.address], ['low', 'aws_eks_node_group.workers']);
    assert.deepEqual([high.cause, high.address], ['high', 'aws_subnet.a']);
    assert.deepEqual([high.summary, high.why], ['summary of high', 'why high']);
    assert.deepEqual(high.evidence, [
      { source: 'terraform', locator: 'plan.json#aws_subnet.a', excerpt: 'two words', time: null },
    ]);
  });

  test('is open where something is unknown, each thing once, with what would show it', () => {
    const subject = subjectOf([
      says('a', 'launched', () => cannotSay(notCollected('x', null), notCollected('y', 'look'))),
      says('b', 'networked', () => cannotSay(notCollected('x', 'again'))),
    ]);
    assert.equal(subject.verdict, 'cannot-tell');
    assert.deepEqual(subject.notObservable, [
      { stage: 'launched', why: 'x', collect: 'ask a' },
      { stage: 'launched', why: 'y', collect: 'look' },
    ]);
  });

  test('that stays as it is asks only for what the plan leaves open', () => {
    const open = says('a', 'launched', () =>
      cannotSay(notCollected('x', 'look'), notCollected('y', 'terraform plan')),
    );
    const { notObservable } = subjectOf([open], contentsOf(groupOf('keep')));
    assert.deepEqual(
      notObservable.map(({ why }) => why),
      ['y'],
    );
  });

  test('is not judged where the plan changes nothing of nodes', () => {
    assert.deepEqual(foreseeAll([], contentsOf(groupOf(), false), 'plan.json'), []);
  });
});

describe('sentences about a group', () => {
  const detailsOf = (value: object): unknown => {
    let details: unknown;
    const cause = says('a', 'launched', () => clear);
    const noted = foreseen(cause, (_, group) => {
      details = plannedDetails(group);
      return clear;
    });
    subjectOf([noted], contentsOf(groupOf('create', value)));
    return details;
  };

  test('name its cluster, role and the ARN as a configuration has it', () => {
    assert.deepEqual(detailsOf({}), {
      planned: 'workers',
      cluster: 'shop',
      role: 'workers',
      principal: `"${ROLE}"`,
    });
    assert.deepEqual(detailsOf({ nodeRole: 'aws_iam_role.own' }), {
      planned: 'workers',
      cluster: 'shop',
      role: 'aws_iam_role.own',
      principal: 'aws_iam_role.own.arn',
      address: 'aws_iam_role.own',
    });
  });

  test('leave out what is known after apply', () => {
    assert.deepEqual(detailsOf({ nodeRole: undefined, clusterName: undefined }), {
      planned: 'workers',
    });
  });
});
