import type { Told } from '../evidence/shape.ts';
import type { Instance, SpotRequest } from '../evidence/aws/instance.ts';
import type { AutoScalingGroup, ScalingActivity } from '../evidence/aws/groups.ts';
import { itemsIn } from './answered.ts';
import { spotTypes } from '../domain/instances/launch.ts';
import { isoTime } from '../evidence/time.ts';
import type { Ask } from './asking.ts';
import { filters } from './aws-calls.ts';

/** Groups whose scaling activities and hooks are read at most. */
const GROUPS_MAX = 20;
/** Spot machines that ended, of which the request is read. */
const SPOT_MAX = 200;
/** Types and zones of which the market's price is read. */
const POOLS_MAX = 50;
/** A change of a price older than this says nothing of the launches that failed, ms. */
const PRICES_BACK_MS = 3_600_000;
/** What EC2 says where the most that somebody pays is less than the market asks. */
const PRICE_TROUBLE = /SpotMaxPriceTooLow|price-too-low|by-price/;

function nameOf(group: AutoScalingGroup | ScalingActivity): string {
  return group.AutoScalingGroupName ?? '';
}

function namesOf(ask: Ask, groups: readonly AutoScalingGroup[]): readonly string[] {
  const names = [...new Set(groups.map(nameOf))].filter((name) => name !== '');
  return ask.first(names, GROUPS_MAX, 'Auto Scaling groups');
}

/** What groups tried, the hooks for which machines wait, and why spot machines ended. */
export async function askLaunches(
  ask: Ask,
  groups: readonly AutoScalingGroup[],
  instances: readonly Instance[],
  nowMs: number,
): Promise<readonly ScalingActivity[]> {
  const ofGroups = (
    operation: string,
    own: readonly AutoScalingGroup[],
  ): readonly ReturnType<Ask>[] =>
    namesOf(ask, own).map((AutoScalingGroupName) =>
      ask({ service: 'autoscaling', operation, input: { AutoScalingGroupName }, pagesMax: 1 }),
    );
  const [activities, requests] = await Promise.all([
    Promise.all(ofGroups('DescribeScalingActivities', groups)),
    askSpot(ask, instances),
    ...ofGroups('DescribeLifecycleHooks', groups.filter(isWaiting)),
    ...ofGroups('DescribeInstanceRefreshes', groups.filter(isMixed)),
  ]);
  const tried = itemsIn(activities.flat(), 'Activities', 'aws/scaling-activity');
  await askPrices(ask, { groups, activities: tried, requests, nowMs });
  return tried;
}

/** True where machines of a group were launched from something else than others of it. */
function isMixed(group: AutoScalingGroup): boolean {
  const origins = (group.Instances ?? []).map(
    ({ LaunchTemplate: template, LaunchConfigurationName: configuration }) =>
      [template?.LaunchTemplateId, template?.Version, configuration].join(' '),
  );
  return new Set(origins).size > 1;
}

/** True where a machine waits for the answer to a hook, before its service or after. */
function isWaiting(group: AutoScalingGroup): boolean {
  return (group.Instances ?? []).some((entry) => entry.LifecycleState?.endsWith(':Wait'));
}

async function askSpot(ask: Ask, instances: readonly Instance[]): Promise<readonly SpotRequest[]> {
  const ended = instances
    .filter((instance) => instance.InstanceLifecycle === 'spot')
    .filter((instance) => instance.State?.Name !== 'running')
    .map((instance) => instance.InstanceId ?? '');
  const all = [...new Set(ended)].filter((id) => id !== '');
  const ids = ask.first(all, SPOT_MAX, 'spot requests');
  if (ids.length === 0) return [];
  const input = { Filters: filters({ 'instance-id': ids }) };
  const answers = await ask({ service: 'ec2', operation: 'DescribeSpotInstanceRequests', input });
  return itemsIn(answers, 'SpotInstanceRequests', 'aws/spot-request');
}

interface PriceAnswers {
  readonly groups: readonly AutoScalingGroup[];
  /** Of scaling activities. */
  readonly activities: readonly ScalingActivity[];
  /** Of spot requests. */
  readonly requests: readonly SpotRequest[];
  readonly nowMs: number;
}

/** A type of instance in a zone has a price of its own. */
interface Pools {
  readonly types: readonly string[];
  readonly zones: readonly string[];
}

/** The market's prices, where a launch failed or a machine ended because of what it may cost. */
async function askPrices(ask: Ask, answers: PriceAnswers): Promise<void> {
  const { types, zones } = poolsOf(ask, answers);
  if (types.length === 0) return;
  const ofZones = zones.length === 0 ? {} : { 'availability-zone': zones };
  await ask({
    service: 'ec2',
    operation: 'DescribeSpotPriceHistory',
    input: {
      Filters: filters({ 'instance-type': types, 'product-description': PRODUCTS, ...ofZones }),
      StartTime: isoTime({ ms: answers.nowMs - PRICES_BACK_MS, yearless: false, clock: 'utc' }),
    },
    pagesMax: 1,
  });
}

const PRODUCTS = ['Linux/UNIX', 'Windows'] as const;

function poolsOf(ask: Ask, { groups, activities, requests }: PriceAnswers): Pools {
  const refused = requests.filter(({ Status: status }) => PRICE_TROUBLE.test(status?.Code ?? ''));
  const failed = activities.filter((one) => PRICE_TROUBLE.test(one.StatusMessage ?? ''));
  const names = new Set(failed.map(nameOf));
  const short = groups.filter((group) => names.has(nameOf(group)));
  return {
    types: some(ask, [
      ...refused.map((request) => request.LaunchSpecification?.InstanceType),
      ...short.flatMap(spotTypes),
    ]),
    zones: some(ask, [
      ...refused.map((request) => request.LaunchedAvailabilityZone),
      ...short.flatMap((group) => group.AvailabilityZones ?? []),
    ]),
  };
}

function some(ask: Ask, values: readonly Told<string>[]): readonly string[] {
  const known = values.filter(
    (value) => typeof value === 'string' && value !== '',
  ) as readonly string[];
  return ask.first([...new Set(known)], POOLS_MAX, 'spot prices');
}
