import type { KubePermission } from '../../src/collection/permissions.ts';
import { EVENTS, LEASES } from '../../src/collection/resources.ts';
import { NODE_REPORTS } from '../../src/controllers/node-reports/report.ts';
import type { AwsCall } from '../../src/ports/aws-api.ts';
import type { KubeResource } from '../../src/ports/kube-api.ts';

export const WRITES =
  'It writes: one Lease in its own namespace, NodeReport objects, and Events. It changes nothing else.';

/** Where the manifest puts the program and its Lease. */
const NAMESPACE = 'rollcall';

function permissionOf(
  verb: string,
  { group, plural }: KubeResource,
  { subresource = null, namespace = null }: Partial<KubePermission> = {},
): KubePermission {
  return { verb, group, resource: plural, subresource, namespace, isOptional: false };
}

/** A Lease that one holds, reports that are followed, written and read after a lost answer, Events. */
export const CONTROLLER_PERMISSIONS: {
  readonly permissions: KubePermission[];
  readonly calls: AwsCall[];
} = {
  permissions: [
    ...['get', 'create', 'update'].map((verb) =>
      permissionOf(verb, LEASES, { namespace: NAMESPACE }),
    ),
    ...['list', 'watch', 'get', 'create', 'delete'].map((verb) => permissionOf(verb, NODE_REPORTS)),
    permissionOf('patch', NODE_REPORTS, { subresource: 'status' }),
    ...['create', 'patch'].map((verb) => permissionOf(verb, EVENTS)),
  ],
  calls: [],
};
