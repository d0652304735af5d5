import type { KubePermission } from '../../src/collection/permissions.ts';
import { NODE_REPORTS } from '../../src/controllers/node-reports/report.ts';
import type { AwsCall } from '../../src/ports/aws-api.ts';
import { permissionsOf } from './gate-permissions.ts';

export const REPORT_WRITES =
  'It writes NodeReports, of every machine: whoever holds the credentials of one machine may report for another.';

/** What the report of a join reads and writes. */
export const JOIN_REPORT_PERMISSIONS: {
  readonly permissions: KubePermission[];
  readonly calls: AwsCall[];
} = {
  permissions: [
    ...permissionsOf(['get', 'create'], NODE_REPORTS),
    ...permissionsOf(['patch'], NODE_REPORTS, { subresource: 'status' }),
  ],
  calls: [],
};
