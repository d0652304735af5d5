/** What sources tell of pools, before anything is concluded from it. */
import type { InstanceType } from '../instance-type.ts';
import type { PoolName } from './pool.ts';

/** A price begins; it holds until the next one. */
export interface PricePoint {
  readonly atMs: number;
  /** Dollars an hour. */
  readonly dollars: number;
}

/** What one answer tells of one pool: its points in order, and until when the last one holds. */
export interface ToldPrices extends PoolName {
  readonly points: readonly PricePoint[];
  readonly untilMs: number;
}

export interface ToldType {
  readonly type: InstanceType;
  /** null where the source has no field for it. */
  readonly gpus: number | null;
  /** False where EC2 says that the type is not sold as Spot; null is not known. */
  readonly isSpot: boolean | null;
}

export interface ToldScore {
  readonly zoneId: string;
  /** From 1 to 10, for the request that was asked about, at that moment. */
  readonly score: number;
}

/** One Spot Instance from its request on. */
export interface ToldRun extends PoolName {
  readonly fromMs: number;
  /** null while it runs. */
  readonly toMs: number | null;
  readonly wasInterrupted: boolean;
}

export interface Told {
  readonly prices: readonly ToldPrices[];
  readonly types: ReadonlyMap<string, ToldType>;
  readonly scores: readonly ToldScore[];
  readonly runs: readonly ToldRun[];
  /** Zone names by zone id, as prices show them. */
  readonly zoneNames: ReadonlyMap<string, string>;
  /** When the newest of it was true; null where nothing has a time. */
  readonly asOfMs: number | null;
  /** What was not read or not used, one sentence each. */
  readonly losses: readonly string[];
}
