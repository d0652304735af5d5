import type { KubePermission } from '../../src/collection/permissions.ts';
import { LEASES } from '../../src/collection/resources.ts';
import { NODES } from '../../src/controllers/gate/plan.ts';
import type { AwsCall } from '../../src/ports/aws-api.ts';
import { permissionsOf } from './gate-permissions.ts';

export const JANITOR_WRITES =
  'It deletes network interfaces that the VPC CNI of the cluster left behind, which cannot be taken back. With --eni-janitor report it only reads, and needs no ec2:DeleteNetworkInterface.';

/** The Lease of the controller, and what is read before an interface is deleted. */
export const JANITOR_PERMISSIONS: {
  readonly permissions: KubePermission[];
  readonly calls: AwsCall[];
} = {
  permissions: [
    ...permissionsOf(['get', 'create', 'update'], LEASES, { namespace: 'rollcall' }),
    ...permissionsOf(['list'], NODES),
  ],
  calls: ['DeleteNetworkInterface', 'DescribeInstances', 'DescribeNetworkInterfaces'].map(
    (operation) => ({ service: 'ec2', operation, input: {} }),
  ),
};
