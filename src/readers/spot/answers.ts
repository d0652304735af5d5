import { typeFromAws } from '../../capacity/aws-type.ts';
import { INSTANCE_TYPES } from '../../capacity/instance-types.generated.ts';
import { instanceTypes } from '../../capacity/instance-types.ts';
import { keyOf } from '../../capacity/spot/pool.ts';
import type { PricePoint, Told, ToldPrices, ToldRun, ToldType } from '../../capacity/spot/told.ts';
import { counted } from '../../domain/words.ts';
import {
  OFFERED_TYPE,
  PLACEMENT_SCORE,
  SPOT_PRICE,
  SPOT_RUN,
  type SpotPrice,
  type SpotRun,
} from '../../evidence/aws/spot.ts';
import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { project } from '../../evidence/project.ts';
import type { Shape, ValueOf } from '../../evidence/shape.ts';

/** More items than 90 days of all pools of a region have. */
const ITEMS_MAX = 2_000_000;
/** Nothing that is sold costs more an hour. */
const DOLLARS_MAX = 10_000;

const TYPE_NAME =
  /^[a-z][a-z0-9-]{0,20}\.(?:nano|micro|small|medium|large|\d{0,3}xlarge|metal(?:-\d{1,3}xl)?)$/;
const ZONE_NAME = /^[a-z]{2,5}(?:-[a-z]{3,12}){1,3}-\d(?:-[a-z]{2,5}-\d)?[a-z]$/;
const ZONE_ID = /^[a-z]{2,5}\d?-(?:[a-z]{2,5}\d-)?az\d{1,2}$/;

/** Members by which an answer of AWS is recognized. */
export const SPOT_MEMBERS = {
  prices: 'SpotPriceHistory',
  types: 'InstanceTypes',
  scores: 'SpotPlacementScores',
  runs: 'SpotInstanceRequests',
} as const;

/** One answer of AWS, page by page joined, and when it was asked where that is known. */
export interface SpotAnswer {
  /** What the answer is called in sentences. */
  readonly locator: string;
  readonly content: Json;
  /** Until when its prices hold; null: until the newest of them. */
  readonly untilMs: number | null;
}

/** Whether a document is an answer that this command knows. */
export function isSpotAnswer(content: Json): boolean {
  return Object.values(SPOT_MEMBERS).some((member) => Array.isArray(at(content, member)));
}

function itemsOf<const S extends Shape>(
  shape: S,
  content: Json,
  member: string,
): readonly ValueOf<S>[] {
  const items = listAt(content, member).slice(0, ITEMS_MAX);
  return items.map((item) => project(shape, item)).filter((item) => item !== undefined);
}

function momentOf(value: string | null | undefined): number | null {
  const ms = Date.parse(value ?? '');
  return Number.isFinite(ms) ? ms : null;
}

function dollarsOf(value: string | null | undefined): number | null {
  const text = value ?? '';
  const dollars = /^\d{1,5}(?:\.\d{1,12})?$/.test(text) ? Number(text) : Number.NaN;
  return dollars > 0 && dollars <= DOLLARS_MAX ? dollars : null;
}

/** Points of one answer by pool, and how many of its items could not be used. */
interface Points {
  readonly pools: Map<
    string,
    { readonly type: string; readonly zone: string; points: PricePoint[] }
  >;
  readonly zoneNames: Map<string, string>;
  bad: number;
  otherProduct: number;
  newestMs: number | null;
}

function pointsOf(items: readonly SpotPrice[], product: string): Points {
  const points: Points = {
    pools: new Map(),
    zoneNames: new Map(),
    bad: 0,
    otherProduct: 0,
    newestMs: null,
  };
  for (const item of items) takePrice(points, item, product);
  return points;
}

function takePrice(points: Points, item: SpotPrice, product: string): void {
  const { InstanceType: type, AvailabilityZone: zone, AvailabilityZoneId: zoneId } = item;
  const [atMs, dollars] = [momentOf(item.Timestamp), dollarsOf(item.SpotPrice)];
  const isNamed = TYPE_NAME.test(type ?? '') && ZONE_NAME.test(zone ?? '');
  if (!isNamed || atMs === null || dollars === null) {
    points.bad++;
    return;
  }
  if (productOf(item.ProductDescription ?? product) !== product) {
    points.otherProduct++;
    return;
  }
  const name = { type: type ?? '', zone: zone ?? '' };
  const pool = points.pools.get(keyOf(name)) ?? { ...name, points: [] };
  points.pools.set(keyOf(name), pool);
  pool.points.push({ atMs, dollars });
  points.newestMs = Math.max(points.newestMs ?? atMs, atMs);
  if (ZONE_ID.test(zoneId ?? '')) points.zoneNames.set(zoneId ?? '', name.zone);
}

/** Prices in a VPC and outside of one are the same and have two names. */
function productOf(description: string): string {
  return description.replace(' (Amazon VPC)', '');
}

function toldPrices({ pools, newestMs }: Points, untilMs: number | null): readonly ToldPrices[] {
  return [...pools.values()].map(({ type, zone, points }) => ({
    type,
    zone,
    points: points.toSorted((a, b) => a.atMs - b.atMs),
    untilMs: Math.max(untilMs ?? newestMs ?? 0, points.at(-1)?.atMs ?? 0),
  }));
}

const SHIPPED = instanceTypes(INSTANCE_TYPES);

function typesOf(content: Json): readonly ToldType[] {
  return itemsOf(OFFERED_TYPE, content, SPOT_MEMBERS.types).flatMap((item) => {
    const type = typeFromAws(item, SHIPPED);
    if (type === null || !TYPE_NAME.test(type.name)) return [];
    const gpus = item.GpuInfo?.Gpus?.reduce((sum, { Count }) => sum + (Count ?? 0), 0);
    const classes = item.SupportedUsageClasses;
    return [{ type, gpus: gpus ?? 0, isSpot: classes?.includes('spot') ?? null }];
  });
}

/** Codes of a request whose instance EC2 is about to take, or took (EC2 user guide, "Spot request status codes"). */
const INTERRUPTED =
  /^(?:marked-for-(?:termination|stop)|instance-(?:terminated|stopped)-(?:no-capacity|by-price|capacity-oversubscribed))$/;

function runOf(item: SpotRun): readonly ToldRun[] {
  const type = item.LaunchSpecification?.InstanceType ?? '';
  const zone = item.LaunchedAvailabilityZone ?? '';
  const fromMs = momentOf(item.CreateTime);
  if (!TYPE_NAME.test(type) || !ZONE_NAME.test(zone) || fromMs === null) return [];
  const wasInterrupted = INTERRUPTED.test(item.Status?.Code ?? '');
  const hasEnded = wasInterrupted || (item.State ?? 'active') !== 'active';
  const toMs = hasEnded ? (momentOf(item.Status?.UpdateTime) ?? fromMs) : null;
  return [{ type, zone, fromMs, toMs, wasInterrupted }];
}

/** A Spot Instance and how its request stands. */
export interface SpotStanding {
  readonly instanceId: string;
  readonly type: string;
  readonly zone: string;
  readonly isActive: boolean;
  /** `marked`: EC2 takes it within two minutes; `taken`: it did; null for neither. */
  readonly interruption: 'marked' | 'taken' | null;
  /** The status code of the request. */
  readonly code: string;
  /** Since when the code holds, ms; null where the answer does not tell. */
  readonly sinceMs: number | null;
}

/** How the requests with an instance stand, by an answer of DescribeSpotInstanceRequests. */
export function readSpotStandings(content: Json): readonly SpotStanding[] {
  return itemsOf(SPOT_RUN, content, SPOT_MEMBERS.runs).flatMap((item) => {
    const instanceId = item.InstanceId ?? '';
    const code = item.Status?.Code ?? '';
    if (instanceIdIn(instanceId) !== instanceId || !/^[a-z-]{1,60}$/.test(code)) return [];
    const [type, zone] = [
      item.LaunchSpecification?.InstanceType ?? '',
      item.LaunchedAvailabilityZone ?? '',
    ];
    const isMarked = code.startsWith('marked-for-');
    const interruption = isMarked ? 'marked' : INTERRUPTED.test(code) ? 'taken' : null;
    return [
      {
        instanceId,
        type: TYPE_NAME.test(type) ? type : '',
        zone: ZONE_NAME.test(zone) ? zone : '',
        isActive: item.State === 'active',
        interruption,
        code,
        sinceMs: momentOf(item.Status?.UpdateTime),
      } as const,
    ];
  });
}

function lossesOf({ locator, content }: SpotAnswer, points: Points): readonly string[] {
  const isCut = textAt(content, 'NextToken') ?? '';
  return [
    points.bad > 0
      ? `${locator}: ${counted(points.bad, 'price')} without a usable type, zone, time or amount left out.`
      : null,
    points.otherProduct > 0
      ? `${locator}: ${counted(points.otherProduct, 'price')} of other products left out.`
      : null,
    isCut === ''
      ? null
      : `${locator} is cut off (it has a NextToken): pools may be missing. Ask again without --max-items.`,
    listAt(content, SPOT_MEMBERS.prices).length > ITEMS_MAX
      ? `${locator}: prices beyond the first ${ITEMS_MAX} left out.`
      : null,
  ].filter((loss) => loss !== null);
}

/**
 * What answers of AWS tell of Spot: prices, types, placement scores and how instances fared.
 *
 * @param product whose prices count, such as `Linux/UNIX`
 */
export function readSpotAnswers(answers: readonly SpotAnswer[], product: string): Told {
  const read = answers.map((answer) => {
    const items = itemsOf(SPOT_PRICE, answer.content, SPOT_MEMBERS.prices);
    const points = pointsOf(items, product);
    return { answer, points, prices: toldPrices(points, answer.untilMs) };
  });
  const types = answers.flatMap(({ content }) => typesOf(content));
  const runs = answers.flatMap(({ content }) =>
    itemsOf(SPOT_RUN, content, SPOT_MEMBERS.runs).flatMap(runOf),
  );
  const moments = [
    ...read.flatMap(({ prices }) => prices.map(({ untilMs }) => untilMs)),
    ...runs.map(({ fromMs, toMs }) => toMs ?? fromMs),
  ];
  return {
    prices: read.flatMap(({ prices }) => prices),
    types: new Map(types.map((told) => [told.type.name, told])),
    scores: answers.flatMap(({ content }) => scoresOf(content)),
    runs,
    zoneNames: new Map(read.flatMap(({ points }) => [...points.zoneNames])),
    asOfMs: moments.reduce<number | null>((most, ms) => Math.max(most ?? ms, ms), null),
    losses: read.flatMap(({ answer, points }) => lossesOf(answer, points)),
  };
}

function scoresOf(content: Json): Told['scores'] {
  return itemsOf(PLACEMENT_SCORE, content, SPOT_MEMBERS.scores).flatMap((item) => {
    const { AvailabilityZoneId: zoneId, Score: score } = item;
    const isScore = score !== null && score !== undefined && score >= 1 && score <= 10;
    return isScore && ZONE_ID.test(zoneId ?? '') ? [{ zoneId: zoneId ?? '', score }] : [];
  });
}
