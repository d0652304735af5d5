import type { LooseInterface } from './loose-interface.ts';

/** What one whole look shows; a look of which a part failed is none. */
export interface EniScan {
  /** Wall clock, never ahead of what is known to be true, ms. */
  readonly nowMs: number;
  readonly monotonicMs: number;
  readonly cluster: string;
  /** All that are `available` and have the tag of the CNI. */
  readonly interfaces: readonly LooseInterface[];
  /** Of the instances for which they were made; one that is not there does not exist. */
  readonly instances: ReadonlyMap<string, string>;
  /** Instances that a Node of the cluster names. */
  readonly nodeInstances: ReadonlySet<string>;
}

export interface EniRules {
  /** The least age by the tag, and the least time between two looks that show it unused, ms. */
  readonly ageMs: number;
  readonly apartMs: number;
  /** How many may be deleted now. */
  readonly most: number;
}

/**
 * `delete`: all proof is there. `seen-once`: all but the second look. `over-budget`: another time.
 * `kept`: it is used, young, or somebody else's. `unproven`: unused, and something does not prove it.
 */
export type EniVerdict = 'delete' | 'seen-once' | 'over-budget' | 'kept' | 'unproven';

export interface JudgedInterface {
  readonly network: LooseInterface;
  readonly verdict: EniVerdict;
  /** One sentence without its subject and full stop. */
  readonly why: string;
}

/** By id: the monotonic time of the first look that showed it unused, ms. */
export type EniSights = ReadonlyMap<string, number>;

export interface EniDecision {
  readonly judged: readonly JudgedInterface[];
  readonly sights: EniSights;
}
