import { LEASES } from '../../src/collection/resources.ts';
import type { Asked } from './feature.ts';
import { permissionsOf } from './gate-permissions.ts';

export const EVENTS_WRITES =
  'It removes messages from the queue of --aws-events once they are read. Give it a queue that nobody else reads.';

/** The Lease of the controller, as one replica receives, and the queue. */
export const EVENTS_PERMISSIONS: Asked = {
  permissions: [...permissionsOf(['get', 'create', 'update'], LEASES, { namespace: 'rollcall' })],
  calls: ['DeleteMessage', 'ReceiveMessage'].map((operation) => ({ service: 'sqs', operation })),
};
