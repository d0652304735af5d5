/** Instance refreshes: a group gets new machines, one after the other. */
import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, isoMoment } from '../account.ts';
import { put } from '../ec2/network.ts';
import { needed, type Operations, reads, type Request } from '../operation.ts';
import { refused } from '../refusal.ts';
import { groupOf, remove } from './groups.ts';

/** How often it looks whether the next machine may go. */
const STEP_MS = 20_000;
const CAUSE = 'an instance was taken out of service in response to an instance refresh.';

function begin({ account, input }: Request): JsonObject {
  const name = needed(input, 'AutoScalingGroupName', 'ValidationError');
  groupOf(account, name);
  if (refreshesOf(account, name).some(isActive)) {
    const message =
      'An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.';
    throw refused('InstanceRefreshInProgress', message);
  }
  const InstanceRefreshId = account.ids.uuid();
  const old = groupOf(account, name).members.map(({ instanceId }) => instanceId);
  put(account, 'instance-refresh', InstanceRefreshId, {
    InstanceRefreshId,
    AutoScalingGroupName: name,
    Status: 'InProgress',
    StartTime: isoMoment(account.kernel.nowMs()),
    PercentageComplete: 0,
    InstancesToUpdate: old.length,
  });
  step(account, { id: InstanceRefreshId, name, old });
  return { InstanceRefreshId };
}

interface Running {
  readonly id: string;
  readonly name: string;
  readonly old: readonly string[];
}

/** One machine goes when all others are in service. */
function step(account: Account, running: Running): void {
  account.kernel.after(STEP_MS, () => {
    const group = account.groups.get(running.name);
    const refresh = account.plain['instance-refresh'].get(running.id);
    if (group === undefined || refresh === undefined || !isActive(refresh)) return;
    const left = running.old.filter((id) => group.members.some((one) => one.instanceId === id));
    tell(account, running, left.length);
    if (left.length === 0) return;
    const inService = group.members.filter((one) => one.lifecycleState === 'InService');
    const isFull = inService.length >= group.desiredCapacity;
    const [next] = left;
    if (isFull && next !== undefined) remove(account, group, next, CAUSE);
    step(account, running);
  });
}

function tell(account: Account, { id, old }: Running, left: number): void {
  const nowMs = account.kernel.nowMs();
  account.plain['instance-refresh'].change(id, nowMs, (before) => ({
    ...before,
    PercentageComplete: old.length === 0 ? 100 : Math.floor((1 - left / old.length) * 100),
    InstancesToUpdate: left,
    ...(left === 0 ? { Status: 'Successful', EndTime: isoMoment(nowMs) } : {}),
  }));
}

function isActive(refresh: JsonObject): boolean {
  return ['Pending', 'InProgress', 'Cancelling'].includes(textAt(refresh, 'Status') ?? '');
}

function refreshesOf(account: Account, name: string, atMs = Infinity): readonly JsonObject[] {
  return account.plain['instance-refresh']
    .valuesAt(atMs)
    .filter((one) => one['AutoScalingGroupName'] === name);
}

export const REFRESHES: Operations = {
  StartInstanceRefresh: reads(begin),
  DescribeInstanceRefreshes: reads(
    ({ account, input, atMs }) => {
      const name = needed(input, 'AutoScalingGroupName', 'ValidationError');
      groupOf(account, name);
      return { InstanceRefreshes: refreshesOf(account, name, atMs).toReversed() };
    },
    {
      list: 'InstanceRefreshes',
      size: 'MaxRecords',
      sizeMax: 100,
      sizeDefault: 50,
      token: ['NextToken', 'NextToken'],
    },
  ),
};
