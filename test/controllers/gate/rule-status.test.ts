/** What is written to NodeReadinessRules, and that it stays bounded. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideRule } from '../../../src/controllers/gate/readiness-rules/decide.ts';
import type { NodeEvaluation } from '../../../src/controllers/gate/readiness-rules/evaluations.ts';
import { type KnownRule, readRule } from '../../../src/controllers/gate/readiness-rules/rule.ts';
import {
  type FailedNode,
  isSameStatus,
  ruleStatus,
  STATUS_CHARS_MAX,
  STATUS_NODES_MAX,
} from '../../../src/controllers/gate/readiness-rules/status.ts';
import { RULE_FINALIZER } from '../../../src/controllers/gate/policies/node-readiness-rule.ts';
import { at, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';

const SEEN_MS = Date.UTC(2026, 2, 1, 12);

function known(
  change: {
    readonly metadata?: JsonObject;
    readonly spec?: JsonObject;
    readonly status?: JsonObject;
  } = {},
): KnownRule {
  const rule = readRule({
    metadata: {
      name: 'net',
      uid: 'u-1',
      resourceVersion: '5',
      generation: 2,
      finalizers: [RULE_FINALIZER],
      ...change.metadata,
    },
    spec: {
      conditions: [{ type: 'a/Ready', requiredStatus: 'True' }],
      enforcementMode: 'continuous',
      taint: { key: 'readiness.k8s.io/net', effect: 'NoSchedule' },
      nodeSelector: {},
      ...change.spec,
    },
    ...(change.status === undefined ? {} : { status: change.status }),
  });
  return rule ?? assert.fail('no rule');
}

function evaluation(nodeName: string, change: Partial<NodeEvaluation> = {}): NodeEvaluation {
  return {
    nodeName,
    statuses: ['True'],
    isSatisfied: true,
    isHeld: false,
    sinceMs: SEEN_MS,
    ...change,
  };
}

function many(
  count: number,
  change: Partial<NodeEvaluation> = {},
): ReadonlyMap<string, NodeEvaluation> {
  const all = Array.from({ length: count }, (_, index) =>
    evaluation(`n${index}`, { sinceMs: SEEN_MS + index * 1000, ...change }),
  );
  return new Map(all.map((one) => [one.nodeName, one]));
}

function statusOf(
  evaluations: ReadonlyMap<string, NodeEvaluation>,
  rule = known(),
  failed: readonly FailedNode[] = [],
): JsonObject {
  return ruleStatus({ rule, evaluations, failed });
}

function nodesOf(status: JsonObject): readonly (string | null)[] {
  return listAt(status, 'nodeEvaluations').map((one) => textAt(one, 'nodeName'));
}

describe('a status', () => {
  test('a status lists no more than 100 nodes, those that are held', () => {
    const held = new Map([
      ...many(5000),
      ...many(3, { isHeld: true, isSatisfied: false, statuses: [null] }),
    ]);
    assert.deepEqual(nodesOf(statusOf(held)), ['n2', 'n1', 'n0']);
    assert.equal(nodesOf(statusOf(many(5000, { isHeld: true }))).length, STATUS_NODES_MAX);
    assert.equal(nodesOf(statusOf(many(5000, { isHeld: true })))[0], 'n4999');
    assert.equal(nodesOf(statusOf(many(STATUS_NODES_MAX))).length, STATUS_NODES_MAX);
  });

  test('is bounded in size where names and conditions are long', () => {
    const conditions = Array.from({ length: 32 }, (_, index) => ({
      type: `${'x'.repeat(250)}/${index}`,
      requiredStatus: 'True',
    }));
    const status = statusOf(many(100, { isHeld: true }), known({ spec: { conditions } }));
    assert.ok(JSON.stringify(status['nodeEvaluations']).length <= STATUS_CHARS_MAX);
    assert.ok(nodesOf(status).length > 0);
  });

  test('a status names the nodes on which a write failed', () => {
    const failed: FailedNode = {
      nodeName: 'n1',
      reason: 'AddTaintError',
      message: 'refused',
      atMs: SEEN_MS,
    };
    assert.deepEqual(statusOf(many(2), known(), [failed])['failedNodes'], [
      {
        nodeName: 'n1',
        reason: 'AddTaintError',
        message: 'refused',
        lastEvaluationTime: '2026-03-01T12:00:00Z',
      },
    ]);
  });

  test('says on its nodes why a rule cannot be followed', () => {
    const rule = known({ spec: { gracePeriod: '5m' } });
    const [failed] = listAt(statusOf(many(1), rule), 'failedNodes');
    assert.equal(textAt(failed, 'reason'), 'EvaluationError');
    assert.match(textAt(failed, 'message') ?? '', /^spec\.gracePeriod is unknown/);
  });
});

describe('a status beside another', () => {
  test('of a dry run counts what would be done', () => {
    const rule = known({ spec: { dryRun: true } });
    const all = new Map([
      ['a', evaluation('a', { isHeld: true })],
      ['b', evaluation('b', { isSatisfied: false, statuses: [null] })],
      ['c', evaluation('c', { isSatisfied: false, statuses: ['False'] })],
      ['d', evaluation('d')],
    ]);
    assert.deepEqual(statusOf(all, rule)['dryRunResults'], {
      affectedNodes: 4,
      taintsToAdd: 2,
      taintsToRemove: 1,
      riskyOperations: 1,
      summary: 'would add 2 taints, would remove 1 taint, 1 node has missing conditions',
    });
    const none = statusOf(new Map([['d', evaluation('d')]]), rule);
    assert.equal(at(none, 'dryRunResults.summary'), 'no changes needed');
  });

  test('is the same when only times and the order of nodes differ', () => {
    const one = statusOf(many(3));
    const other = statusOf(new Map([...many(3, { sinceMs: SEEN_MS + 5_000 })].toReversed()));
    assert.ok(isSameStatus(one, other));
    assert.ok(!isSameStatus(one, statusOf(many(3, { isHeld: true }))));
    assert.ok(!isSameStatus(one, statusOf(many(3), known({ metadata: { generation: 3 } }))));
  });
});

describe('a rule', () => {
  const view = (rule: KnownRule, isLeft = false): Parameters<typeof decideRule>[0] => ({
    rule,
    status: statusOf(many(1), rule),
    isLeft,
  });
  const changeOf = (action: ReturnType<typeof decideRule>): unknown =>
    action?.write.verb === 'patch' && action.write.patch.type === 'merge'
      ? action.write.patch.change
      : null;

  test('gets its finalizer before its first status, beside those of others', () => {
    const action = decideRule(view(known({ metadata: { finalizers: ['a/b'] } })));
    assert.deepEqual(changeOf(action), { metadata: { finalizers: ['a/b', RULE_FINALIZER] } });
  });

  test('gets its status by the version that was seen', () => {
    const action = decideRule(view(known()));
    assert.equal(action?.object.seen?.resourceVersion, '5');
    assert.ok('subresource' in action.write && action.write.subresource === 'status');
  });

  test('needs nothing at rest', () => {
    const status = statusOf(many(1));
    assert.equal(decideRule(view(known({ status }))), null);
  });

  test('waits with its end for the last node that carries its taint', () => {
    const leaving = { deletionTimestamp: '2026-03-01T12:00:00Z' };
    const rule = known({ metadata: { ...leaving, finalizers: ['a/b', RULE_FINALIZER] } });
    assert.equal(decideRule(view(rule, true)), null);
    assert.deepEqual(changeOf(decideRule(view(rule))), { metadata: { finalizers: ['a/b'] } });
    assert.equal(decideRule(view(known({ metadata: { ...leaving, finalizers: [] } }))), null);
  });

  test('that is a dry run does not wait for taints that it never put', () => {
    const leaving = { deletionTimestamp: '2026-03-01T12:00:00Z' };
    const rule = known({ metadata: leaving, spec: { dryRun: true } });
    assert.deepEqual(changeOf(decideRule(view(rule, true))), { metadata: { finalizers: [] } });
  });
});
