import type { KubePermission } from '../../src/collection/permissions.ts';
import { EVENTS, LEASES } from '../../src/collection/resources.ts';
import { CSI_NODES, DAEMON_SETS } from '../../src/controllers/gate/caches.ts';
import { PODS } from '../../src/controllers/gate/daemon-pods.ts';
import { NODES } from '../../src/controllers/gate/plan.ts';
import { NODE_GATES } from '../../src/controllers/gate/policies/node-gate.ts';
import { NODE_READINESS_RULES } from '../../src/controllers/gate/policies/node-readiness-rule.ts';
import type { AwsCall } from '../../src/ports/aws-api.ts';
import type { KubeResource } from '../../src/ports/kube-api.ts';

export const GATE_WRITES =
  'It writes: taints, annotations and the condition rollcall.dev/Gate of Nodes, status and finalizers of gates, one Lease in its own namespace, and Events. It changes nothing else.';

export const EVICT_WRITES =
  'It evicts Pods that came to a node before its gate opened it, where a NodeGate has spec.slipIns.mode evict, within PodDisruptionBudgets and the budgets of the gate.';

/** Where the manifest puts the program and its Lease. */
const NAMESPACE = 'rollcall';

type Where = Partial<Pick<KubePermission, 'subresource' | 'namespace' | 'isOptional'>>;

/** The same verbs on one kind, as often as there are verbs. */
export function permissionsOf(
  verbs: readonly string[],
  { group, plural }: KubeResource,
  { subresource = null, namespace = null, isOptional = false }: Where = {},
): readonly KubePermission[] {
  return verbs.map((verb) => ({
    verb,
    group,
    resource: plural,
    subresource,
    namespace,
    isOptional,
  }));
}

const FOLLOWS = ['list', 'watch'];

/** What a gate looks at, what it writes, and what it reads again after a lost answer. */
export const GATE_PERMISSIONS: {
  readonly permissions: KubePermission[];
  readonly calls: AwsCall[];
} = {
  permissions: [
    ...permissionsOf(['get', 'create', 'update'], LEASES, { namespace: NAMESPACE }),
    ...permissionsOf([...FOLLOWS, 'get', 'patch'], NODES),
    ...permissionsOf(['patch'], NODES, { subresource: 'status' }),
    ...permissionsOf([...FOLLOWS, 'get', 'patch'], NODE_GATES),
    ...permissionsOf(['patch'], NODE_GATES, { subresource: 'status' }),
    ...permissionsOf([...FOLLOWS, 'get', 'patch'], NODE_READINESS_RULES),
    ...permissionsOf(['patch'], NODE_READINESS_RULES, { subresource: 'status' }),
    ...[DAEMON_SETS, PODS, CSI_NODES].flatMap((kind) => permissionsOf(FOLLOWS, kind)),
    ...permissionsOf(['create', 'patch'], EVENTS),
  ],
  calls: [],
};

/** What replacing Pods needs besides. */
export const EVICT_PERMISSIONS: typeof GATE_PERMISSIONS = {
  permissions: [
    ...permissionsOf(['get'], PODS),
    ...permissionsOf(['create'], PODS, { subresource: 'eviction' }),
  ],
  calls: [],
};
