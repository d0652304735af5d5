/** Managed node groups over their Auto Scaling groups. */
import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { changeGroup, groupOf } from '../autoscaling/groups.ts';
import { listIn, numberIn, objectIn, type Request, textIn } from '../operation.ts';
import { invalid, one } from './kept.ts';
import { beginUpdate } from './updates.ts';

/** The size of a node group is that of its Auto Scaling group, which others may have changed. */
export function nodegroup(request: Request, cluster: string): JsonObject {
  const name = textIn(request.input, 'nodegroupName') ?? '';
  const what = `No node group found for name: ${name}.`;
  const found = one(request, 'nodegroup', `${cluster}/${name}`, what);
  const group = request.account.groups.get(scalingGroup(found));
  if (group === undefined) return found;
  const { minSize, maxSize, desiredCapacity } = group;
  const scalingConfig = { minSize, maxSize, desiredSize: desiredCapacity };
  return { ...found, ...withLaunchFailure(request, found, group.name), scalingConfig };
}

/** Launches that fail at the moment make a group degraded, with the reason of the last one. */
function withLaunchFailure({ account }: Request, found: JsonObject, group: string): JsonObject {
  if ((account.failures.get(group) ?? 0) === 0) return {};
  const failed = account.plain['scaling-activity']
    .values()
    .findLast((row) => row['AutoScalingGroupName'] === group && row['StatusCode'] === 'Failed');
  const message = textAt(failed, 'StatusMessage') ?? '';
  const isFull = /free addresses/.test(message);
  const issue = {
    code: isFull ? 'InsufficientFreeAddresses' : 'AsgInstanceLaunchFailures',
    message: isFull
      ? 'One or more of the subnets does not have enough available IP addresses for new nodes.'
      : message,
    resourceIds: [group],
  };
  const issues = [...listIn(objectIn(found, 'health'), 'issues'), issue];
  return { status: 'DEGRADED', health: { issues } };
}

function scalingGroup(found: JsonObject): string {
  const [first] = listIn(objectIn(found, 'resources'), 'autoScalingGroups');
  return textAt(first, 'name') ?? '';
}

export function updateNodegroup(request: Request, cluster: string): JsonObject {
  const { account, input } = request;
  const found = nodegroup(request, cluster);
  const sizes = objectIn(input, 'scalingConfig');
  const name = scalingGroup(found);
  const before = groupOf(account, name);
  const desiredCapacity = numberIn(sizes, 'desiredSize') ?? before.desiredCapacity;
  const minSize = numberIn(sizes, 'minSize') ?? before.minSize;
  const maxSize = numberIn(sizes, 'maxSize') ?? before.maxSize;
  if (desiredCapacity > maxSize || desiredCapacity < minSize) {
    const [what, limit] =
      desiredCapacity > maxSize
        ? ["can't be greater than max size", maxSize]
        : ["can't be less than min size", minSize];
    throw invalid(`desired capacity ${desiredCapacity} ${what} ${limit}`);
  }
  changeGroup(account, name, { desiredCapacity, minSize, maxSize });
  const params = Object.keys(sizes).map((key) => ({
    type: key.charAt(0).toUpperCase() + key.slice(1),
    value: textAt(sizes, key) ?? '',
  }));
  const nodegroupName = textIn(input, 'nodegroupName') ?? '';
  return {
    update: beginUpdate(account, {
      cluster,
      type: 'ConfigUpdate',
      nodegroup: nodegroupName,
      params,
    }),
  };
}
