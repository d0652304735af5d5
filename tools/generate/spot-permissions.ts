import { NODE_CLAIMS } from '../../src/controllers/spot/actions.ts';
import { PODS } from '../../src/controllers/gate/daemon-pods.ts';
import { NODES } from '../../src/controllers/gate/plan.ts';
import type { Asked } from './feature.ts';
import { permissionsOf } from './gate-permissions.ts';

export const SPOT_RULES_WRITES =
  'It cordons Nodes, evicts Pods, deletes NodeClaims and ends instances of Auto Scaling groups. Without --yes it only reads, and needs none of these.';

/** Nodes, which show notices, and what EC2 itself says. */
export const SPOT_WATCH_PERMISSIONS: Asked = {
  permissions: [...permissionsOf(['list', 'watch'], NODES)],
  calls: [
    { service: 'ec2', operation: 'DescribeSpotInstanceRequests' },
    { service: 'ec2', operation: 'DescribeSpotPriceHistory' },
  ],
};

/** What rules look at around a Node, and what they write. */
export const SPOT_RULES_PERMISSIONS: Asked = {
  permissions: [
    ...permissionsOf(['get', 'list', 'watch', 'patch'], NODES),
    ...permissionsOf(['get', 'list'], PODS),
    ...permissionsOf(['create'], PODS, { subresource: 'eviction' }),
    ...permissionsOf(['get', 'list', 'delete'], NODE_CLAIMS, { isOptional: true }),
  ],
  calls: [
    { service: 'autoscaling', operation: 'DescribeAutoScalingInstances' },
    { service: 'autoscaling', operation: 'TerminateInstanceInAutoScalingGroup' },
  ],
};
