import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { KubeWrites } from '../../ports/kube-writes.ts';
import type { Random } from '../../ports/random.ts';
import type { Recorder } from '../../ports/recorder.ts';

/** What the parts of the gate controller reach the outside with. */
export interface GateTools {
  readonly api: KubeApi;
  readonly writes: KubeWrites;
  /** Of the Lease, so that a storm of patches never delays its renewal. */
  readonly leaseWrites: KubeWrites;
  readonly leaseApi: Pick<KubeApi, 'get'>;
  /** null where nothing is recorded. */
  readonly recorder: Pick<Recorder, 'append'> | null;
  readonly clock: Clock;
  readonly random: Random;
  /** One line for a person who reads the log. */
  readonly say: (line: string) => void;
}
