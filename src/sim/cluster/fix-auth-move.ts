import { fixAuth } from '../../controllers/fix/auth/fix-auth.ts';
import { readRoles, withoutInserted, withRole } from '../../readers/kube/aws-auth-edit.ts';
import { fixToolsIn } from './fix-tools.ts';
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
    const steps = await fixAuth(order, fixToolsIn(simulated, ACTOR));
    for (const { object, outcome, why } of steps)
      kernel.log(ACTOR, `${object}: ${outcome}: ${why}`);
  });
}
