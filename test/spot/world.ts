/** Small worlds of Spot prices for tests. */
import type { SpotQuestion } from '../../src/capacity/spot/candidates.ts';
import type { SpotDemand } from '../../src/capacity/spot/demand.ts';
import { DEFAULT_MODE } from '../../src/capacity/mode.ts';
import { DEFAULT_RULES, type SpotRules } from '../../src/capacity/spot/rules.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { readSpotAnswers } from '../../src/readers/spot/answers.ts';

export const NOW_MS = Date.parse('2026-11-22T10:00:00Z');
export const DAY_MS = 24 * 3_600_000;

/** Dollars an hour by `type zone`. */
export type Prices = Readonly<Record<string, number>>;

/** As `aws ec2 describe-spot-price-history` prints prices that began five days ago. */
export function answerOf(prices: Prices): JsonObject {
  return {
    SpotPriceHistory: Object.entries(prices).map(([pool, dollars]) => {
      const [type = '', zone = ''] = pool.split(' ');
      return {
        AvailabilityZone: zone,
        AvailabilityZoneId: `euw1-az${'abc'.indexOf(zone.at(-1) ?? '') + 1}`,
        InstanceType: type,
        ProductDescription: 'Linux/UNIX',
        SpotPrice: dollars.toFixed(6),
        Timestamp: new Date(NOW_MS - 5 * DAY_MS).toISOString(),
      };
    }),
  };
}

export interface World {
  readonly prices: Prices;
  readonly demand?: Partial<SpotDemand>;
  readonly rules?: Partial<SpotRules>;
  /** Further answers of AWS. */
  readonly more?: readonly JsonObject[];
}

export function questionOf({ prices, demand, rules, more = [] }: World): SpotQuestion {
  const answers = [answerOf(prices), ...more].map((content) => ({
    locator: 'prices.json',
    content,
    untilMs: NOW_MS,
  }));
  return {
    demand: {
      vcpus:
        demand === undefined || Object.keys(demand).every((key) => key === 'zones') ? 16 : null,
      memoryGiB: null,
      gpus: null,
      pods: null,
      architectures: [],
      zones: [],
      nodeVcpus: { least: 2, most: 64 },
      daemonPods: 0,
      mode: DEFAULT_MODE,
      ...demand,
    },
    rules: { ...DEFAULT_RULES, ...rules },
    told: readSpotAnswers(answers, 'Linux/UNIX'),
    nowMs: NOW_MS,
    historyMs: 7 * DAY_MS,
  };
}
