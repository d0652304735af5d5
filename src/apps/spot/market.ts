import type { Moment, Happening } from '../../collection/recording/change.ts';
import { SpotChanges } from '../../collection/recording/spot.ts';
import { lookAtSpot, type SpotLook, WATCHED_TYPES_MAX } from '../../collection/spot-watch.ts';
import type { AwsSource } from '../../collection/asking.ts';
import type { SpotWatched } from '../../controllers/spot/keeper.ts';
import type { SpotNode } from '../../domain/nodes/spot-node.ts';
import type { Refusal } from '../../evidence/observations.ts';
import type { SpotStanding } from '../../readers/spot/answers.ts';

const PRICES_CALL = 'ec2:DescribeSpotPriceHistory';
const REQUESTS_CALL = 'ec2:DescribeSpotInstanceRequests';
/** Types that are no longer in use stay known for a while, and not for ever. */
const POOLS_MAX = 20_000;

export interface MarketOptions {
  /** null where AWS could not be opened. */
  readonly source: AwsSource | null;
  /** Empty for those that are in use. */
  readonly types: readonly string[];
  readonly zones: readonly string[];
  readonly product: string;
  readonly everyMs: number;
}

/** What one look brought. */
export interface MarketLook {
  readonly happenings: readonly Happening[];
  readonly refusals: readonly Refusal[];
  readonly asked: readonly string[];
  readonly losses: readonly string[];
}

/** Follows prices and Spot requests, and knows what they are by now. */
export class Market {
  readonly #options: MarketOptions;
  readonly #changes = new SpotChanges();
  readonly #prices = new Map<string, number>();
  #standings: readonly SpotStanding[] | null = null;
  /** Until when prices are known, ms; null before the first answer. */
  #knownMs: number | null = null;
  #askedTypes = new Set<string>();

  constructor(options: MarketOptions) {
    this.#options = options;
  }

  /** Asks AWS; of prices only when they are due, or when a type is new. */
  async look(
    nowMs: number,
    nodes: readonly SpotNode[] | null,
    signal: AbortSignal,
  ): Promise<MarketLook> {
    const { source, zones, product } = this.#options;
    if (source === null) return { happenings: [], refusals: [], asked: [], losses: [] };
    const prices = this.#pricesDue(nowMs, nodes);
    const scope = { zones, product, nowMs };
    const look = await lookAtSpot(source, { scope, prices }, signal);
    this.#take(look, prices?.types ?? null);
    const happenings = [...this.#changes.ofPrices(look), ...this.#changes.ofStandings(look)];
    const asked = [REQUESTS_CALL, ...(prices === null ? [] : [PRICES_CALL])];
    return { happenings, refusals: look.refusals, asked, losses: look.losses };
  }

  /** What Nodes show of notices that was not reported yet. */
  ofNodes(nodes: readonly SpotNode[] | null): readonly Happening[] {
    return nodes === null ? [] : this.#changes.ofNodes(nodes);
  }

  /** Nodes of Spot Instances by their labels, or by the word of EC2. */
  watched(nodes: readonly SpotNode[] | null): SpotWatched {
    const standings = this.#standings ?? [];
    const spot = new Set(standings.map(({ instanceId }) => instanceId));
    const isSpot = (node: SpotNode): boolean =>
      node.isSpot ?? (node.instanceId !== null && spot.has(node.instanceId));
    const marked = standings.filter(({ interruption }) => interruption === 'marked');
    return {
      nodes: nodes?.filter(isSpot) ?? null,
      marked: new Set(marked.map(({ instanceId }) => instanceId)),
      prices: this.#prices,
    };
  }

  #typesInUse(nodes: readonly SpotNode[] | null): readonly string[] {
    const active = (this.#standings ?? []).filter(({ isActive }) => isActive);
    const spot = (nodes ?? []).filter((node) => node.isSpot === true);
    const types = [...active, ...spot].map(({ type }) => type).filter((type) => type !== '');
    return [...new Set(types)].toSorted();
  }

  #pricesDue(nowMs: number, nodes: readonly SpotNode[] | null) {
    const { types: named, everyMs } = this.#options;
    const types = (named.length > 0 ? named : this.#typesInUse(nodes)).slice(0, WATCHED_TYPES_MAX);
    const isNew = types.some((type) => !this.#askedTypes.has(type));
    const knownMs = this.#knownMs ?? nowMs;
    const isDue = this.#knownMs === null || nowMs - knownMs >= everyMs;
    if (types.length === 0 || !(isNew || isDue)) return null;
    return { types, fromMs: knownMs };
  }

  #take({ standings, prices, nowMs }: SpotLook, types: readonly string[] | null): void {
    // What is not answered is unknown; nobody acts on what it was.
    this.#standings = standings;
    if (types === null) return;
    if (prices === null) this.#prices.clear();
    else {
      this.#knownMs = nowMs;
      this.#askedTypes = new Set(types);
    }
    for (const { type, zone, dollars } of (prices ?? []).toSorted((a, b) => a.atMs - b.atMs))
      if (this.#prices.size < POOLS_MAX) this.#prices.set(`${type} ${zone}`, dollars);
  }
}

/** When and where something is recorded. */
export function momentOf(cluster: string, nowMs: number): Moment {
  return { cluster, nowMs, skewMs: null };
}
