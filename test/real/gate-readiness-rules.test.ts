/** NodeReadinessRules in the gate controller, on a real API server, point by point. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { at, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { GateSite, type RunningGate } from './gate-site.ts';
import { KubeRefusal } from './kube-client.ts';
import { RULE_DEFINITION } from './node-readiness-rule-definition.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const RULES = '/apis/readiness.node.x-k8s.io/v1alpha1/nodereadinessrules';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/nrr-system/leases';
const LEASE = 'ba65f13e.readiness.node.x-k8s.io';
const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 180_000 };

let plane: ControlPlane;
let site: GateSite;
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

interface RuleParts {
  readonly mode?: 'bootstrap-only' | 'continuous';
  readonly conditions?: readonly JsonObject[];
  readonly more?: JsonObject;
  readonly effect?: string;
}

/** A rule of this name for nodes with a label of that name. */
async function rule(
  name: string,
  { mode = 'continuous', conditions, more, effect }: RuleParts = {},
): Promise<string> {
  const made = await site.create(RULES, {
    apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
    kind: 'NodeReadinessRule',
    metadata: { name },
    spec: {
      conditions: conditions ?? [{ type: 'example.com/Ready', requiredStatus: 'True' }],
      enforcementMode: mode,
      taint: { key: `readiness.k8s.io/${name}`, effect: effect ?? 'NoSchedule' },
      nodeSelector: { matchLabels: { case: name } },
      ...more,
    },
  });
  return textAt(made, 'metadata.uid') ?? '';
}

async function node(name: string, isShut: boolean, ofCase = name): Promise<void> {
  const taints = isShut ? [{ key: `readiness.k8s.io/${ofCase}`, effect: 'NoSchedule' }] : [];
  await site.node(name, { labels: { case: ofCase }, taints });
}

function taintOf(name: string): string {
  return `readiness.k8s.io/${name}:NoSchedule`;
}

async function ruleWhere(
  name: string,
  what: string,
  is: (object: JsonObject) => boolean,
): Promise<JsonObject> {
  let seen: JsonObject = {};
  return until(`rule ${name} with ${what}`, async () => {
    seen = await site.get(`${RULES}/${name}`);
    return is(seen) ? seen : null;
  }).catch((error: unknown) => {
    throw new Error(`${JSON.stringify(seen)}\n${gate.said()}`, { cause: error });
  });
}

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  site = new GateSite(plane);
  for (const name of ['rollcall', 'nrr-system'])
    await site.create('/api/v1/namespaces', { metadata: { name } });
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
    await rule('turns');
    await node('turns', true);
    await site.setCondition('turns', 'example.com/Ready', 'True');
    await site.untilTaints('turns', [], gate);
    await site.setCondition('turns', 'example.com/Ready', 'False');
    await site.untilTaints('turns', [taintOf('turns')], gate);
    await site.setCondition('turns', 'example.com/Ready', 'True');
    await site.untilTaints('turns', [], gate);
  });

  test('a node without the condition gets the taint', async () => {
    await rule('absent');
    await node('absent', false);
    await site.untilTaints('absent', [taintOf('absent')], gate);
  });

  test('a missing condition counts as its default', async () => {
    const conditions = [
      { type: 'example.com/Ready', requiredStatus: 'True', defaultStatus: 'True' },
    ];
    await rule('default', { conditions });
    await node('default', true);
    await site.untilTaints('default', [], gate);
    await site.setCondition('default', 'example.com/Ready', 'False');
    await site.untilTaints('default', [taintOf('default')], gate);
  });

  test('all conditions are needed', async () => {
    const conditions = ['A', 'B'].map((type) => ({
      type: `example.com/${type}`,
      requiredStatus: 'True',
    }));
    await rule('both', { conditions });
    await node('both', true);
    await site.setCondition('both', 'example.com/A', 'True');
    await ruleWhere('both', 'condition A', (object) =>
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
    await rule('either', { conditions, more: { conditionPolicy: 'anyOf' } });
    await node('either', true);
    await site.setCondition('either', 'example.com/B', 'True');
    await site.untilTaints('either', [], gate);
  });

  test('a required status may be False', async () => {
    await rule('negative', {
      conditions: [{ type: 'example.com/Broken', requiredStatus: 'False' }],
    });
    await node('negative', true);
    await site.setCondition('negative', 'example.com/Broken', 'False');
    await site.untilTaints('negative', [], gate);
  });

  test('a taint that somebody removes comes back', async () => {
    await rule('stripped');
    await node('stripped', true);
    await ruleWhere(
      'stripped',
      'an evaluation',
      (object) => listAt(object, 'status.nodeEvaluations').length > 0,
    );
    await site.setTaints('stripped', []);
    await site.untilTaints('stripped', [taintOf('stripped')], gate);
  });

  test('nodes that the selector leaves out are not touched', async () => {
    await rule('selected');
    await node('left-out', false, 'nothing');
    await node('selected', false);
    await site.untilTaints('selected', [taintOf('selected')], gate);
    assert.deepEqual(await site.taints('left-out'), []);
  });

  test('several rules on one node are one write', async () => {
    const more = { nodeSelector: { matchLabels: { case: 'one-write' } } };
    for (const name of ['write-a', 'write-b', 'write-c']) await rule(name, { more });
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
    const uid = await rule('once', { mode: 'bootstrap-only' });
    await node('once', true);
    await site.setCondition('once', 'example.com/Ready', 'True');
    await site.untilTaints('once', [], gate);
    const mark = (await site.annotations('once'))[`readiness.k8s.io/bootstrap-completed-${uid}`];
    assert.deepEqual(JSON.parse(mark ?? 'null'), { 'rule-name': 'once' });
    await site.setCondition('once', 'example.com/Ready', 'False');
    await ruleWhere('once', 'the condition False', (object) =>
      JSON.stringify(object).includes('"currentStatus":"False"'),
    );
    assert.deepEqual(await site.taints('once'), []);
  });

  test('a node that is met without the taint gets the annotation', async () => {
    const uid = await rule('untainted', { mode: 'bootstrap-only' });
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
    await rule('legacy', { mode: 'bootstrap-only' });
    const annotations = { 'readiness.k8s.io/bootstrap-completed-legacy': '{}' };
    await site.node('legacy', { labels: { case: 'legacy' }, annotations });
    await ruleWhere(
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
    await rule('no-default', { mode: 'bootstrap-only', conditions });
    await node('no-default', true);
    await ruleWhere(
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
    await rule('listed');
    await node('listed', true);
    await site.setCondition('listed', 'example.com/Ready', 'False');
    const found = await ruleWhere('listed', 'False', (object) =>
      JSON.stringify(object).includes('"currentStatus":"False"'),
    );
    assert.equal(at(found, 'status.observedGeneration'), 1);
    assert.deepEqual(at(found, 'status.appliedNodes'), ['listed']);
    const [evaluation] = listAt(found, 'status.nodeEvaluations') as readonly JsonObject[];
    const { lastEvaluationTime, ...rest } = evaluation ?? {};
    assert.match(String(lastEvaluationTime), /^\d{4}-/);
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
    await rule('generation');
    await ruleWhere(
      'generation',
      'a status',
      (object) => at(object, 'status.observedGeneration') === 1,
    );
    await site.patch(`${RULES}/generation`, { spec: { dryRun: true } });
    await ruleWhere(
      'generation',
      'generation 2',
      (object) => at(object, 'status.observedGeneration') === 2,
    );
  });

  test('of a dry run says what would be done, and no node is changed', async () => {
    await rule('dry', { more: { dryRun: true } });
    await node('dry-open', false, 'dry');
    await node('dry-shut', true, 'dry');
    await site.setCondition('dry-shut', 'example.com/Ready', 'True');
    const found = await ruleWhere(
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
    await rule('leaving');
    await node('leaving-a', false, 'leaving');
    await node('leaving-b', false, 'leaving');
    for (const name of ['leaving-a', 'leaving-b'])
      await site.untilTaints(name, [taintOf('leaving')], gate);
    await ruleWhere('leaving', 'its finalizer', (object) =>
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
    await rule('told');
    await node('told', false);
    assert.equal(
      await site.untilEvent('told', /^TaintAdded/),
      "TaintAdded: Taint 'readiness.k8s.io/told:NoSchedule' added by rule 'told'",
    );
    await site.setCondition('told', 'example.com/Ready', 'True');
    assert.match(await site.untilEvent('told', /^TaintRemoved/), /removed by rule 'told'$/);
    await node('adopted', true, 'told');
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
      /^node_readiness_rules \d/m,
      /^node_readiness_rules_total \d/m,
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

describe('NodeReadinessRule: the schema', WITH_PARTS, () => {
  const KEYS: readonly (readonly [string, RegExp])[] = [
    ['example.com/a', /must start with 'readiness\.k8s\.io\/'/],
    ['readiness.k8s.io/a/b', /exactly one '\/' separator/],
    ['readiness.k8s.io/', /1-63 characters/],
    [`readiness.k8s.io/${'a'.repeat(64)}`, /1-63 characters/],
    ['readiness.k8s.io/-a', /must start and end with an alphanumeric character/],
    ['readiness.k8s.io/a-', /must start and end with an alphanumeric character/],
    ['readiness.k8s.io/a$b', /must consist of alphanumeric characters/],
  ];
  for (const [key, words] of KEYS)
    test(`refuses the taint key ${key.slice(0, 40)}`, async () => {
      const more = { taint: { key, effect: 'NoSchedule' } };
      await assert.rejects(
        rule('bad-key', { more }),
        (error) => error instanceof KubeRefusal && words.test(error.message),
      );
    });

  test('keeps every field but dryRun as it is', async () => {
    await rule('immutable');
    const change = { spec: { enforcementMode: 'bootstrap-only' } };
    await assert.rejects(site.patch(`${RULES}/immutable`, change), /enforcementMode is immutable/);
    await site.patch(`${RULES}/immutable`, { spec: { dryRun: true } });
  });

  test('selects rules by the fields that kubectl asks for', async () => {
    const selector = 'fieldSelector=spec.taint.key%3Dreadiness.k8s.io%2Fturns';
    const found = await plane.client.list(`${RULES}?${selector}`);
    assert.deepEqual(
      found.map(({ metadata }) => metadata.name),
      ['turns'],
    );
  });
});

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
    await rule('aside');
    await node('aside', false);
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
