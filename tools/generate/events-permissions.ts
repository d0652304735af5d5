import { LEASES } from '../../src/collection/resources.ts';
import type { Asked } from './feature.ts';
import { permissionsOf } from './gate-permissions.ts';

export const EVENTS_WRITES =
  'It removes messages from the queue of --aws-events once they are read. Give it a queue that nobody else reads.';

export const WATCH_EVENTS_WRITES =
  'It removes messages from the queue of --aws-events once they are read, and reads only a queue whose name ends in -watch.';

/** The queue of a watch alone. */
export const WATCH_EVENTS_PERMISSIONS: Asked = { permissions: [], calls: queueCalls() };

/** The Lease of the controller, as one replica receives, and the queue. */
export const EVENTS_PERMISSIONS: Asked = {
  permissions: [...permissionsOf(['get', 'create', 'update'], LEASES, { namespace: 'rollcall' })],
  calls: queueCalls(),
};

function queueCalls(): Asked['calls'] {
  return ['DeleteMessage', 'ReceiveMessage'].map((operation) => ({ service: 'sqs', operation }));
}
