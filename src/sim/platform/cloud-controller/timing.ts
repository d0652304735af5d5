import type { RandomStream } from '../../kernel/random.ts';
import type { Dialect } from './dialect.ts';
import type { LookUp } from './look-up.ts';

/** DescribeInstances within a region answers in well under 100 ms, mostly. */
const ANSWER_MEDIAN_MS = 60;
const ANSWER_SIGMA = 0.4;
/** Releases with the new SDK gather requests until 100 ms pass without another one. */
const GATHER_MS = 100;

/** From the controller's question to EC2's answer, ms. */
export function askLatencyMs(random: RandomStream, { sdk }: Dialect): number {
  return (sdk === 'v2' ? GATHER_MS : 0) + random.lognormal(ANSWER_MEDIAN_MS, ANSWER_SIGMA);
}

/** Three attempts with growing waits held the one worker for 3 to 7 s in each measured case. */
const THROTTLED_FROM_MS = 3000;
const THROTTLED_TO_MS = 7000;

/** What the SDK's own retries add to the answer, ms. */
export function throttleMs(found: LookUp, random: RandomStream): number {
  const isThrottled = found.kind === 'refused' && found.isThrottled;
  return isThrottled ? random.between(THROTTLED_FROM_MS, THROTTLED_TO_MS) : 0;
}
