import type { KubePermission } from '../../src/collection/permissions.ts';
import { LEASES } from '../../src/collection/resources.ts';
import { CONFIG_MAPS } from '../../src/controllers/fix/auth/config-map.ts';
import type { AwsCall } from '../../src/ports/aws-api.ts';
import { permissionsOf } from './gate-permissions.ts';

export const AUTH_WRITES =
  'It writes the ConfigMap aws-auth. Whoever may write it may make anybody an administrator of the cluster. With --auth report it only reads, and needs no create and patch.';

/** The Lease of the controller, aws-auth as it is read and put right, and who changed access entries. */
export const AUTH_PERMISSIONS: {
  readonly permissions: KubePermission[];
  readonly calls: AwsCall[];
} = {
  permissions: [
    ...permissionsOf(['get', 'create', 'update'], LEASES, { namespace: 'rollcall' }),
    ...permissionsOf(['get', 'create', 'patch'], CONFIG_MAPS, { namespace: 'kube-system' }),
  ],
  calls: [{ service: 'cloudtrail', operation: 'LookupEvents', input: {} }],
};
