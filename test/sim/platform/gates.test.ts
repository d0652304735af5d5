import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JsonObject, listAt, textAt, textsAt } from '../../../src/evidence/json.ts';
import { startControllerManager } from '../../../src/sim/platform/controller-manager.ts';
import { startNidhogg } from '../../../src/sim/platform/gates/nidhogg.ts';
import {
  NIDHOGG_DEFAULTS,
  type NidhoggConfig,
  nidhoggPlan,
} from '../../../src/sim/platform/gates/nidhogg-rules.ts';
import {
  startNodeReadiness,
  statusWriteMs,
} from '../../../src/sim/platform/gates/node-readiness.ts';
import { meetsSelector } from '../../../src/sim/platform/gates/selector-text.ts';
import { nodeView } from '../../../src/sim/platform/objects/node.ts';
import { podView } from '../../../src/sim/platform/objects/pod.ts';
import { startScheduler } from '../../../src/sim/platform/scheduler/scheduler.ts';
import {
  createCluster,
  eventTexts,
  Kubelets,
  must,
  nodeObject,
  type TestCluster,
  workload,
} from './cluster.ts';

const TAINT = 'nidhogg.uswitch.com/default.agent';

function configOf(more: Partial<NidhoggConfig> = {}): NidhoggConfig {
  return { ...NIDHOGG_DEFAULTS, daemonSets: [{ namespace: 'default', name: 'agent' }], ...more };
}

function keys({ admin }: TestCluster, name: string): readonly (string | null)[] {
  return listAt(admin.get('Node', name) ?? {}, 'spec.taints').map((taint) => textAt(taint, 'key'));
}

function daemonPod(status: JsonObject, more: JsonObject = {}): ReturnType<typeof podView> {
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    name: 'agent',
    uid: 'u',
    controller: true,
  };
  return podView({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'agent-1',
      namespace: 'default',
      uid: 'p1',
      ownerReferences: [owner],
      ...more,
    },
    spec: { nodeName: 'n1', containers: [] },
    status,
  });
}

function planFor(
  config: NidhoggConfig,
  pods: readonly ReturnType<typeof podView>[],
  options: Parameters<typeof nodeObject>[2] = {},
  daemonSet: JsonObject | undefined = workload('DaemonSet', 'agent', {}),
) {
  const node = nodeView(nodeObject('n1', 0, options));
  return nidhoggPlan(config, { node, pods, daemonSet: () => daemonSet });
}

const HELD = { taints: [{ key: TAINT, effect: 'NoSchedule' }] };
const RUNNING = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [{ name: 'main', ready: true }],
};
const STARTING = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [{ name: 'main', ready: false }],
};

it('nidhogg: the original takes a pod without container statuses for ready, the fork does not', () => {
  const born = daemonPod({ phase: 'Pending' });
  assert.deepEqual(planFor(configOf({ fork: 'uswitch' }), [born], HELD)?.removed, [TAINT]);
  assert.deepEqual(planFor(configOf(), [born], HELD)?.removed, []);
  for (const fork of ['uswitch', 'pelotech'] as const) {
    assert.deepEqual(planFor(configOf({ fork }), [daemonPod(STARTING)])?.added, [TAINT]);
    assert.deepEqual(planFor(configOf({ fork }), [daemonPod(RUNNING)], HELD)?.removed, [TAINT]);
  }
});

it('nidhogg: both count the ending pod of a DaemonSet of old with the same name', () => {
  const ending = daemonPod(RUNNING, { deletionTimestamp: '2026-11-22T09:00:00Z' });
  for (const fork of ['uswitch', 'pelotech'] as const)
    assert.deepEqual(planFor(configOf({ fork }), [ending], HELD)?.removed, [TAINT]);
});

it('nidhogg: the fork heeds only the last selector of a list, the original all of them', () => {
  const nodeSelector = ['team=a', 'disk=ssd'];
  const node = { ...HELD, labels: { team: 'b', disk: 'ssd' } };
  assert.deepEqual(planFor(configOf({ nodeSelector }), [daemonPod(STARTING)], node)?.removed, []);
  assert.equal(planFor(configOf({ fork: 'uswitch', nodeSelector }), [], node), null);
  assert.deepEqual(planFor(configOf({ nodeSelector: ['disk=ssd', 'team=a'] }), [], node)?.removed, [
    TAINT,
  ]);
});

it('nidhogg: a DaemonSet that is not there opens the gate of the fork and shuts that of the original', () => {
  const missing = nidhoggPlan(configOf(), {
    node: nodeView(nodeObject('n1', 0, HELD)),
    pods: [],
    daemonSet: () => undefined,
  });
  assert.deepEqual(missing?.removed, [TAINT]);
  assert.deepEqual(planFor(configOf({ fork: 'uswitch' }), [], HELD)?.removed, []);
});

it('nidhogg: opens for as long as the agent looks ready, and lets pods in that never leave', () => {
  const cluster = createCluster();
  startControllerManager(cluster.world);
  startScheduler(cluster.world);
  startNidhogg(cluster.world, { config: configOf() });
  const kubelets = new Kubelets(cluster);
  cluster.pass(1000);
  must(
    cluster.admin.create(
      workload('DaemonSet', 'agent', {}, { tolerations: [{ operator: 'Exists' }] }),
    ),
  );
  must(cluster.admin.create(workload('Deployment', 'app', { replicas: 1 })));
  kubelets.join('n1');
  cluster.until(() => keys(cluster, 'n1').includes(TAINT), 1000);
  cluster.until(() => !keys(cluster, 'n1').includes(TAINT), 20_000);
  const [agent] = cluster.admin.list('Pod', { labelSelector: 'app=agent' });
  const status = { conditions: [{ type: 'Ready', status: 'False' }] };
  must(
    cluster.admin.patch(
      'Pod',
      `default/${textAt(agent, 'metadata.name')}`,
      'strategic',
      { status },
      'status',
    ),
  );
  const shutMs = cluster.until(() => keys(cluster, 'n1').includes(TAINT), 5000);
  assert.ok(shutMs < 100, `${shutMs} ms`);
  cluster.pass(60_000);
  assert.ok(eventTexts(cluster.admin).some((text) => text.startsWith('TaintsChanged')));
  const annotations = textsAt(cluster.admin.get('Node', 'n1') ?? {}, 'metadata.annotations');
  assert.match(annotations['nidhogg.uswitch.com/ready-since'] ?? '', /^2026-11-22T09:00:\d\dZ$/);
});

it('nidhogg: sleeps its removal delay in the only worker, one node after the other', () => {
  const cluster = createCluster();
  startControllerManager(cluster.world);
  startScheduler(cluster.world);
  startNidhogg(cluster.world, { config: configOf({ taintRemovalDelayMs: 5000 }) });
  const kubelets = new Kubelets(cluster);
  cluster.pass(1000);
  must(
    cluster.admin.create(
      workload('DaemonSet', 'agent', {}, { tolerations: [{ operator: 'Exists' }] }),
    ),
  );
  const names = ['n1', 'n2', 'n3', 'n4'];
  for (const name of names) kubelets.join(name);
  cluster.pass(1000);
  const held = (): number => names.filter((name) => keys(cluster, name).includes(TAINT)).length;
  assert.equal(held(), 4);
  const tookMs = cluster.until(() => held() === 0, 120_000);
  assert.ok(tookMs >= 20_000, `${tookMs} ms`);
});

it('nidhogg: does not notice a removed taint', () => {
  const cluster = createCluster();
  startNidhogg(cluster.world, { config: configOf({ fork: 'uswitch' }) });
  cluster.pass(100);
  must(cluster.admin.create(nodeObject('n1', cluster.kernel.nowMs())));
  cluster.until(() => keys(cluster, 'n1').includes(TAINT), 1000);
  must(cluster.admin.patch('Node', 'n1', 'merge', { spec: { taints: null } }));
  cluster.pass(11_000);
  assert.equal(keys(cluster, 'n1').includes(TAINT), false);
});

describe('label selectors as text', () => {
  it('know equality, sets and existence, and all of a list', () => {
    const labels = { a: '1', b: 'x' };
    for (const text of [
      '',
      'a',
      'a=1',
      'a==1',
      'a!=2',
      'c!=1',
      'a in (1, 2)',
      'b notin (y),a',
      '!c',
    ])
      assert.equal(meetsSelector(text, labels), true, text);
    for (const text of ['c', 'a=2', 'a!=1', 'a notin (1)', '!a', 'a=1,b=y', 'c in (1)'])
      assert.equal(meetsSelector(text, labels), false, text);
  });
});

const KEY = 'readiness.k8s.io/net';

function rule(enforcementMode: string): JsonObject {
  return {
    apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
    kind: 'NodeReadinessRule',
    metadata: { name: 'net' },
    spec: {
      conditions: [{ type: 'NetReady', requiredStatus: 'True' }],
      enforcementMode,
      taint: { key: KEY, effect: 'NoSchedule' },
      nodeSelector: { matchLabels: {} },
    },
  };
}

function readinessCluster(mode: string): TestCluster {
  const cluster = createCluster();
  startNodeReadiness(cluster.world);
  cluster.pass(100);
  must(cluster.admin.create(rule(mode)));
  must(cluster.admin.create(nodeObject('n1', cluster.kernel.nowMs())));
  cluster.until(() => keys(cluster, 'n1').includes(KEY), 1000);
  return cluster;
}

function report(cluster: TestCluster, status: string): void {
  const conditions = [{ type: 'NetReady', status }];
  must(cluster.admin.patch('Node', 'n1', 'strategic', { status: { conditions } }, 'status'));
}

describe('node-readiness-controller as published', () => {
  it('continuous: opens at the first True, shuts again, and puts a stripped taint back', () => {
    const cluster = readinessCluster('continuous');
    report(cluster, 'True');
    const openMs = cluster.until(() => !keys(cluster, 'n1').includes(KEY), 1000);
    assert.ok(openMs < 100, `${openMs} ms`);
    report(cluster, 'False');
    cluster.until(() => keys(cluster, 'n1').includes(KEY), 1000);
    must(cluster.admin.patch('Node', 'n1', 'merge', { spec: { taints: null } }));
    cluster.until(() => keys(cluster, 'n1').includes(KEY), 1000);
    assert.ok(
      eventTexts(cluster.admin).includes(
        `TaintRemoved Taint '${KEY}:NoSchedule' removed by rule 'net'`,
      ),
    );
  });

  it('bootstrap-only: is done with a node for good, also when it gets worse', () => {
    const cluster = readinessCluster('bootstrap-only');
    report(cluster, 'True');
    cluster.until(() => !keys(cluster, 'n1').includes(KEY), 1000);
    report(cluster, 'False');
    cluster.pass(60_000);
    assert.equal(keys(cluster, 'n1').includes(KEY), false);
  });

  it('its reporter takes an agent that runs for one that works, and is not missed when it is gone', () => {
    const cluster = createCluster();
    startControllerManager(cluster.world);
    startScheduler(cluster.world);
    const iam = { name: 'iam', condition: 'IamReady', taintKey: KEY, mode: 'continuous' } as const;
    const reporter = { condition: 'IamReady', namespace: 'default', daemonSet: 'agent' };
    startNodeReadiness(cluster.world, { rules: [iam], reporters: [reporter] });
    const kubelets = new Kubelets(cluster);
    cluster.pass(1000);
    must(
      cluster.admin.create(
        workload('DaemonSet', 'agent', {}, { tolerations: [{ operator: 'Exists' }] }),
      ),
    );
    kubelets.join('n1', { taints: [{ key: KEY, effect: 'NoSchedule' }] });
    const [agent] = cluster.admin.list('Pod');
    assert.equal(agent, undefined);
    cluster.until(() => !keys(cluster, 'n1').includes(KEY), 10_000);
    must(cluster.admin.delete('DaemonSet', 'default/agent'));
    cluster.until(() => cluster.admin.list('Pod').length === 0, 10_000);
    cluster.pass(10 * 60_000);
    assert.equal(keys(cluster, 'n1').includes(KEY), false);
  });

  it('believes a reporter that died', () => {
    const cluster = readinessCluster('continuous');
    report(cluster, 'True');
    cluster.pass(24 * 3600_000);
    assert.equal(keys(cluster, 'n1').includes(KEY), false);
  });

  it('writes the whole status of a rule after each look, which grows with the nodes', () => {
    assert.ok(statusWriteMs(1) < 4);
    assert.ok(statusWriteMs(100) > 15 && statusWriteMs(100) < 21);
    assert.ok(statusWriteMs(1000) > 430 && statusWriteMs(1000) < 1100);
  });
});
