import type { Json, JsonObject } from '../evidence/json.ts';
import { listAt } from '../evidence/json.ts';
import { type SpotAnswer, SPOT_MEMBERS } from '../readers/spot/answers.ts';
import type { Ask } from './asking.ts';
import { commandOf, filters, type PlannedCall } from './aws-calls.ts';

export interface SpotScope {
  /** All of the region when empty. */
  readonly zones: readonly string[];
  /** Such as `Linux/UNIX`. */
  readonly product: string;
  readonly nowMs: number;
}

/** 1,000 prices a page; 90 days of sixty types in six zones have fewer. */
const PAGES_MAX = 300;

/** All pages as one answer; none at all is an empty one, since the refusal is kept elsewhere. */
async function joined(
  ask: Ask,
  call: PlannedCall,
  member: string,
  untilMs: number | null,
): Promise<SpotAnswer> {
  const pages = await ask(call);
  const items: readonly Json[] = pages.flatMap((page) => listAt(page, member));
  return { locator: commandOf(call), content: { [member]: items }, untilMs };
}

function pricesCall({ zones, product }: SpotScope, times: JsonObject): PlannedCall {
  const byZone = zones.length === 0 ? {} : { Filters: filters({ 'availability-zone': zones }) };
  const input = { ProductDescriptions: [product], ...byZone, ...times };
  return { service: 'ec2', operation: 'DescribeSpotPriceHistory', input, pagesMax: PAGES_MAX };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Every type that is sold as Spot, what all pools cost now, and how Spot Instances here fared. */
export async function askSpotOffers(ask: Ask, scope: SpotScope): Promise<readonly SpotAnswer[]> {
  const now = isoTime(scope.nowMs);
  const types: PlannedCall = {
    service: 'ec2',
    operation: 'DescribeInstanceTypes',
    input: { Filters: filters({ 'supported-usage-class': ['spot'] }) },
  };
  return await Promise.all([
    joined(ask, types, SPOT_MEMBERS.types, null),
    // Of the changes before the start the last one is included, which is the price of now.
    joined(
      ask,
      pricesCall(scope, { StartTime: now, EndTime: now }),
      SPOT_MEMBERS.prices,
      scope.nowMs,
    ),
    askSpotRequests(ask),
  ]);
}

/** Every Spot request of the account and region that EC2 still lists. */
export async function askSpotRequests(ask: Ask): Promise<SpotAnswer> {
  const call: PlannedCall = {
    service: 'ec2',
    operation: 'DescribeSpotInstanceRequests',
    input: {},
  };
  return await joined(ask, call, SPOT_MEMBERS.runs, null);
}

/** How the prices of some types came about. */
export async function askSpotHistory(
  ask: Ask,
  scope: SpotScope,
  { types, fromMs }: { readonly types: readonly string[]; readonly fromMs: number },
): Promise<SpotAnswer> {
  const times = { StartTime: isoTime(fromMs), EndTime: isoTime(scope.nowMs) };
  const call = pricesCall(scope, { InstanceTypes: [...types], ...times });
  return await joined(ask, call, SPOT_MEMBERS.prices, scope.nowMs);
}

/** How likely EC2 gives so many vCPUs of these types now, by zone. */
export async function askPlacementScores(
  ask: Ask,
  { types, vcpus, region }: { types: readonly string[]; vcpus: number; region: string },
): Promise<SpotAnswer> {
  const call: PlannedCall = {
    service: 'ec2',
    operation: 'GetSpotPlacementScores',
    input: {
      InstanceTypes: [...types],
      TargetCapacity: vcpus,
      TargetCapacityUnitType: 'vcpu',
      SingleAvailabilityZone: true,
      RegionNames: [region],
    },
  };
  return await joined(ask, call, SPOT_MEMBERS.scores, null);
}
