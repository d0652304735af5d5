import type { Kernel } from '../kernel/kernel.ts';

/** How old what a reader is shown may be: log-normal, drawn for each call anew. */
export interface Lag {
  readonly medianMs: number;
  /** Deviation of the logarithm; 0 lags by the median always. */
  readonly sigma: number;
}

export const NO_LAG: Lag = { medianMs: 0, sigma: 0 };

/**
 * Half of the calls see the last second, one in a hundred is a minute behind: instances that
 * DescribeInstances did not find for up to a minute were seen (kubernetes/cloud-provider-aws
 * issue 1471 and pull request 1024).
 */
export const LATE: Lag = { medianMs: 1000, sigma: 1.76 };

export interface AwsCloudOptions {
  readonly kernel: Kernel;
  readonly region: string;
  /** Twelve digits. */
  readonly accountId: string;
  /** Letters of the availability zones; `a`, `b` and `c` unless given. */
  readonly zones?: readonly string[];
  /** Of every call that reads; none unless given. */
  readonly lag?: Lag;
  /** Of tags, beside that of the call. */
  readonly tagLag?: Lag;
  /** How long a Spot Instance runs on the mean until it is interrupted, ms; for ever unless given. */
  readonly spotLifeMs?: number;
  /** How long after a launch the private DNS name shows, ms; at once unless given. */
  readonly nameDelayMs?: number;
  /** True counts calls against the buckets of the EC2 API; true unless given. */
  readonly isThrottled?: boolean;
}
