import assert from 'node:assert/strict';
import { it } from 'node:test';
import { textAt } from '../../../src/evidence/json.ts';
import { startControllerManager } from '../../../src/sim/platform/controller-manager.ts';
import { budgetStatus } from '../../../src/sim/platform/workloads/disruption-rules.ts';
import { startScheduler } from '../../../src/sim/platform/scheduler/scheduler.ts';
import { createCluster, Kubelets, must, workload } from './cluster.ts';

it('disruption controller: lets one pod after the other be evicted, and says how many may go', () => {
  const cluster = createCluster();
  startControllerManager(cluster.world);
  startScheduler(cluster.world);
  const kubelets = new Kubelets(cluster);
  cluster.pass(1000);
  must(cluster.admin.create(workload('Deployment', 'web', { replicas: 3 })));
  must(
    cluster.admin.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    }),
  );
  kubelets.join('n1');
  const allowed = (): string | null =>
    textAt(
      cluster.admin.get('PodDisruptionBudget', 'default/web') ?? {},
      'status.disruptionsAllowed',
    );
  cluster.until(() => allowed() === '1', 20_000);
  const [first, second] = cluster.admin
    .list('Pod')
    .map((pod) => `default/${textAt(pod, 'metadata.name')}`);
  must(cluster.admin.evict(first ?? ''));
  cluster.pass(100);
  const refused = cluster.admin.evict(second ?? '');
  assert.equal(refused.ok ? null : refused.failure.code, 429);
  cluster.until(() => allowed() === '1', 20_000);
  must(cluster.admin.evict(second ?? ''));
});

it('disruption controller: rounds percentages up, and a budget without pods lets nothing go', () => {
  const minAvailable = (value: number | string) => ({ spec: { minAvailable: value } });
  assert.equal(budgetStatus(minAvailable('50%'), [], 5, new Map()).desiredHealthy, 3);
  assert.equal(
    budgetStatus({ spec: { maxUnavailable: '25%' } }, [], 5, new Map()).desiredHealthy,
    3,
  );
  assert.equal(budgetStatus(minAvailable(1), [], 0, new Map()).disruptionsAllowed, 0);
});
