/** A small simulated cluster with Karpenter. */
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { startControllerManager } from '../../../src/sim/platform/controller-manager.ts';
import { startKarpenter } from '../../../src/sim/platform/karpenter/karpenter.ts';
import { startScheduler } from '../../../src/sim/platform/scheduler/scheduler.ts';
import { CLUSTER, createCluster, Kubelets, must, podObject, type TestCluster } from './cluster.ts';
import { createFleet } from './machines.ts';

export const UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };
export const STARTUP = { key: 'example.com/starting', effect: 'NoSchedule' };

/** A cluster with Karpenter, a NodePool and a class for it. */
export function setUp() {
  const cluster = createCluster();
  const { subnetId, imageId } = createFleet(cluster);
  startControllerManager(cluster.world);
  startScheduler(cluster.world);
  const karpenter = startKarpenter(cluster.world, { clusterName: CLUSTER });
  cluster.pass(1000);
  must(
    cluster.admin.create({
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default' },
      spec: { subnetSelectorTerms: [{ id: subnetId }], amiSelectorTerms: [{ id: imageId }] },
    }),
  );
  const type = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m6i.large'] };
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  must(
    cluster.admin.create({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'default' },
      spec: {
        template: {
          metadata: { labels: { team: 'a' } },
          spec: { nodeClassRef, requirements: [type], startupTaints: [STARTUP] },
        },
      },
    }),
  );
  cluster.pass(100);
  return { cluster, karpenter, kubelets: new Kubelets(cluster) };
}

export function claims({ admin }: TestCluster): readonly JsonObject[] {
  return admin.list('NodeClaim');
}

export function status(claim: JsonObject | undefined, type: string): string {
  const found = listAt(claim, 'status.conditions').find((entry) => textAt(entry, 'type') === type);
  return `${textAt(found, 'status')} ${textAt(found, 'reason')}`;
}

/** The claim that Karpenter has launched for a pod that fits nowhere. */
export function launched(cluster: TestCluster): JsonObject {
  must(cluster.admin.create(podObject('app')));
  cluster.until(() => status(claims(cluster)[0], 'Launched') === 'True Launched', 30_000);
  return claims(cluster)[0] as JsonObject;
}
