/** What Rollcall makes of a NodeReadinessRule of readiness.node.x-k8s.io/v1alpha1. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readNodeReadinessRule } from '../../../src/controllers/gate/policies/node-readiness-rule.ts';
import type { GatePolicy, PolicyReading } from '../../../src/controllers/gate/policy.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';

const SPEC: JsonObject = {
  conditions: [{ type: 'example.com/NetworkReady', requiredStatus: 'True' }],
  enforcementMode: 'continuous',
  taint: { key: 'readiness.k8s.io/network', effect: 'NoSchedule', value: 'pending' },
  nodeSelector: { matchLabels: { role: 'worker' } },
};

function rule(change: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
    kind: 'NodeReadinessRule',
    metadata: { name: 'network', uid: 'u-1', generation: 3, ...metadata },
    spec: { ...SPEC, ...change },
  };
}

function only(change: JsonObject, metadata?: JsonObject): GatePolicy {
  const { policies, refusals } = readNodeReadinessRule(rule(change, metadata));
  assert.deepEqual(refusals, []);
  return policies[0] ?? assert.fail('no policy');
}

function warned(change: JsonObject): readonly string[] {
  return readNodeReadinessRule(rule(change)).warnings.map(({ why }) => why);
}

describe('a NodeReadinessRule', () => {
  test('in continuous mode is read as it is', () => {
    assert.deepEqual(only({}), {
      source: { kind: 'NodeReadinessRule', name: 'network', uid: 'u-1', generation: 3 },
      createdMs: null,
      selects: {
        requirements: [{ key: 'role', operator: 'In', values: ['worker'] }],
        placedBy: null,
      },
      taint: { key: 'readiness.k8s.io/network', value: 'pending', effect: 'NoSchedule' },
      needs: {
        all: [
          {
            kind: 'condition',
            type: 'example.com/NetworkReady',
            status: 'True',
            whenMissing: 'Unknown',
          },
        ],
      },
      dwellMs: 0,
      freshnessMs: null,
      mode: 'continuous',
      regressTaint: null,
      regressAfterMs: 0,
      blastShareMax: 1,
      expiryMs: null,
      isDryRun: false,
      isBoundToBoot: false,
      openingMarks: [],
      completedBy: [],
      refusedWhy: null,
    });
  });

  test('in bootstrap-only mode leaves its annotation, and honors that of older versions', () => {
    const { mode, openingMarks, completedBy } = only({ enforcementMode: 'bootstrap-only' });
    assert.equal(mode, 'bootstrap-only');
    assert.deepEqual(openingMarks, [
      { key: 'readiness.k8s.io/bootstrap-completed-u-1', value: '{"rule-name":"network"}' },
    ]);
    assert.deepEqual(completedBy, [
      'readiness.k8s.io/bootstrap-completed-u-1',
      'readiness.k8s.io/bootstrap-completed-network',
    ]);
  });

  test('with anyOf needs one of its conditions', () => {
    assert.ok('any' in only({ conditionPolicy: 'anyOf' }).needs);
    assert.ok('all' in only({ conditionPolicy: 'allOf' }).needs);
  });

  test('counts a missing condition as its default', () => {
    const conditions = [{ type: 'a', requiredStatus: 'True', defaultStatus: 'True' }];
    assert.deepEqual(only({ conditions }).needs, {
      all: [{ kind: 'condition', type: 'a', status: 'True', whenMissing: 'True' }],
    });
  });

  test('in bootstrap-only mode opens nothing by a default, and says so', () => {
    const conditions = [{ type: 'a', requiredStatus: 'True', defaultStatus: 'True' }];
    const change = { conditions, enforcementMode: 'bootstrap-only' };
    assert.deepEqual(only(change).needs, {
      all: [{ kind: 'condition', type: 'a', status: 'True', whenMissing: null }],
    });
    assert.match(warned(change).join(), /have a defaultStatus, which bootstrap-only mode does not/);
  });
});

describe('a NodeReadinessRule beyond its conditions', () => {
  test('that is a dry run is one', () => {
    assert.equal(only({ dryRun: true }).isDryRun, true);
  });

  test('asks for age, dwell and boot by annotations alone', () => {
    const annotations = {
      'rollcall.dev/max-condition-age': '2m',
      'rollcall.dev/dwell': '5s',
      'rollcall.dev/bound-to-boot': 'true',
      'example.com/other': 'x',
    };
    const { freshnessMs, dwellMs, isBoundToBoot } = only({}, { annotations });
    assert.deepEqual([freshnessMs, dwellMs, isBoundToBoot], [120_000, 5_000, true]);
  });

  test('is followed with a warning where the webhook of the SIG rejects it', () => {
    assert.deepEqual(warned({ nodeSelector: {} }), ['spec.nodeSelector selects every node.']);
    const anyOnce = { conditionPolicy: 'anyOf', enforcementMode: 'bootstrap-only' };
    assert.match(warned(anyOnce).join(), /one condition opens a node for good\.$/);
    const taint = { key: 'readiness.k8s.io/network', effect: 'NoExecute' };
    assert.match(warned({ taint }).join(), /is NoExecute: a node that is shut loses its Pods\.$/);
  });

  test('that is being deleted releases its taint and asks for nothing', () => {
    const leaving = { deletionTimestamp: '2026-03-01T12:00:00Z' };
    assert.deepEqual(readNodeReadinessRule(rule({}, leaving)), {
      policies: [],
      refusals: [],
      warnings: [],
      releases: [{ key: 'readiness.k8s.io/network', isPrefix: false, effect: 'NoSchedule' }],
    });
  });

  test('that is a dry run and is being deleted releases nothing', () => {
    const leaving = { deletionTimestamp: '2026-03-01T12:00:00Z' };
    assert.deepEqual(readNodeReadinessRule(rule({ dryRun: true }, leaving)).releases, []);
  });
});

describe('a NodeReadinessRule is refused', () => {
  const REFUSED: readonly (readonly [string, JsonObject, RegExp])[] = [
    ['without conditions', { conditions: [] }, /^spec\.conditions is empty/],
    ['without a selector', { nodeSelector: null }, /^spec\.nodeSelector is missing/],
    ['without a taint', { taint: null }, /^spec\.taint is missing/],
    [
      'with a taint of another prefix',
      { taint: { key: 'example.com/network', effect: 'NoSchedule' } },
      /^spec\.taint\.key must start with 'readiness\.k8s\.io\/'\.$/,
    ],
    ['with another mode', { enforcementMode: 'always' }, /^spec\.enforcementMode is "always"/],
    ['with another policy', { conditionPolicy: 'oneOf' }, /^spec\.conditionPolicy is "oneOf"/],
    [
      'with a required status that is none',
      { conditions: [{ type: 'a', requiredStatus: 'Yes' }] },
      /^spec\.conditions\[0\]\.requiredStatus is "Yes"/,
    ],
    ['with a field of a newer version', { gracePeriod: '5m' }, /^spec\.gracePeriod is unknown/],
  ];
  for (const [what, change, why] of REFUSED)
    test(what, () => {
      const { refusals } = readNodeReadinessRule(rule(change));
      assert.equal(refusals.length, 1);
      assert.match(refusals[0]?.why ?? '', why);
    });

  test('and keeps its nodes shut where they and the taint are known', () => {
    const reading: PolicyReading = readNodeReadinessRule(rule({ gracePeriod: '5m' }));
    assert.match(reading.policies[0]?.refusedWhy ?? '', /gracePeriod is unknown/);
    assert.deepEqual(readNodeReadinessRule(rule({ nodeSelector: null })).policies, []);
  });

  test('for an annotation of ours that cannot be read', () => {
    const annotations = { 'rollcall.dev/max-condition-age': 'soon' };
    const { refusals, policies } = readNodeReadinessRule(rule({}, { annotations }));
    assert.match(
      refusals[0]?.why ?? '',
      /^metadata\.annotations\.rollcall\.dev\/max-condition-age/,
    );
    assert.notEqual(policies[0]?.refusedWhy, null);
  });
});
