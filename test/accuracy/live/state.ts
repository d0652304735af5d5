/** What a live state is: how it is laid, what is asked of it, and what is true. */
import type { Stage } from '../../../src/evidence/stage.ts';
import type { Scene } from './scene.ts';

export interface LiveState {
  /** `l` and two digits, for good. */
  readonly id: string;
  readonly title: string;
  /** `broken`: with a cause; `open`: nothing that both APIs show decides; `joining`: too young to be either. */
  readonly end: 'broken' | 'open' | 'well' | 'joining';
  /** Causes that are right, the best first; none where `end` is not `broken`. */
  readonly accept: readonly string[];
  readonly stage: Stage | null;
  readonly command?: 'status';
  /** False where the kubeconfig does not name a cluster of EKS. */
  readonly isEks?: boolean;
  /** What an answer that is right has in it. */
  readonly shows: readonly string[];
  /** @returns the machine that is asked about, null for all */
  lay(scene: Scene): string | null;
}
