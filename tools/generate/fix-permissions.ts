import type { KubePermission } from '../../src/collection/permissions.ts';
import { CONFIG_MAPS } from '../../src/controllers/fix/auth/config-map.ts';
import { CSI_NODES, DAEMON_SETS } from '../../src/controllers/gate/caches.ts';
import { PODS } from '../../src/controllers/gate/daemon-pods.ts';
import { NODES } from '../../src/controllers/gate/plan.ts';
import { NODE_GATES } from '../../src/controllers/gate/policies/node-gate.ts';
import { NODE_READINESS_RULES } from '../../src/controllers/gate/policies/node-readiness-rule.ts';
import { LEASES } from '../../src/runtime/election/lease-record.ts';
import type { AwsCall } from '../../src/ports/aws-api.ts';
import { BUDGETS } from '../../src/controllers/fix/node/replace-sights.ts';
import { NODE_CLAIMS } from '../../src/controllers/spot/actions.ts';
import { RESTART_DOCUMENT } from '../../src/ports/aws-api.ts';
import type { Asked } from './feature.ts';
import { permissionsOf } from './gate-permissions.ts';

export const FIX_WRITES =
  'It writes: the ConfigMap aws-auth, access entries and the policy of Auto Mode nodes, taints of Nodes, variables of the DaemonSet aws-node, and the hop limit of instance metadata; and it deletes leaked network interfaces and Nodes that were left behind, and evicts Pods that came to a node too early. Whoever may write aws-auth may make anybody an administrator of the cluster.';

const SYSTEM = { namespace: 'kube-system' };

/** What the repairs read right before they write, and what they write. */
export const FIX_PERMISSIONS: {
  readonly permissions: KubePermission[];
  readonly calls: AwsCall[];
} = {
  permissions: [
    ...permissionsOf(['get', 'create', 'patch'], CONFIG_MAPS, SYSTEM),
    ...permissionsOf(['get', 'patch'], DAEMON_SETS, SYSTEM),
    ...permissionsOf(['get', 'list', 'patch', 'delete'], NODES),
    ...permissionsOf(['get'], LEASES, { namespace: 'kube-node-lease' }),
    ...permissionsOf(['get', 'list'], PODS),
    ...permissionsOf(['create'], PODS, { subresource: 'eviction' }),
    ...[DAEMON_SETS, CSI_NODES, NODE_GATES, NODE_READINESS_RULES].flatMap((kind) =>
      permissionsOf(['list'], kind),
    ),
  ],
  calls: (
    [
      ['cloudtrail', 'LookupEvents'],
      ['ec2', 'DeleteNetworkInterface'],
      ['ec2', 'DescribeInstances'],
      ['ec2', 'DescribeNetworkInterfaces'],
      ['ec2', 'DescribeSubnets'],
      ['ec2', 'ModifyInstanceMetadataOptions'],
      ['eks', 'AssociateAccessPolicy'],
      ['eks', 'CreateAccessEntry'],
      ['eks', 'DeleteAccessEntry'],
      ['eks', 'DescribeAccessEntry'],
      ['eks', 'DescribeAddon'],
      ['eks', 'DescribeCluster'],
      ['eks', 'DisassociateAccessPolicy'],
      ['eks', 'ListAssociatedAccessPolicies'],
    ] as const
  ).map(([service, operation]) => ({ service, operation, input: {} })),
};

export const FIX_NODE_WRITES =
  'It restarts kubelets by the document Rollcall-RestartKubelet of Systems Manager, deletes NodeClaims, and ends instances of Auto Scaling groups. Without --yes it only reads.';

/** What is read of a machine right before, and what is written. */
export const FIX_NODE_PERMISSIONS: Asked = {
  permissions: [
    ...permissionsOf(['get', 'list'], NODES),
    ...permissionsOf(['get'], LEASES, { namespace: 'kube-node-lease' }),
    ...permissionsOf(['list'], PODS),
    ...permissionsOf(['list'], BUDGETS),
    ...permissionsOf(['get', 'list', 'delete'], NODE_CLAIMS, { isOptional: true }),
  ],
  calls: [
    { service: 'autoscaling', operation: 'DescribeAutoScalingGroups' },
    { service: 'autoscaling', operation: 'DescribeAutoScalingInstances' },
    { service: 'autoscaling', operation: 'TerminateInstanceInAutoScalingGroup' },
    { service: 'ec2', operation: 'DescribeInstances' },
    { service: 'ssm', operation: 'DescribeInstanceInformation' },
    { service: 'ssm', operation: 'GetCommandInvocation' },
    { service: 'ssm', operation: 'GetDocument' },
    { service: 'ssm', operation: 'ListCommands' },
    { service: 'ssm', operation: 'SendCommand', on: RESTART_DOCUMENT },
  ],
};
