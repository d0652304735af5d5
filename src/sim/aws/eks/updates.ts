/** Updates, which EKS lists and ends some time later. */
import type { JsonObject } from '../../../evidence/json.ts';
import { type Account, isoMoment } from '../account.ts';
import { put } from '../ec2/network.ts';

/** An update that takes its time. */
export function beginUpdate(
  account: Account,
  wanted: {
    readonly cluster: string;
    readonly type: string;
    readonly nodegroup?: string;
    readonly params: readonly JsonObject[];
  },
): JsonObject {
  const id = account.ids.uuid();
  const update = {
    id,
    status: 'InProgress',
    type: wanted.type,
    params: [...wanted.params],
    createdAt: isoMoment(account.kernel.nowMs()),
    errors: [],
  };
  put(account, 'update', id, {
    clusterName: wanted.cluster,
    nodegroup: wanted.nodegroup ?? null,
    update,
  });
  account.kernel.after(UPDATE_MS, () => {
    put(account, 'update', id, {
      clusterName: wanted.cluster,
      nodegroup: wanted.nodegroup ?? null,
      update: { ...update, status: 'Successful' },
    });
  });
  return update;
}

/** A change of size is done in about this time; it does not wait for the machines. */
const UPDATE_MS = 20_000;
