import { fixAuth } from '../../controllers/fix/auth/fix-auth.ts';
import type { FixTools } from '../../controllers/fix/fix.ts';
import { perform } from '../../runtime/perform.ts';
import { performAws } from '../../runtime/perform-aws.ts';
import { readRoles, withoutInserted, withRole } from '../../readers/kube/aws-auth-edit.ts';
import { awsPort } from '../aws/port.ts';
import { awsWritesPort } from '../aws/port-writes.ts';
import { kubePort } from '../kube/port.ts';
import { kubeWritesPort } from '../kube/port-writes.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

const ACTOR = 'rollcall fix auth';

/** `rollcall fix auth --yes` of the node role, as the administrator runs it. */
export function runFixAuth(simulated: SimulatedCluster): void {
  const { kernel, setting, infrastructure } = simulated;
  const order = {
    id: 'auth-story',
    isDryRun: false,
    why: { kind: 'request', name: '', text: 'The story asks for it.' },
    cluster: setting.cluster.name,
    role: infrastructure.nodeRoleArn,
    type: 'linux',
    place: null,
    editor: { readRoles, withRole, withoutInserted },
  } as const;
  kernel.spawn(ACTOR, async () => {
    const steps = await fixAuth(order, toolsOf(simulated));
    for (const { object, outcome, why } of steps)
      kernel.log(ACTOR, `${object}: ${outcome}: ${why}`);
  });
}

function toolsOf({ kernel, api, cloud, admin }: SimulatedCluster): FixTools {
  const clock = kernel.clock();
  const random = kernel.random(ACTOR);
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
