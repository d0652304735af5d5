import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { KubeWrites } from '../../ports/kube-writes.ts';
import type { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';

/** The defaults of client-go, and a limit on one try. */
export interface ElectionLimits {
  /** How long others wait after the last renewal that they saw, ms. */
  readonly leaseMs: number;
  /** How long after its last renewal a leader leads, ms; less than `leaseMs`. */
  readonly renewMs: number;
  /** Between two tries, ms; candidates wait up to 2.2 times as long. */
  readonly retryMs: number;
  /** For one try with its one to three requests, ms; short, so that a lost one leaves time for another. */
  readonly tryMs: number;
}

export const DEFAULT_ELECTION_LIMITS: ElectionLimits = {
  leaseMs: 15_000,
  renewMs: 10_000,
  retryMs: 2_000,
  tryMs: 3_000,
};

export interface Leading {
  /** The program is to stop; the Lease is renewed until `lead` returns, and then released. */
  readonly stop: AbortSignal;
  /** Another may lead from now on: nothing may be written any more. */
  readonly lost: AbortSignal;
  /** False as soon as the time is over, also when no timer had its turn yet; for each write. */
  readonly isLeading: () => boolean;
}

export interface ElectionOptions {
  readonly api: Pick<KubeApi, 'get'>;
  readonly writes: Pick<KubeWrites, 'create' | 'update'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Another one for each start of the program: the Pod's name and something drawn. */
  readonly identity: string;
  /** What the leader does; ends soon after `lost` and `stop`. */
  readonly lead: (leading: Leading) => Promise<void>;
  /** Told when the holder, the phase or the failure changes. */
  readonly onChange?: (state: ElectionState) => void;
  readonly limits?: Partial<ElectionLimits>;
}

export interface ElectionState {
  readonly phase: 'candidate' | 'leading' | 'over';
  /** As last read; null when nobody holds the Lease, or it was never read. */
  readonly holder: string | null;
  /** Why the last try had no answer; null when it had. */
  readonly lastError: PortError | null;
}

/** The Lease could not be renewed in time, or is held by another. */
export class LeadershipLost extends Error {}
