import type { Candidate, SpotQuestion } from './candidates.ts';
import type { SpotDemand } from './demand.ts';
import { type Mix, type MixAnswer, mixOf } from './mix.ts';
import { type TypeRow, whyTypes } from './why.ts';
import type { FixedRules } from './rules.ts';

/** One pool of the mix. */
export interface MixRow {
  readonly type: string;
  readonly zone: string;
  readonly nodes: number;
  /** Of the capacity of the mix, from 0 to 1. */
  readonly share: number;
  readonly arch: string;
  /** Dollars an hour for one node now. */
  readonly price: number;
  /** As a share of its mean in a week; null is unknown. */
  readonly trendPerWeek: number | null;
  /** Standard deviation as a share of the mean. */
  readonly volatility: number;
  /** Share of the time that was looked at of which the price is known. */
  readonly known: number;
  /** Interruptions in a thousand hours of instances as recorded; null is unknown. */
  readonly interruptionsPerThousandHours: number | null;
  /** From 1 to 10, of the zone; null is unknown. */
  readonly placementScore: number | null;
  readonly vcpus: number;
  /** What pods can use of one node. */
  readonly memoryGiB: number;
  readonly gpus: number;
  /** Pods with an address on one node, those of DaemonSets taken off. */
  readonly pods: number;
}

/** What `rollcall spot -o json` prints. */
export interface SpotDocument {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'SpotMix';
  /** When the prices were true. */
  readonly asOf: string;
  readonly historyDays: number;
  readonly demand: Omit<SpotDemand, 'mode'>;
  /** With the shares that the file leaves open. */
  readonly rules: FixedRules;
  readonly mix: readonly MixRow[];
  readonly totals: Mix['totals'] | null;
  readonly costPerHour: number | null;
  readonly loss: Mix['loss'] | null;
  readonly proof: Mix['proof'] | null;
  /** Why there is no mix; one sentence. */
  readonly impossible: string | null;
  /** Every type of which a price was looked at. */
  readonly types: readonly TypeRow[];
  /** What is not known, one sentence each. */
  readonly unknown: readonly string[];
}

const DAY_MS = 24 * 3_600_000;

function rowOf({ pool, nodes, share }: Mix['takes'][number]): MixRow {
  const { type, zone, dollars, price, interruptions, score, offer } = pool;
  return {
    type,
    zone,
    nodes,
    share,
    arch: offer.arch,
    price: dollars,
    trendPerWeek: price.trendPerWeek,
    volatility: price.volatility,
    known: price.known,
    interruptionsPerThousandHours: interruptions.perThousandHours,
    placementScore: score,
    vcpus: offer.vcpus,
    memoryGiB: offer.memoryGiB,
    gpus: offer.gpus,
    pods: offer.pods,
  };
}

/** Of its history so much must be known, or it is reported. */
const KNOWN_LEAST = 0.5;

function unknownsOf({ told, demand }: SpotQuestion, { mix, candidates }: MixAnswer): string[] {
  const taken = mix?.takes.map(({ pool }) => pool) ?? [];
  const hasPrice = new Set(candidates.pools.map(({ zone }) => zone));
  const count = (isSo: (pool: Candidate) => boolean): number => taken.filter(isSo).length;
  const unrecorded = count(({ interruptions }) => interruptions.perThousandHours === null);
  const short = count(({ price }) => price.known < KNOWN_LEAST);
  return [
    ...demand.zones
      .filter((zone) => !hasPrice.has(zone))
      .map((zone) => `No usable price in ${zone}: it is not part of the mix.`),
    ...(unrecorded === 0
      ? []
      : [
          `Interruptions are unknown for ${unrecorded} of the ${taken.length} pools: prices do not tell them, and they count as equally likely.`,
        ]),
    ...(mix === null || taken.some(({ score }) => score !== null)
      ? []
      : [
          'Placement scores are unknown: whether EC2 has the capacity now is not part of the choice.',
        ]),
    ...(short === 0
      ? []
      : [
          `Of ${short} of the ${taken.length} pools less than half of the price history is known: trend and volatility rest on little.`,
        ]),
    ...told.losses,
  ];
}

/** Chooses a mix and says why. */
export function spotDocument(question: SpotQuestion): SpotDocument {
  const { nowMs, historyMs } = question;
  const { mode: _mode, ...demand } = question.demand;
  const answer = mixOf(question);
  const { mix, impossible } = answer;
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'SpotMix',
    asOf: new Date(nowMs).toISOString(),
    historyDays: historyMs / DAY_MS,
    demand,
    rules: answer.rules,
    mix: mix?.takes.map(rowOf) ?? [],
    totals: mix?.totals ?? null,
    costPerHour: mix?.costPerHour ?? null,
    loss: mix?.loss ?? null,
    proof: mix?.proof ?? null,
    impossible,
    types: whyTypes(answer, question),
    unknown: unknownsOf(question, answer),
  };
}
