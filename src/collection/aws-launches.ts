import { type Json, type JsonObject, listAt, textAt } from '../evidence/json.ts';
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

function nameOf(group: Json): string {
  return textAt(group, 'AutoScalingGroupName') ?? '';
}

function namesOf(ask: Ask, groups: readonly Json[]): readonly string[] {
  const names = [...new Set(groups.map(nameOf))].filter((name) => name !== '');
  return ask.first(names, GROUPS_MAX, 'Auto Scaling groups');
}

/** What groups tried, the hooks for which machines wait, and why spot machines ended. */
export async function askLaunches(
  ask: Ask,
  groups: readonly Json[],
  instances: readonly Json[],
  nowMs: number,
): Promise<readonly JsonObject[]> {
  const ofGroups = (operation: string, own: readonly Json[]): readonly ReturnType<Ask>[] =>
    namesOf(ask, own).map((AutoScalingGroupName) =>
      ask({ service: 'autoscaling', operation, input: { AutoScalingGroupName }, pagesMax: 1 }),
    );
  const [activities, requests] = await Promise.all([
    Promise.all(ofGroups('DescribeScalingActivities', groups)),
    askSpot(ask, instances),
    ...ofGroups('DescribeLifecycleHooks', groups.filter(isWaiting)),
    ...ofGroups('DescribeInstanceRefreshes', groups.filter(isMixed)),
  ]);
  await askPrices(ask, { groups, activities: activities.flat(), requests, nowMs });
  return activities.flat();
}

/** True where machines of a group were launched from something else than others of it. */
function isMixed(group: Json): boolean {
  const origins = listAt(group, 'Instances').map((entry) =>
    ['LaunchTemplate.LaunchTemplateId', 'LaunchTemplate.Version', 'LaunchConfigurationName']
      .map((path) => textAt(entry, path) ?? '')
      .join(' '),
  );
  return new Set(origins).size > 1;
}

/** True where a machine waits for the answer to a hook, before its service or after. */
function isWaiting(group: Json): boolean {
  return listAt(group, 'Instances').some((entry) =>
    textAt(entry, 'LifecycleState')?.endsWith(':Wait'),
  );
}

async function askSpot(ask: Ask, instances: readonly Json[]): Promise<readonly JsonObject[]> {
  const ended = instances
    .filter((instance) => textAt(instance, 'InstanceLifecycle') === 'spot')
    .filter((instance) => textAt(instance, 'State.Name') !== 'running')
    .map((instance) => textAt(instance, 'InstanceId') ?? '');
  const all = [...new Set(ended)].filter((id) => id !== '');
  const ids = ask.first(all, SPOT_MAX, 'spot requests');
  if (ids.length === 0) return [];
  const input = { Filters: filters({ 'instance-id': ids }) };
  return ask({ service: 'ec2', operation: 'DescribeSpotInstanceRequests', input });
}

interface PriceAnswers {
  readonly groups: readonly Json[];
  /** Of scaling activities. */
  readonly activities: readonly JsonObject[];
  /** Of spot requests. */
  readonly requests: readonly JsonObject[];
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
  const refused = requests
    .flatMap((answer) => listAt(answer, 'SpotInstanceRequests'))
    .filter((request) => PRICE_TROUBLE.test(textAt(request, 'Status.Code') ?? ''));
  const failed = activities
    .flatMap((answer) => listAt(answer, 'Activities'))
    .filter((one) => PRICE_TROUBLE.test(textAt(one, 'StatusMessage') ?? ''));
  const names = new Set(failed.map(nameOf));
  const short = groups.filter((group) => names.has(nameOf(group)));
  return {
    types: some(ask, [
      ...refused.map((request) => textAt(request, 'LaunchSpecification.InstanceType')),
      ...short.flatMap(spotTypes),
    ]),
    zones: some(ask, [
      ...refused.map((request) => textAt(request, 'LaunchedAvailabilityZone')),
      ...short.flatMap((group) => listAt(group, 'AvailabilityZones').map(String)),
    ]),
  };
}

function some(ask: Ask, values: readonly (string | null)[]): readonly string[] {
  const known = values.filter((value) => value !== null && value !== '') as readonly string[];
  return ask.first([...new Set(known)], POOLS_MAX, 'spot prices');
}
