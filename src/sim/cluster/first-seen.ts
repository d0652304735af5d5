import type { SimulatedAws } from '../aws/cloud.ts';
import type { Lag } from '../aws/options.ts';
import { randomStream } from '../kernel/random.ts';

/**
 * From the launch of an instance until calls show it; drawn once for each instance, as every call
 * reads the same record. Half are there after a second, one in a hundred after a minute: calls that
 * did not find a new instance for up to a minute were seen (kubernetes/cloud-provider-aws issue 1471
 * and pull request 1024). It fits that 5 of 500 new Nodes were deleted as unknown, and 1 of 50 on
 * Spot Instances (kubernetes/kubernetes issues 64036 and 28519). No measured distribution is public.
 */
const RECORD: Lag = { medianMs: 1000, sigma: 1.76 };

/**
 * From the moment it is shown until its private DNS name is: a few in a hundred were without one in
 * their first seconds (kubernetes/cloud-provider-aws issue 635).
 */
const NAME: Lag = { medianMs: 1000, sigma: 1.2 };

/** Nobody reported more. */
const LONGEST_MS = 600_000;

/** When EC2 shows a machine, ms after its launch. */
export interface FirstSeen {
  readonly recordMs: number;
  /** Of its private DNS name; never before the record. */
  readonly nameMs: number;
}

/** Of the machine with this name: the same in every world of a seed, whatever else it has. */
export function drawFirstSeen(seed: number, machine: string): FirstSeen {
  const random = randomStream(seed, `ec2/first-seen/${machine}`);
  const recordMs = Math.min(LONGEST_MS, random.lognormal(RECORD.medianMs, RECORD.sigma));
  const nameMs = recordMs + random.lognormal(NAME.medianMs, NAME.sigma);
  return { recordMs, nameMs: Math.min(LONGEST_MS, nameMs) };
}

/** Keeps an instance that was launched just now from sight until then. */
export function showLater(
  { controls }: SimulatedAws,
  instanceId: string,
  { recordMs, nameMs }: FirstSeen,
): void {
  controls.hideInstance(instanceId, recordMs);
  controls.hideName(instanceId, nameMs);
}
