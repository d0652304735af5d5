import type { FixTools } from '../../controllers/fix/fix.ts';
import { perform } from '../../runtime/perform.ts';
import { performAws } from '../../runtime/perform-aws.ts';
import { awsPort } from '../aws/port.ts';
import { awsWritesPort } from '../aws/port-writes.ts';
import { kubePort } from '../kube/port.ts';
import { kubeWritesPort } from '../kube/port-writes.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** What a fix works with as the administrator of a simulated cluster runs it. */
export function fixToolsIn(
  { kernel, api, cloud, admin }: SimulatedCluster,
  actor: string,
): FixTools {
  const clock = kernel.clock();
  const random = kernel.random(actor);
  const kube = kubePort({ server: api, user: admin.user, clock });
  const aws = awsPort({ cloud, identity: admin.identity, clock, pauseMs: 0 });
  const shared = { recorder: null, clock, cluster: 'lab' };
  const writes = kubeWritesPort({ server: api, user: admin.user, clock });
  const awsWrites = awsWritesPort({ cloud, identity: admin.identity, clock });
  return {
    kube,
    aws,
    clock,
    random: { next: () => random.next() },
    perform: async (action) =>
      perform(action, { api: kube, writes, ...shared }, { isDryRun: false }),
    performAws: async (action, tookEffect) =>
      performAws(action, { writes: awsWrites, ...shared, isDryRun: false }, tookEffect),
    keep: async () => undefined,
  };
}
