import { type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Ask } from './asking.ts';
import { filters } from './aws-calls.ts';

/** Groups whose scaling activities and hooks are read at most. */
const GROUPS_MAX = 20;
/** Spot machines that ended, of which the request is read. */
const SPOT_MAX = 200;

function nameOf(group: Json): string {
  return textAt(group, 'AutoScalingGroupName') ?? '';
}

function namesOf(groups: readonly Json[]): readonly string[] {
  return [...new Set(groups.map(nameOf))].filter((name) => name !== '').slice(0, GROUPS_MAX);
}

/** What groups tried, the hooks for which machines wait, and why spot machines ended. */
export async function askLaunches(
  ask: Ask,
  groups: readonly Json[],
  instances: readonly Json[],
): Promise<readonly JsonObject[]> {
  const activities = namesOf(groups).map((AutoScalingGroupName) =>
    ask({
      service: 'autoscaling',
      operation: 'DescribeScalingActivities',
      input: { AutoScalingGroupName },
      pagesMax: 1,
    }),
  );
  const hooks = namesOf(groups.filter(isWaiting)).map((AutoScalingGroupName) =>
    ask({
      service: 'autoscaling',
      operation: 'DescribeLifecycleHooks',
      input: { AutoScalingGroupName },
    }),
  );
  const [answers] = await Promise.all([
    Promise.all(activities),
    Promise.all(hooks),
    askSpot(ask, instances),
  ]);
  return answers.flat();
}

/** True where a machine waits for the answer to a hook, before its service or after. */
function isWaiting(group: Json): boolean {
  return listAt(group, 'Instances').some((entry) =>
    textAt(entry, 'LifecycleState')?.endsWith(':Wait'),
  );
}

async function askSpot(ask: Ask, instances: readonly Json[]): Promise<void> {
  const ended = instances
    .filter((instance) => textAt(instance, 'InstanceLifecycle') === 'spot')
    .filter((instance) => textAt(instance, 'State.Name') !== 'running')
    .map((instance) => textAt(instance, 'InstanceId') ?? '');
  const ids = [...new Set(ended)].filter((id) => id !== '').slice(0, SPOT_MAX);
  if (ids.length === 0) return;
  const input = { Filters: filters({ 'instance-id': ids }) };
  await ask({ service: 'ec2', operation: 'DescribeSpotInstanceRequests', input });
}
