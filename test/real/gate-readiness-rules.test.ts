/** NodeReadinessRules in the gate controller, on a real API server, point by point. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { at, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { applyManifests } from './controller-manifests.ts';
import { GateSite, type RunningGate } from './gate-site.ts';
import { RULE_DEFINITION } from './node-readiness-rule-definition.ts';
import { CONTROL_PLANE, missing } from './parts.ts';
import { RULES, RuleSite, taintOf } from './rule-site.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/nrr-system/leases';
/** With the rights of the manifests and no others. */
const USER = 'gate';
const LEASE = 'ba65f13e.readiness.node.x-k8s.io';
const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 180_000 };

let plane: ControlPlane;
let site: GateSite;
let rules: RuleSite;
let gate: RunningGate;
const endings: (() => void)[] = [];

async function started(...args: readonly string[]): Promise<RunningGate> {
  const context = { after: (end: () => void) => void endings.push(end) };
  return site.startGate(context, '--node-readiness-rules', ...args);
}

async function following(running: RunningGate): Promise<void> {
  await until('rules to be followed', async () =>
    / follows NodeReadinessRules/.test(running.said()) ? true : null,
  ).catch((error: unknown) => {
    throw new Error(running.said(), { cause: error });
  });
}

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  await applyManifests(plane.client, ['gate-rbac.yaml', 'gate-rules-rbac.yaml'], USER);
  site = new GateSite(plane, await plane.writeKubeconfig(USER));
  rules = new RuleSite(site);
  await site.define(RULE_DEFINITION, RULES);
  gate = await started();
  await following(gate);
});
after(async () => {
  for (const end of endings) end();
  if (skip === false) await plane.stop();
});

describe('NodeReadinessRule: in continuous mode', WITH_PARTS, () => {
  test('a taint goes, comes back and goes with its condition', async () => {
    await rules.rule('turns');
    await rules.node('turns', true);
    await site.setCondition('turns', 'example.com/Ready', 'True');
    await site.untilTaints('turns', [], gate);
    await site.setCondition('turns', 'example.com/Ready', 'False');
    await site.untilTaints('turns', [taintOf('turns')], gate);
    await site.setCondition('turns', 'example.com/Ready', 'True');
    await site.untilTaints('turns', [], gate);
  });

  test('a node without the condition gets the taint', async () => {
    await rules.rule('absent');
    await rules.node('absent', false);
    await site.untilTaints('absent', [taintOf('absent')], gate);
  });

  test('a missing condition counts as its default', async () => {
    const conditions = [
      { type: 'example.com/Ready', requiredStatus: 'True', defaultStatus: 'True' },
    ];
    await rules.rule('default', { conditions });
    await rules.node('default', true);
    await site.untilTaints('default', [], gate);
    await site.setCondition('default', 'example.com/Ready', 'False');
    await site.untilTaints('default', [taintOf('default')], gate);
  });

  test('all conditions are needed', async () => {
    const conditions = ['A', 'B'].map((type) => ({
      type: `example.com/${type}`,
      requiredStatus: 'True',
    }));
    await rules.rule('both', { conditions });
    await rules.node('both', true);
    await site.setCondition('both', 'example.com/A', 'True');
    await rules.where('both', 'condition A', (object) =>
      JSON.stringify(object).includes('"currentStatus":"True"'),
    );
    assert.deepEqual(await site.taints('both'), [taintOf('both')]);
    await site.setCondition('both', 'example.com/B', 'True');
    await site.untilTaints('both', [], gate);
  });

  test('with anyOf one condition is enough', async () => {
    const conditions = ['A', 'B'].map((type) => ({
      type: `example.com/${type}`,
      requiredStatus: 'True',
    }));
    await rules.rule('either', { conditions, more: { conditionPolicy: 'anyOf' } });
    await rules.node('either', true);
    await site.setCondition('either', 'example.com/B', 'True');
    await site.untilTaints('either', [], gate);
  });
});

describe('NodeReadinessRule: nodes and writes', WITH_PARTS, () => {
  test('a required status may be False', async () => {
    await rules.rule('negative', {
      conditions: [{ type: 'example.com/Broken', requiredStatus: 'False' }],
    });
    await rules.node('negative', true);
    await site.setCondition('negative', 'example.com/Broken', 'False');
    await site.untilTaints('negative', [], gate);
  });

  test('a taint that somebody removes comes back', async () => {
    await rules.rule('stripped');
    await rules.node('stripped', true);
    await rules.where(
      'stripped',
      'an evaluation',
      (object) => listAt(object, 'status.nodeEvaluations').length > 0,
    );
    await site.setTaints('stripped', []);
    await site.untilTaints('stripped', [taintOf('stripped')], gate);
  });

  test('nodes that the selector leaves out are not touched', async () => {
    await rules.rule('selected');
    await rules.node('left-out', false, 'nothing');
    await rules.node('selected', false);
    await site.untilTaints('selected', [taintOf('selected')], gate);
    assert.deepEqual(await site.taints('left-out'), []);
  });

  test('several rules on one node are one write', async () => {
    const more = { nodeSelector: { matchLabels: { case: 'one-write' } } };
    for (const name of ['write-a', 'write-b', 'write-c']) await rules.rule(name, { more });
    const taints = ['a', 'b', 'c'].map((one) => ({
      key: `readiness.k8s.io/write-${one}`,
      effect: 'NoSchedule',
    }));
    await site.node('one-write', { labels: { case: 'one-write' }, taints });
    await site.setCondition('one-write', 'example.com/Ready', 'True');
    const seen = new Set<number>();
    await until('no taint', async () => {
      const left = (await site.taints('one-write')).length;
      seen.add(left);
      return left === 0 ? true : null;
    });
    assert.deepEqual(
      [...seen].filter((left) => left !== 3 && left !== 0),
      [],
    );
  });
});

describe('NodeReadinessRule: in bootstrap-only mode', WITH_PARTS, () => {
  test('a node that was opened stays open, and carries the annotation with the UID', async () => {
    const uid = await rules.rule('once', { mode: 'bootstrap-only' });
    await rules.node('once', true);
    await site.setCondition('once', 'example.com/Ready', 'True');
    await site.untilTaints('once', [], gate);
    const mark = (await site.annotations('once'))[`readiness.k8s.io/bootstrap-completed-${uid}`];
    assert.deepEqual(JSON.parse(mark ?? 'null'), { 'rule-name': 'once' });
    await site.setCondition('once', 'example.com/Ready', 'False');
    await rules.where('once', 'the condition False', (object) =>
      JSON.stringify(object).includes('"currentStatus":"False"'),
    );
    assert.deepEqual(await site.taints('once'), []);
  });

  test('a node that is met without the taint gets the annotation', async () => {
    const uid = await rules.rule('untainted', { mode: 'bootstrap-only' });
    await site.node('untainted', { labels: { case: 'not-yet' } });
    await site.setCondition('untainted', 'example.com/Ready', 'True');
    await site.setLabels('untainted', { case: 'untainted' });
    const mark = await until(
      'the annotation',
      async () =>
        (await site.annotations('untainted'))[`readiness.k8s.io/bootstrap-completed-${uid}`] ??
        null,
    );
    assert.match(mark, /untainted/);
  });

  test('the annotation of older versions, with the name of the rule, counts', async () => {
    await rules.rule('legacy', { mode: 'bootstrap-only' });
    const annotations = { 'readiness.k8s.io/bootstrap-completed-legacy': '{}' };
    await site.node('legacy', { labels: { case: 'legacy' }, annotations });
    await rules.where(
      'legacy',
      'an evaluation',
      (object) => listAt(object, 'status.nodeEvaluations').length > 0,
    );
    assert.deepEqual(await site.taints('legacy'), []);
  });

  test('a default never opens a node for good', async () => {
    const conditions = [
      { type: 'example.com/Ready', requiredStatus: 'True', defaultStatus: 'True' },
    ];
    await rules.rule('no-default', { mode: 'bootstrap-only', conditions });
    await rules.node('no-default', true);
    await rules.where(
      'no-default',
      'an evaluation',
      (object) => listAt(object, 'status.nodeEvaluations').length > 0,
    );
    assert.deepEqual(await site.taints('no-default'), [taintOf('no-default')]);
    assert.match(gate.said(), /no-default: spec\.conditions have a defaultStatus/);
  });
});

describe('NodeReadinessRule: its status', WITH_PARTS, () => {
  test('lists nodes, conditions and taints', async () => {
    await rules.rule('listed');
    await rules.node('listed', true);
    await site.setCondition('listed', 'example.com/Ready', 'False');
    const found = await rules.where('listed', 'False', (object) =>
      JSON.stringify(object).includes('"currentStatus":"False"'),
    );
    assert.equal(at(found, 'status.observedGeneration'), 1);
    assert.deepEqual(at(found, 'status.appliedNodes'), ['listed']);
    const [evaluation] = listAt(found, 'status.nodeEvaluations') as readonly JsonObject[];
    const { lastEvaluationTime, ...rest } = evaluation ?? {};
    assert.match(JSON.stringify(lastEvaluationTime), /^"\d{4}-/);
    assert.deepEqual(rest, {
      nodeName: 'listed',
      conditionResults: [
        {
          type: 'example.com/Ready',
          currentStatus: 'False',
          requiredStatus: 'True',
          defaultStatus: 'Unknown',
        },
      ],
      taintStatus: 'Present',
    });
  });

  test('follows the generation of the rule', async () => {
    await rules.rule('generation');
    await rules.where(
      'generation',
      'a status',
      (object) => at(object, 'status.observedGeneration') === 1,
    );
    await site.patch(`${RULES}/generation`, { spec: { dryRun: true } });
    await rules.where(
      'generation',
      'generation 2',
      (object) => at(object, 'status.observedGeneration') === 2,
    );
  });

  test('of a dry run says what would be done, and no node is changed', async () => {
    await rules.rule('dry', { more: { dryRun: true } });
    await rules.node('dry-open', false, 'dry');
    await rules.node('dry-shut', true, 'dry');
    await site.setCondition('dry-shut', 'example.com/Ready', 'True');
    const found = await rules.where(
      'dry',
      'two nodes',
      (object) =>
        at(object, 'status.dryRunResults.taintsToAdd') === 1 &&
        at(object, 'status.dryRunResults.taintsToRemove') === 1,
    );
    assert.equal(
      at(found, 'status.dryRunResults.summary'),
      'would add 1 taint, would remove 1 taint, 1 node has missing conditions',
    );
    assert.deepEqual(await site.taints('dry-open'), []);
    assert.deepEqual(await site.taints('dry-shut'), [taintOf('dry')]);
  });
});

describe('NodeReadinessRule: when it is deleted', WITH_PARTS, () => {
  test('its taint goes from every node, also from one that it selects no longer, and then the rule', async () => {
    await rules.rule('leaving');
    await rules.node('leaving-a', false, 'leaving');
    await rules.node('leaving-b', false, 'leaving');
    for (const name of ['leaving-a', 'leaving-b'])
      await site.untilTaints(name, [taintOf('leaving')], gate);
    await rules.where('leaving', 'its finalizer', (object) =>
      listAt(object, 'metadata.finalizers').includes('readiness.node.x-k8s.io/cleanup-taints'),
    );
    await site.setLabels('leaving-b', { case: 'moved' });
    await plane.client.remove(`${RULES}/leaving`);
    for (const name of ['leaving-a', 'leaving-b']) await site.untilTaints(name, [], gate);
    await until('the rule to be gone', async () =>
      (await plane.client.find(`${RULES}/leaving`)) === null ? true : null,
    );
  });
});

describe('NodeReadinessRule: its Events', WITH_PARTS, () => {
  test('tell that a taint was added, removed and adopted', async () => {
    await rules.rule('told');
    await rules.node('told', false);
    assert.equal(
      await site.untilEvent('told', /^TaintAdded/),
      "TaintAdded: Taint 'readiness.k8s.io/told:NoSchedule' added by rule 'told'",
    );
    await site.setCondition('told', 'example.com/Ready', 'True');
    assert.match(await site.untilEvent('told', /^TaintRemoved/), /removed by rule 'told'$/);
    await rules.node('adopted', true, 'told');
    assert.match(await site.untilEvent('adopted', /^TaintAdopted/), /adopted by rule 'told'$/);
    const { items } = (await site.get('/apis/events.k8s.io/v1/events')) as unknown as {
      items: JsonObject[];
    };
    const added = items.find((one) => textAt(one, 'reason') === 'TaintAdded');
    assert.equal(textAt(added ?? {}, 'action'), 'AddTaint');
    assert.equal(textAt(added ?? {}, 'regarding.kind'), 'Node');
  });
});

test(
  'NodeReadinessRule: metrics have the names of its controller, and no node in a label',
  WITH_PARTS,
  async () => {
    const text = await gate.metrics();
    for (const pattern of [
      /^node_readiness_rules\{enforcement_mode="continuous",dry_run="false"\} [1-9]/m,
      /^node_readiness_rules\{enforcement_mode="bootstrap-only",dry_run="true"\} 0$/m,
      /^node_readiness_rules_total [1-9]/m,
      /^node_readiness_build_info\{version="\d+\.\d+\.\d+[^"]*"\} 1$/m,
      /^node_readiness_evaluation_duration_seconds_bucket\{rule="turns",le="0\.005"\} [1-9]/m,
      /^node_readiness_evaluation_duration_seconds_count\{rule="turns"\} [1-9]/m,
      /^node_readiness_rule_matched_nodes\{rule="turns"\} 1$/m,
      /^node_readiness_taint_operations_total\{rule="turns",operation="add"\} 1$/m,
      /^node_readiness_taint_operations_total\{rule="turns",operation="remove"\} 2$/m,
      /^node_readiness_bootstrap_completed_total\{rule="once"\} 1$/m,
      /^node_readiness_bootstrap_duration_seconds_count\{rule="once"\} 1$/m,
      /^node_readiness_reconciliation_latency_seconds_count\{rule="turns",operation="remove_taint"\} 2$/m,
      /^node_readiness_nodes_by_state\{rule="turns",state="ready"\} 1$/m,
      /^node_readiness_rule_nodes\{rule="turns",state="released"\} 1$/m,
      /^node_readiness_condition_failures_total\{rule="turns",condition="example\.com\/Ready"\} 1$/m,
      /^node_readiness_rule_last_reconciliation_timestamp_seconds\{rule="turns"\} [1-9]/m,
    ])
      assert.match(text, pattern);
    assert.doesNotMatch(text, /^node_readiness_[^\n]*[{,](?:node|host|instance)[^=]*=/m);
    assert.doesNotMatch(text, /="leaving-a"/);
  },
);

describe('NodeReadinessRule: beside its own controller', WITH_PARTS, () => {
  before(async () => {
    if (skip === false) await gate.stop();
  });

  test('stands aside while another holds its Lease, and says so', async () => {
    const now = `${new Date().toISOString().slice(0, 23)}000Z`;
    await site.patch(`${LEASES}/${LEASE}`, {
      spec: {
        holderIdentity: 'node-readiness-controller-0',
        leaseDurationSeconds: 600,
        renewTime: now,
      },
    });
    const running = await started();
    await until('a word about it', async () =>
      /not followed: node-readiness-controller-0 holds their Lease/.test(running.said())
        ? true
        : null,
    );
    await rules.rule('aside');
    await rules.node('aside', false);
    await until('the node to be seen', async () =>
      /rollcall_list_stale_seconds\{kind="nodes"\}/.test(await running.metrics()) ? true : null,
    );
    assert.deepEqual(await site.taints('aside'), []);
    await site.patch(`${LEASES}/${LEASE}`, {
      spec: { holderIdentity: '', leaseDurationSeconds: 1 },
    });
    await site.untilTaints('aside', [taintOf('aside')], running);
    await running.stop();
  });
});
