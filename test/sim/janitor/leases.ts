/** The Lease by which one replica leads, and a program that leads again whenever it lost it. */
import type { EniJanitor } from '../../../src/controllers/eni-janitor/janitor.ts';
import { LeaderElection } from '../../../src/runtime/election/election.ts';
import type { KubeLine } from '../../../src/sim/programs/kube.ts';
import type { ElectionOptions } from '../../../src/runtime/election/election-options.ts';

export const LEASE = {
  namespace: 'kube-system',
  name: 'rollcall-controller',
  key: 'kube-system/rollcall-controller',
};

/** Longer than the controller's, so that hours take a second. */
const LIMITS = { leaseMs: 60_000, renewMs: 40_000, retryMs: 20_000, tryMs: 3_000 };
/** How long a leader leads after its last renewal. */
export const RENEW_MS = LIMITS.renewMs;

type Candidate = Pick<ElectionOptions, 'clock' | 'random' | 'identity'>;

/** As the controller runs it. */
export async function leadJanitor(
  janitor: EniJanitor,
  { api, writes }: Pick<KubeLine, 'api' | 'writes'>,
  { clock, random, identity }: Candidate,
  end: AbortSignal,
): Promise<void> {
  for (;;) {
    const election = new LeaderElection({
      api,
      writes,
      clock,
      random,
      identity,
      lease: LEASE,
      limits: LIMITS,
      lead: async ({ stop, lost, isLeading }) =>
        janitor.run({ signal: AbortSignal.any([stop, lost]), isLeading }),
    });
    if ((await election.run(end)) === 'stopped') return;
  }
}
